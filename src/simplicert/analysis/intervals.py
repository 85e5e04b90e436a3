"""Shares of a population of inputs, each with an interval.

The interval is over the choice of inputs: where the share among all inputs like these may lie, had
these been drawn independently (for the correct ones: given how many there are). It says nothing of
alpha: a certificate may be wrong with the probability that its own scheme states, and that is not
in it.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from simplicert.bounds.limits import clopper_pearson
from simplicert.errors import choose, require
from simplicert.types import Bools, Certificates, Floats, Ints
from simplicert.types.arrays import real_numbers

CONFIDENCE = 0.95

POPULATIONS: dict[str, Callable[[Certificates], Bools]] = {
    "all": lambda certificates: np.ones(len(certificates), bool),
    "correct": lambda certificates: certificates.correct,
}


@dataclass(frozen=True)
class Rate:
    """`hits` of `total` inputs; low <= value = hits / total <= high."""

    value: float
    low: float
    high: float
    hits: int
    total: int


@dataclass(frozen=True, eq=False)
class Curve:
    """A rate at each of R thresholds, all over the same `total` inputs.

    Each interval holds at its own threshold: they are not a band around the whole curve.
    """

    at: Floats  # (R,)
    value: Floats  # (R,)
    low: Floats  # (R,)
    high: Floats  # (R,)
    hits: Ints  # (R,)
    total: int


def members(certificates: Certificates, population: str) -> Bools:
    """(N,) the inputs of a population, "all" or "correct"; an empty one is refused.

    "correct" holds the inputs certified as the class of their label.
    """
    mask = choose("population", population, POPULATIONS)(certificates)
    require(
        bool(mask.any()),
        f"population {population!r} is empty: it holds none of the {len(certificates)} inputs, "
        "and nothing can be said of none",
    )
    return mask


def share(certificates: Certificates, hit: Bools, population: str, confidence: float) -> Rate:
    """The share of a population's inputs that `hit` (N,) marks."""
    mask = members(certificates, population)
    hits, total = int((hit & mask).sum()), int(mask.sum())
    low, high = limits(np.array(hits), total, confidence)
    return Rate(hits / total, float(low), float(high), hits, total)


def curve(values: Floats, at: Floats, total: int, confidence: float, *, inclusive: bool) -> Curve:
    """The share of `total` inputs whose value is above each threshold (`inclusive`: or equal).

    `values` may be fewer than `total`: an input left out of them is never a hit.
    """
    # Sorted once, each threshold costs a binary search instead of a pass over all inputs.
    not_hit = np.searchsorted(np.sort(values), at, side="left" if inclusive else "right")
    hits = np.asarray(len(values) - not_hit, dtype=np.int64)
    low, high = limits(hits, total, confidence)
    return Curve(at, hits / total, low, high, hits, total)


def limits(hits: Ints, total: int, confidence: float) -> tuple[Floats, Floats]:
    """Two-sided Clopper-Pearson limits of a rate, half of 1 - confidence for each side."""
    require(0 < confidence < 1, f"confidence must lie strictly between 0 and 1, got {confidence}")
    draws, tail = np.array(total), np.array((1 - confidence) / 2)
    low, _ = clopper_pearson.lower(hits, draws, tail)
    return low, clopper_pearson.upper(hits, draws, tail)


def finite(name: str, values: ArrayLike, shape: tuple[int | None, ...]) -> Floats:
    """Thresholds as finite numbers of the given shape (None: any length)."""
    numbers = real_numbers(name, values, shape)
    require(bool(np.isfinite(numbers).all()), f"{name} must be finite, got {values!r:.80}")
    return numbers
