"""Move around one input, and measure the distance from it, rounded up.

A perturbation that is said to lie inside a certified radius must really lie there (Jin et al.,
"Getting a-Round Guarantees", arXiv 2205.10159): each operation of the norm is rounded up, so the
number reported is never less than the true distance of the float32 point that was classified.
"""

from dataclasses import dataclass

import numpy as np

from simplicert.attack.norms import NORMS, BallNorm, round_up_changes
from simplicert.types import Floats

BISECTIONS = 24  # finds the share of an offset that still fits, to 6e-8


@dataclass(frozen=True, eq=False)
class Ball:
    """A ball in the norm of the run's radii: feature i moves by scale_i times its offset."""

    centre: np.ndarray  # float32, the input
    scale: Floats | None = None  # each feature's share of sigma; None: 1
    step: float | None = None  # of the grid that points must lie on, if any
    measure: BallNorm = NORMS["l2"]

    def at(self, offset: Floats) -> np.ndarray:
        """Return the float32 point nearest to centre + scale * offset, on the grid if any."""
        moved = self.centre + (offset if self.scale is None else self.scale * offset)
        point: np.ndarray = self.round_to_grid(moved).astype(np.float32)
        if self.scale is not None:
            point = np.where(self.scale > 0, point, self.centre)
        return point

    def round_to_grid(self, points: Floats) -> Floats:
        """Round points to the grid, if there is one."""
        return points if self.step is None else np.rint(points / self.step) * self.step

    def norm(self, point: np.ndarray) -> float:
        """Return the point's distance from the centre, never less than the true one."""
        size = self._changes(point)
        if self.scale is not None:
            # A feature without noise must not change at all: its change is infinite.
            with np.errstate(divide="ignore", invalid="ignore"):
                size = round_up_changes(size, np.where(size > 0, size / self.scale, 0.0))
        return self.measure.measure(size)

    def _changes(self, point: np.ndarray) -> Floats:
        """Return how much each feature changes, rounded up; on a grid in whole steps."""
        one, other = point.astype(np.float64), self.centre.astype(np.float64)
        if self.step is None:
            size = np.abs(one - other)
            return round_up_changes(size, size)
        size = np.abs(np.rint(one / self.step) - np.rint(other / self.step))
        return round_up_changes(size, size * self.step)

    def within(self, offset: Floats, radius: float) -> np.ndarray:
        """Return the point at this offset, or on the way to it, with norm less than the radius."""
        if self.norm(self.at(offset)) < radius:
            return self.at(offset)
        low, high = 0.0, 1.0
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            if self.norm(self.at(middle * offset)) < radius:
                low = middle
            else:
                high = middle
        return self.at(low * offset)

    def length(self, offset: Floats) -> float:
        """Return the norm of an offset, for steering."""
        return self.measure.length(offset)

    def project(self, offset: Floats, radius: float) -> Floats:
        """Bring an offset back into the ball of this radius."""
        return self.measure.project(offset, radius)

    def steepest(self, gradient: Floats) -> Floats | None:
        """Return the direction of length 1 that rises most; None without a finite slope."""
        largest = np.abs(gradient).max()
        if not 0 < largest < np.inf:  # NaN too
            return None
        return self.measure.steepest(gradient / largest)

    def random_direction(self, random: np.random.Generator) -> Floats:
        """Draw a direction of length 1 of the features that may change."""
        shares = np.ones(self.centre.shape) if self.scale is None else self.scale
        return self.measure.random(random, shares)

    def perturbation(self, point: np.ndarray) -> np.ndarray:
        """Return what is added to the input, in doubles; the float32 sum is the point, exactly."""
        return np.asarray(point.astype(np.float64) - self.centre.astype(np.float64))
