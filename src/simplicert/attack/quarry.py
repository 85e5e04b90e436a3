"""Quarry: one certified input, and everything that the search asks about its surroundings."""

from dataclasses import dataclass

import numpy as np

from simplicert.attack.ball import Ball
from simplicert.attack.gradients import Raised, Uphill
from simplicert.attack.losses import LOSSES, best_other
from simplicert.attack.smoothed import Smoothed
from simplicert.types import Floats


@dataclass(frozen=True, eq=False)
class Quarry:
    """The certificate says: `certified` is the class of every point nearer than `radius`."""

    ball: Ball
    smoothed: Smoothed
    slope: Uphill
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

    def raised(self, loss: str) -> Raised:
        """A loss by its name, of this input's classes."""
        return Raised(LOSSES[loss], self.certified, self.runner_up)

    def uphill(self, offset: Floats, raised: Raised) -> Floats:
        """A unit direction of ascent; any at all where the copies show no slope."""
        found = self.slope.direction(self.ball, offset, raised)
        return self.any_direction() if found is None else found

    def any_direction(self) -> Floats:
        """Uniform on the unit sphere of features that may change."""
        drawn = self.random.standard_normal(self.ball.centre.shape)
        if self.ball.scale is not None:
            drawn = np.where(self.ball.scale > 0, drawn, 0.0)
        return np.asarray(drawn / np.linalg.norm(drawn.ravel()))

    def lead(self, point: np.ndarray, draws: int) -> "Lead":
        """The best other class at a point, as the draws that only steer see it."""
        shares, scores = self.smoothed.look(point, draws)
        rival, close = (best_other(values, self.certified) for values in (shares, scores))
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
