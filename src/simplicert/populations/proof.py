"""Prove that a polynomial in Bernstein form stays below a target on all of [0, 1].

If S ~ Bin(k, p), then E c_S = sum_j c_j C(k, j) p^j (1 - p)^(k - j): a polynomial in p whose
Bernstein coefficients on [0, 1] are the c_j themselves. On an interval it is nowhere above the
largest of its Bernstein coefficients there, and de Casteljau's algorithm computes those of the two
halves by averages of neighbours. So we halve intervals until the largest coefficient is near the
largest value, and the result holds between all points, not on a grid.

All of it is integers in units of 2^-50, and an average that is no integer is rounded up: every
coefficient that we keep is at least the true one, because averages rise with their terms. The same
holds for the difference to a straight line below the target (`ShareTarget.line`), whose Bernstein
coefficients are its values at even steps.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import ndtr, ndtri

from simplicert.errors import require
from simplicert.types import Floats, Ints

UNIT_BITS = 50
UNIT = 2.0**UNIT_BITS  # coefficients are integers in units of 1 / UNIT
MOST_COEFFICIENT = 1000.0  # in size: two of them add up below 2^63 units
EPSILON = float(np.finfo(float).eps)
DEPTH = 50  # intervals are halved at most this often; their ends are exact as floats
MOST_INTERVALS = 4096  # at a time: more would take long, and the bound is then left as it is
LINE_ERROR = 2.0**-40  # more than the rounding of a tangent's ends, which are at most 1 in size
MOST_SHIFT = 7.0  # radius over sigma: beyond it the threshold cannot be told from 1

# sigma is drawn in single precision: the noise has at least this share of it.
DRAWN_SHARE = 1 - 2.0**-24
LEAST_SIGMA = float(np.finfo(np.float32).tiny)  # below it, it may have less


class ShareTarget(Protocol):
    """What E c_S must not exceed, as a function of p that rises from 0 to 1."""

    def value(self, at: Floats) -> Floats:
        """Return the target at these points, to the rounding of floats."""

    def line(self, left: Floats, right: Floats) -> tuple[Floats, Floats]:
        """Return the ends of straight lines that lie below the target on these intervals."""


@dataclass(frozen=True)
class SmoothedTarget:
    """1 where p >= Phi(shift), else 0: the smoothed classifier is right everywhere within r.

    The threshold is rounded up, which makes the target smaller.
    """

    shift: float  # radius over sigma

    @property
    def threshold(self) -> float:
        """A number that is at least Phi(shift)."""
        return float(ndtr(self.shift)) * (1 + 8 * EPSILON)

    def value(self, at: Floats) -> Floats:
        """Return the target at these points."""
        return np.asarray(at >= self.threshold, dtype=float)

    def line(self, left: Floats, right: Floats) -> tuple[Floats, Floats]:
        """Return 1 on intervals that begin at the threshold or later, else 0."""
        height = self.value(left)
        return height, height


@dataclass(frozen=True)
class RandomisedTarget:
    """Phi(Phi^-1(p) - shift): how often one noisy answer is right under the worst perturbation.

    It is convex in p, so that every tangent lies below it.
    """

    shift: float  # radius over sigma

    def value(self, at: Floats) -> Floats:
        """Return the target at these points."""
        return np.asarray(ndtr(ndtri(at) - self.shift))

    def line(self, left: Floats, right: Floats) -> tuple[Floats, Floats]:
        """Return the ends of the tangents at the middles, lowered by their rounding error."""
        middle, half = (left + right) / 2, (right - left) / 2
        z = ndtri(middle)
        height, rise = ndtr(z - self.shift), half * np.exp(self.shift * (z - self.shift / 2))
        return height - rise - LINE_ERROR, height + rise - LINE_ERROR


TARGETS: dict[str, Callable[[float], ShareTarget]] = {
    "smoothed": SmoothedTarget,
    "randomised": RandomisedTarget,
}


def radius_in_sigmas(radius: float, sigma: float, sensitivity: float) -> float:
    """Return radius over the sigma that was drawn, rounded up; refuse what is out of reach."""
    require(
        bool(np.isfinite(radius) and radius >= 0), f"radii must not be negative, got {radius!r}"
    )
    require(sigma >= LEAST_SIGMA, f"sigma must be at least {LEAST_SIGMA:.2g}, got {sigma!r}")
    shift = float(radius * sensitivity / (sigma * DRAWN_SHARE) * (1 + 8 * EPSILON))
    require(
        shift <= MOST_SHIFT,
        f"radii must be at most {MOST_SHIFT:g} sigma, {MOST_SHIFT * sigma / sensitivity:g} here, "
        f"got {radius!r}",
    )
    return shift


def bound_excess(coefficients: Floats, target: ShareTarget, tolerance: float = 0.0) -> float:
    """Return a proved E >= 0 with E c_S <= target(p) + E for every p in [0, 1].

    Intervals are halved until E is within the tolerance of an excess that is reached. Where that
    stops depends on floats; that E is an upper bound does not. With tolerance 0 the answer is 0
    if the inequality could be proved as it stands.
    """
    size = float(np.abs(coefficients).max())
    require(
        size <= MOST_COEFFICIENT,
        f"coefficients must be at most {MOST_COEFFICIENT:g} in size, got {size}",
    )
    rows = np.ceil(np.asarray(coefficients) * UNIT).astype(np.int64)[None]
    degree = rows.shape[1] - 1
    steps = np.arange(degree + 1, dtype=np.int64)
    places, proved, enough = np.zeros(1, np.int64), 0, tolerance * UNIT
    for depth in range(DEPTH + 1):
        left: Floats = places * np.float64(2.0**-depth)
        right: Floats = (places + 1) * np.float64(2.0**-depth)
        low, high = (np.floor(end * UNIT).astype(np.int64) for end in target.line(left, right))
        line = (low[:, None] * steps[::-1] + high[:, None] * steps) // degree
        upper = (rows - line).max(axis=1)
        ends = rows[:, 0] - target.value(left) * UNIT, rows[:, -1] - target.value(right) * UNIT
        enough = max(enough, float(np.max(ends)) + tolerance * UNIT)
        open_ = upper > enough
        if depth == DEPTH or open_.sum() > MOST_INTERVALS:
            open_[:] = False
        proved = max(proved, int(upper[~open_].max(initial=0)))
        if not open_.any():
            break
        places = np.repeat(2 * places[open_], 2)
        places[1::2] += 1
        rows = halve_intervals(rows[open_])
    return proved / UNIT


def halve_intervals(rows: Ints) -> Ints:
    """Return the Bernstein coefficients on both halves of each interval, none below the true one.

    The halves of an interval follow each other.
    """
    degree = rows.shape[1] - 1
    out = np.empty((len(rows), 2, degree + 1), np.int64)
    out[:, 0, 0], out[:, 1, degree] = rows[:, 0], rows[:, -1]
    for step in range(1, degree + 1):
        rows = (rows[:, :-1] + rows[:, 1:] + 1) >> 1
        out[:, 0, step], out[:, 1, degree - step] = rows[:, 0], rows[:, -1]
    return out.reshape(-1, degree + 1)
