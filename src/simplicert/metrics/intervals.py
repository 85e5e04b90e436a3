"""Shares of a population of inputs, each with a confidence interval.

The interval is about the choice of inputs: it says where the share among all inputs like these may
lie, if these were drawn independently (for the correct ones: given how many there are). It says
nothing about alpha: a certificate may be wrong with the probability that its own scheme states, and
that probability is not part of the interval.

`population_share` gives one share and `rate_curve` one at each of many thresholds, both with
Clopper-Pearson limits. `shares_under_noise` estimates how often each input's own class and its
strongest rival occur under noise: these are estimates, not bounds, and promise nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from simplicert.bounds import binomial
from simplicert.bounds.box import largest_other
from simplicert.errors import choose, require
from simplicert.types import Bools, Certificates, Floats, Ints, Tally
from simplicert.types.arrays import float_array

CONFIDENCE = 0.95

POPULATIONS: dict[str, Callable[[Certificates], Bools]] = {
    "all": lambda certificates: np.ones(len(certificates), bool),
    "correct": lambda certificates: certificates.correct,
}


@dataclass(frozen=True)
class Rate:
    """A share of inputs and its interval: low <= value = hits / total <= high.

    >>> import simplicert as sc
    >>> counts = [[990, 8, 2], [900, 80, 20], [40, 35, 25]]
    >>> certificates = sc.certify(sc.bound(sc.Tally(counts, sigma=0.5, labels=[0, 1, 0])))
    >>> rate = sc.metrics.abstention_rate(certificates)
    >>> rate.hits, rate.total, round(rate.low, 3), round(rate.high, 3)
    (1, 3, 0.008, 0.906)
    """

    value: float
    low: float
    high: float
    hits: int
    total: int


@dataclass(frozen=True, eq=False)
class RateCurve:
    """A rate at each of R thresholds, over the same `total` inputs.

    Each interval holds at its own threshold: they are not a band around the whole curve.

    >>> import simplicert as sc
    >>> counts = [[990, 8, 2], [900, 80, 20], [40, 35, 25]]
    >>> certificates = sc.certify(sc.bound(sc.Tally(counts, sigma=0.5, labels=[0, 1, 0])))
    >>> curve = sc.metrics.accuracy_curve(certificates, [0, 0.5, 1])
    >>> curve.at, curve.value.round(3), curve.high.round(3)
    (array([0. , 0.5, 1. ]), array([0.333, 0.333, 0.   ]), array([0.906, 0.906, 0.708]))
    """

    at: Floats  # (R,)
    value: Floats  # (R,)
    low: Floats  # (R,)
    high: Floats  # (R,)
    hits: Ints  # (R,)
    total: int


class NoisyShares(NamedTuple):
    """Shares of each input's draws: p_A of class A, and p_B of its strongest rival.

    >>> import simplicert as sc
    >>> shares = sc.metrics.shares_under_noise(sc.Tally([[990, 8, 2], [40, 35, 25]], sigma=0.5))
    >>> shares.a, shares.b, shares.labelled
    (array([0.99, 0.4 ]), array([0.008, 0.35 ]), False)
    """

    a: Floats  # (N,)
    b: Floats  # (N,)
    labelled: bool  # True: A is the label; False: A is the most frequent class


def population_mask(certificates: Certificates, population: str) -> Bools:
    """Return (N,) which inputs belong to a population, "all" or "correct"; refuse an empty one.

    "correct" holds the inputs certified as the class of their label.
    """
    mask = choose("population", population, POPULATIONS)(certificates)
    require(
        bool(mask.any()),
        f"population {population!r} is empty: it holds none of the {len(certificates)} inputs, "
        "and nothing can be said of none",
    )
    return mask


def population_share(
    certificates: Certificates, hit: Bools, population: str, confidence: float
) -> Rate:
    """Return the share of a population's inputs that `hit` (N,) marks."""
    mask = population_mask(certificates, population)
    hits, total = int((hit & mask).sum()), int(mask.sum())
    low, high = rate_limits(np.array(hits), total, confidence)
    return Rate(hits / total, float(low), float(high), hits, total)


def rate_curve(
    values: Floats, at: Floats, total: int, confidence: float, *, inclusive: bool
) -> RateCurve:
    """Return the share of `total` inputs above each threshold (`inclusive`: or equal to it).

    `values` may be fewer than `total`: an input that is left out is never a hit.
    """
    hits = count_above(values, at, inclusive=inclusive)
    low, high = rate_limits(hits, total, confidence)
    return RateCurve(at, hits / total, low, high, hits, total)


def count_above(values: Floats, at: Floats, *, inclusive: bool) -> Ints:
    """Count the values above each threshold (`inclusive`: or equal to it)."""
    # Sorted once, each threshold costs a binary search instead of a pass over all inputs.
    not_hit = np.searchsorted(np.sort(values), at, side="left" if inclusive else "right")
    return np.asarray(len(values) - not_hit, dtype=np.int64)


def rate_limits(hits: Ints, total: int, confidence: float) -> tuple[Floats, Floats]:
    """Return two-sided Clopper-Pearson limits of a rate, half of 1 - confidence for each side."""
    require(0 < confidence < 1, f"confidence must lie strictly between 0 and 1, got {confidence}")
    draws, tail = np.array(total), np.array((1 - confidence) / 2)
    low, _ = binomial.clopper_pearson_lower(hits, draws, tail)
    return low, binomial.clopper_pearson_upper(hits, draws, tail)


def check_finite(name: str, values: ArrayLike, shape: tuple[int | None, ...]) -> Floats:
    """Return thresholds as an array of finite numbers of the given shape (None: any length)."""
    numbers = float_array(name, values, shape)
    require(bool(np.isfinite(numbers).all()), f"{name} must be finite, got {values!r:.80}")
    return numbers


def shares_under_noise(tally: Tally) -> NoisyShares:
    """Estimate p_A and p_B by the class counts; A is the label where there are labels.

    p_A is then the accuracy of the base classifier on noisy copies of the input, whose
    distribution Sun et al. 2025 (arXiv 2410.06895) recommend in place of the average radius, and
    p_A < p_B where the smoothed classifier is wrong. Without labels A is the most frequent class.
    Draws without a class count as a rival like any other.

    >>> import simplicert as sc
    >>> tally = sc.Tally([[990, 8, 2], [400, 350, 250]], sigma=0.5, labels=[0, 1])
    >>> shares = sc.metrics.shares_under_noise(tally)
    >>> shares.a - shares.b
    array([ 0.982, -0.05 ])
    """
    chosen = tally.labels if tally.labels is not None else tally.counts.argmax(axis=1)
    cells = np.column_stack([tally.counts, tally.invalid])
    own = cells[np.arange(len(cells)), chosen]
    rival = largest_other(cells, chosen)
    return NoisyShares(own / tally.draws, rival / tally.draws, tally.labels is not None)
