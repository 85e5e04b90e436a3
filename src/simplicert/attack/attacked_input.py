"""Answer what the search asks about one certified input and the points around it.

`AttackedInput` holds the certificate, the ball around the input and the gradient estimator; `Lead`
is how far the best other class is ahead at a point. `SmoothedPoint` counts draws of the smoothed
classifier near the input. Its noise never meets the run's own: the seed is a hash of what the run
was drawn from and the attack's seed. Draws that only steer the search are the same at every point,
so that points compare; draws that confirm are used once.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from simplicert.attack.ball import Ball
from simplicert.attack.edits import EditBall, EditedSequence
from simplicert.attack.features import FeatureBall
from simplicert.attack.gradients import ClassLoss, GradientEstimator
from simplicert.attack.losses import LOSSES, best_other_class
from simplicert.attack.parameters import ParameterBall
from simplicert.data.sequences import hold_sequences
from simplicert.sampling import Sampler
from simplicert.sampling.noise import hash_seed
from simplicert.types import FIXED_POINT, Floats, Kind, Tally

STEERING = 2**21  # draws reserved for looks; fresh ones begin here


class PointScores(NamedTuple):
    """Two numbers per class at a point."""

    shares: Floats  # of the draws, or mean scores, whichever the kind of certificate is about
    scores: Floats  # mean scores for either kind, where the classifier gives any


@dataclass
class SmoothedPoint:
    """The smoothed classifier around one input, as this kind of certificate sees it."""

    sampler: Sampler
    item: int
    kind: Kind
    draws: int = 0  # the number made so far
    used: int = STEERING  # number of the next fresh draw

    def look(self, point: np.ndarray, draws: int) -> PointScores:
        """Count the draws that only steer, at this point."""
        tally = self._draw(point, 0, draws)
        counted = scores = np.asarray(tally.counts[0] / draws)
        if tally.softmax_sums is not None:
            scores = np.asarray(tally.softmax_sums[0] / 2.0**FIXED_POINT / draws)
        return PointScores(counted if self.kind == "multinomial" else scores, scores)

    def draw_fresh(self, point: np.ndarray, draws: int) -> Tally:
        """Make draws that were never used before."""
        first, self.used = self.used, self.used + draws
        return self._draw(point, first, draws)

    def _draw(self, point: np.ndarray, first: int, draws: int) -> Tally:
        return self._draw_inputs(point[None], first, draws)

    def _draw_inputs(self, inputs: np.ndarray, first: int, draws: int) -> Tally:
        self.draws += draws
        tally = self.sampler.tally(inputs, np.array([self.item]), (first, first + draws))
        assert tally is not None
        return tally


@dataclass
class SmoothedParameter(SmoothedPoint):
    """The same for a transformation: a point is its parameter, around which noise is drawn.

    The input is transformed once, by the sum of both, as in `noises.transformations`: that is the
    function of the parameter that the certificate is about, to the last bit.
    """

    centre: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def _draw(self, point: np.ndarray, first: int, draws: int) -> Tally:
        writer = self.sampler.batch.writer
        before = writer.context
        writer.context = before._replace(moved=tuple(point.tolist()))
        try:
            return super()._draw(self.centre, first, draws)
        finally:
            writer.context = before


@dataclass
class SmoothedSequence(SmoothedPoint):
    """The same for a sequence of tokens: a point is an edited one."""

    def _draw(self, point: EditedSequence, first: int, draws: int) -> Tally:  # type: ignore[override]
        return self._draw_inputs(hold_sequences([point.tokens]), first, draws)


@dataclass(frozen=True)
class Lead:
    """Two shares at a point: of the best other class, and of the certified one."""

    rival: int
    other: float
    own: float
    hint: float = 0.0  # the same difference in mean scores, to rank points that are otherwise alike

    def beyond(self, deviations: float, draws: int) -> float:
        """Return how far the lead exceeds this many standard deviations of that many draws."""
        return self.other - self.own - deviations * float(np.sqrt((self.other + self.own) / draws))


@dataclass(frozen=True, eq=False)
class AttackedInput:
    """A certificate that says: `certified` is the class of every point nearer than `radius`.

    Where radii are whole numbers (`closed`), of every point that is no further.
    """

    ball: Ball | ParameterBall | FeatureBall | EditBall
    smoothed: SmoothedPoint
    slope: GradientEstimator
    certified: int
    runner_up: int
    radius: float
    random: np.random.Generator
    unit: float  # a distance on which probabilities change: sigma for Gaussian noise and l2
    closed: bool = False

    @property
    def norm_ball(self) -> Ball:
        """The ball of a norm, where the noise is added to every feature."""
        assert isinstance(self.ball, Ball)
        return self.ball

    def breaks(self, distance: float) -> bool:
        """Tell whether another class at this distance breaks the certificate."""
        return distance <= self.radius if self.closed else distance < self.radius

    @property
    def draws(self) -> int:
        """The number of noisy copies classified so far, for any purpose."""
        return self.smoothed.draws + self.slope.draws

    def class_loss(self, name: str) -> ClassLoss:
        """Return a loss by its name, applied to this input's classes."""
        return ClassLoss(LOSSES[name], self.certified, self.runner_up)

    def uphill(self, offset: Floats, loss: ClassLoss) -> Floats:
        """Return a unit direction of ascent; a random one where the copies show no slope."""
        direction = self.slope.direction(self.norm_ball, offset, loss)
        return self.random_direction() if direction is None else direction

    def random_direction(self) -> Floats:
        """Draw a direction of length 1 of the features that may change."""
        return self.norm_ball.random_direction(self.random)

    def lead(self, point: np.ndarray, draws: int) -> Lead:
        """Return the best other class at a point, as the draws that only steer see it."""
        shares, scores = self.smoothed.look(point, draws)
        rival, close = (best_other_class(values, self.certified) for values in (shares, scores))
        hint = float(scores[close] - scores[self.certified])
        return Lead(rival, float(shares[rival]), float(shares[self.certified]), hint)


def attack_seed(*words: object) -> int:
    """Return the seed of a stream that belongs to the attack alone."""
    return hash_seed("simplicert attack", *words)
