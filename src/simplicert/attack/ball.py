"""Move around one input, and measure the distance from it, rounded up.

A perturbation that is said to lie inside a certified radius must really lie there (Jin et al.,
"Getting a-Round Guarantees", arXiv 2205.10159): each operation of the norm is rounded up, so the
number reported is never less than the true distance of the float32 point that was classified.
"""

import math
from dataclasses import dataclass

import numpy as np

from simplicert.types import Floats

BISECTIONS = 24  # finds the share of an offset that still fits, to 6e-8

HUGE = 1e150  # changes whose squares would overflow are as good as infinite


@dataclass(frozen=True, eq=False)
class Ball:
    """A ball in the norm of the run's radii: feature i moves by scale_i times its offset."""

    centre: np.ndarray  # float32, the input
    scale: Floats | None = None  # each feature's share of sigma; None: 1
    step: float | None = None  # of the grid that points must lie on, if any

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
                size = _round_up_changes(size, np.where(size > 0, size / self.scale, 0.0))
        if not size.max(initial=0.0) < HUGE:
            return math.inf
        total = math.fsum(_round_up_changes(size, size * size).ravel().tolist())
        if total == 0:
            return 0.0
        return math.nextafter(math.sqrt(math.nextafter(total, math.inf)), math.inf)

    def _changes(self, point: np.ndarray) -> Floats:
        """Return how much each feature changes, rounded up; on a grid in whole steps."""
        one, other = point.astype(np.float64), self.centre.astype(np.float64)
        if self.step is None:
            size = np.abs(one - other)
            return _round_up_changes(size, size)
        size = np.abs(np.rint(one / self.step) - np.rint(other / self.step))
        return _round_up_changes(size, size * self.step)

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


def _round_up_changes(size: Floats, values: Floats) -> Floats:
    """Round values up a step where the size is not 0, to be above what exact arithmetic gives."""
    return np.where(size > 0, np.nextafter(values, np.inf), 0.0)


def offset_length(offset: Floats) -> float:
    """Return the plain norm of an offset, for steering; only `Ball.norm` is ever reported."""
    return float(np.linalg.norm(offset.ravel()))


def project_offset(offset: Floats, radius: float) -> Floats:
    """Shorten an offset to the radius where it is longer."""
    far = offset_length(offset)
    return offset if far <= radius else offset * (radius / far)
