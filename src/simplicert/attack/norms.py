"""Steer in a ball of l2, l1 or linf: lengths, projections, and directions of steepest ascent.

One row per norm. Only `measure` is ever reported: it gets changes that were rounded up, and rounds
up itself. Everything else steers, and may be off by rounding.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from simplicert.types import Floats

HUGE = 1e150  # changes whose squares would overflow are as good as infinite

NEAR_STEEPEST = 0.9  # of the largest slope: features this steep share a step in l1


@dataclass(frozen=True)
class BallNorm:
    """A norm, as a search needs it."""

    measure: Callable[[Floats], float]  # changes, not negative -> their norm, rounded up
    length: Callable[[Floats], float]
    project: Callable[[Floats, float], Floats]  # the nearest offset within a radius
    steepest: Callable[[Floats], Floats]  # slopes, the largest 1 -> direction of length 1
    random: Callable[[np.random.Generator, Floats], Floats]  # shares of the noise -> the same


def round_up_changes(size: Floats, values: Floats) -> Floats:
    """Round values up a step where the size is not 0, to be above what exact arithmetic gives."""
    return np.where(size > 0, np.nextafter(values, np.inf), 0.0)


def _measure_l2(size: Floats) -> float:
    if not size.max(initial=0.0) < HUGE:
        return math.inf
    total = math.fsum(round_up_changes(size, size * size).ravel().tolist())
    if total == 0:
        return 0.0
    return math.nextafter(math.sqrt(math.nextafter(total, math.inf)), math.inf)


def _measure_l1(size: Floats) -> float:
    if not size.max(initial=0.0) < HUGE:
        return math.inf
    total = math.fsum(size.ravel().tolist())  # the exact sum, rounded once
    return 0.0 if total == 0 else math.nextafter(total, math.inf)


def _measure_linf(size: Floats) -> float:
    return float(size.max(initial=0.0))


def offset_length(offset: Floats) -> float:
    """Return the plain norm of an offset, for steering; only `Ball.norm` is ever reported."""
    return float(np.linalg.norm(offset.ravel()))


def project_offset(offset: Floats, radius: float) -> Floats:
    """Shorten an offset to the radius where it is longer."""
    far = offset_length(offset)
    return offset if far <= radius else offset * (radius / far)


def _length_l1(offset: Floats) -> float:
    return float(np.abs(offset).sum())


def _length_linf(offset: Floats) -> float:
    return float(np.abs(offset).max(initial=0.0))


def _project_l1(offset: Floats, radius: float) -> Floats:
    """Shrink every feature by the same amount, those that are smaller to 0 (soft threshold)."""
    size = np.abs(offset).ravel()
    if size.sum() <= radius:
        return offset
    falling = np.sort(size)[::-1]
    over = (np.cumsum(falling) - radius) / np.arange(1, size.size + 1)
    amount = over[np.flatnonzero(falling > over)[-1]]
    return np.asarray(np.sign(offset) * np.maximum(np.abs(offset) - amount, 0.0))


def _project_linf(offset: Floats, radius: float) -> Floats:
    return np.clip(offset, -radius, radius)


def _steepest_l2(slopes: Floats) -> Floats:
    return np.asarray(slopes / offset_length(slopes))


def _steepest_l1(slopes: Floats) -> Floats:
    """Go along the steepest feature; those almost as steep have a share in it."""
    size = np.abs(slopes)
    kept = np.where(size >= NEAR_STEEPEST * size.max(), slopes, 0.0)
    return np.asarray(kept / _length_l1(kept))


def _random_l2(random: np.random.Generator, shares: Floats) -> Floats:
    drawn = np.where(shares > 0, random.standard_normal(shares.shape), 0.0)
    return np.asarray(drawn / np.linalg.norm(drawn.ravel()))


def _random_l1(random: np.random.Generator, shares: Floats) -> Floats:
    """Choose one feature, up or down: a corner of the ball."""
    out = np.zeros(shares.shape)
    out.flat[random.choice(np.flatnonzero(shares > 0))] = random.choice((-1.0, 1.0))
    return out


def _random_linf(random: np.random.Generator, shares: Floats) -> Floats:
    """Choose up or down for every feature: a corner of the ball."""
    return np.where(shares > 0, random.choice((-1.0, 1.0), shares.shape), 0.0)


NORMS: dict[str, BallNorm] = {
    "l2": BallNorm(_measure_l2, offset_length, project_offset, _steepest_l2, _random_l2),
    "l1": BallNorm(_measure_l1, _length_l1, _project_l1, _steepest_l1, _random_l1),
    "linf": BallNorm(_measure_linf, _length_linf, _project_linf, np.sign, _random_linf),
}
