"""Answer what the search asks about one certified input and the points around it.

`AttackedInput` holds the certificate, the ball around the input and the gradient estimator; `Lead`
is how far the best other class is ahead at a point. `SmoothedPoint` counts draws of the smoothed
classifier near the input. Its noise never meets the run's own: the seed is a hash of what the run
was drawn from and the attack's seed. Draws that only steer the search are the same at every point,
so that points compare; draws that confirm are used once.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simplicert.attack.ball import Ball
from simplicert.attack.gradients import ClassLoss, GradientEstimator
from simplicert.attack.losses import LOSSES, best_other_class
from simplicert.sampling import Sampler
from simplicert.sampling.noise import hash_seed
from simplicert.types import FIXED_POINT, Floats, Kind, Tally

STEERING = 2**21  # draws kept for looks; fresh ones begin here


class PointScores(NamedTuple):
    """One number a class."""

    shares: Floats  # of the draws, or mean scores: by what the kind of certificate goes
    scores: Floats  # mean scores in either case, where the classifier gives any


@dataclass
class SmoothedPoint:
    """One input's surroundings, as this kind of certificate sees them."""

    sampler: Sampler
    item: int
    kind: Kind
    draws: int = 0  # made so far
    used: int = STEERING  # the next fresh draw

    def look(self, point: np.ndarray, draws: int) -> PointScores:
        """The draws that only steer, at this point."""
        tally = self._drawn(point, 0, draws)
        counted = scores = np.asarray(tally.counts[0] / draws)
        if tally.softmax_sums is not None:
            scores = np.asarray(tally.softmax_sums[0] / 2.0**FIXED_POINT / draws)
        return PointScores(counted if self.kind == "multinomial" else scores, scores)

    def fresh(self, point: np.ndarray, draws: int) -> Tally:
        """Draws that nothing before has seen."""
        first, self.used = self.used, self.used + draws
        return self._drawn(point, first, draws)

    def _drawn(self, point: np.ndarray, first: int, draws: int) -> Tally:
        self.draws += draws
        tally = self.sampler.tally(point[None], np.array([self.item]), (first, first + draws))
        assert tally is not None
        return tally


def attack_seed(*words: object) -> int:
    """Of a stream of the attack's own."""
    return hash_seed("simplicert attack", *words)


@dataclass(frozen=True, eq=False)
class AttackedInput:
    """The certificate says: `certified` is the class of every point nearer than `radius`."""

    ball: Ball
    smoothed: SmoothedPoint
    slope: GradientEstimator
    certified: int
    runner_up: int
    radius: float
    random: np.random.Generator

    @property
    def sigma(self) -> float:
        """Of the noise, in the ball's norm."""
        return self.smoothed.sampler.settings.smoothing.sigma

    @property
    def draws(self) -> int:
        """Noisy copies classified so far, for whatever purpose."""
        return self.smoothed.draws + self.slope.draws

    def class_loss(self, loss: str) -> ClassLoss:
        """A loss by its name, of this input's classes."""
        return ClassLoss(LOSSES[loss], self.certified, self.runner_up)

    def uphill(self, offset: Floats, raised: ClassLoss) -> Floats:
        """A unit direction of ascent; any at all where the copies show no slope."""
        found = self.slope.direction(self.ball, offset, raised)
        return self.random_direction() if found is None else found

    def random_direction(self) -> Floats:
        """Uniform on the unit sphere of features that may change."""
        drawn = self.random.standard_normal(self.ball.centre.shape)
        if self.ball.scale is not None:
            drawn = np.where(self.ball.scale > 0, drawn, 0.0)
        return np.asarray(drawn / np.linalg.norm(drawn.ravel()))

    def lead(self, point: np.ndarray, draws: int) -> "Lead":
        """The best other class at a point, as the draws that only steer see it."""
        shares, scores = self.smoothed.look(point, draws)
        rival, close = (best_other_class(values, self.certified) for values in (shares, scores))
        hint = float(scores[close] - scores[self.certified])
        return Lead(rival, float(shares[rival]), float(shares[self.certified]), hint)


@dataclass(frozen=True)
class Lead:
    """Two shares at a point: of the best other class, and of the certified one."""

    rival: int
    other: float
    own: float
    hint: float = 0.0  # the same difference in mean scores, for points that are alike otherwise

    def beyond(self, deviations: float, draws: int) -> float:
        """By how much the lead exceeds so many standard deviations of that many draws."""
        return self.other - self.own - deviations * float(np.sqrt((self.other + self.own) / draws))
