"""Compare runs on different inputs, and correct p-values for the number of comparisons.

Nothing here pairs inputs: each run is a sample of its own. Two runs may still share some inputs,
and then they are no independent samples. So the interval of a difference is made of the exact
limits of both runs, each at half the error, which holds whatever they share (Bonferroni), and
`unpaired_p_value` is the test that belongs to it. Where no input is shared, Fisher's exact test
takes its place. As everywhere in this room, all is about the choice of inputs, not about alpha.

`holm_adjust` corrects the p-values of a table for their number, whatever their dependence.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, bdtrc

from simplicert.errors import require
from simplicert.metrics.averages import Mean, average_radius, certified_accuracy
from simplicert.metrics.intervals import CONFIDENCE, Rate, check_finite, rate_limits
from simplicert.metrics.pairing import RESAMPLES, bootstrap_mean_interval, correct_radii
from simplicert.types import Certificates, Floats

HALVINGS = 100  # of the interval that holds the common share

FISHER, LIMITS = "Fisher's exact test", "exact limits of both runs, each at half the error"


@dataclass(frozen=True)
class UnpairedChange:
    """Certified accuracy of two runs at one radius, each over its own inputs.

    >>> import simplicert as sc
    >>> few = sc.certify(sc.bound(sc.Tally([[40, 35, 25]] * 6, sigma=0.5, labels=[0] * 6)))
    >>> more = sc.certify(sc.bound(sc.Tally([[90, 8, 2]] * 8, sigma=0.5, labels=[0] * 8)))
    >>> change = sc.metrics.unpaired_test(few, more, radius=0.1)
    >>> change.difference, round(change.low, 2), round(change.p, 3)
    (1.0, 0.06, 0.033)
    """

    at: float
    first: Rate
    second: Rate
    low: float  # of the difference
    high: float
    p: float  # two-sided
    test: str  # which one it is

    @property
    def difference(self) -> float:
        """Second minus first share, each of its own inputs."""
        return self.second.value - self.first.value


@dataclass(frozen=True)
class UnpairedAverage:
    """The average certified radius of two runs, each over its own inputs.

    >>> import simplicert as sc
    >>> few = sc.certify(sc.bound(sc.Tally([[40, 35, 25]] * 6, sigma=0.5, labels=[0] * 6)))
    >>> more = sc.certify(sc.bound(sc.Tally([[90, 8, 2]] * 8, sigma=0.5, labels=[0] * 8)))
    >>> round(sc.metrics.unpaired_average(few, more).difference, 3)
    0.384
    """

    first: Mean
    second: Mean
    low: float  # of the difference
    high: float
    resamples: int
    seed: int

    @property
    def difference(self) -> float:
        """Second minus first mean."""
        return self.second.value - self.first.value


def unpaired_test(
    first: Certificates,
    second: Certificates,
    radius: float,
    column: str = "radius",
    *,
    inclusive: bool = False,
    disjoint: bool = False,
    confidence: float = CONFIDENCE,
) -> UnpairedChange:
    """Compare certified accuracy at one radius without pairing inputs.

    `disjoint` says that no input is in both runs: then they are independent samples, and the test
    is Fisher's. The interval holds in either case.

    >>> import simplicert as sc
    >>> few = sc.certify(sc.bound(sc.Tally([[40, 35, 25]] * 6, sigma=0.5, labels=[0] * 6)))
    >>> more = sc.certify(sc.bound(sc.Tally([[90, 8, 2]] * 8, sigma=0.5, labels=[0] * 8)))
    >>> round(sc.metrics.unpaired_test(few, more, radius=0.1, disjoint=True).p, 5)
    0.00033
    """
    one, two = (
        certified_accuracy(side, radius, column, inclusive=inclusive) for side in (first, second)
    )
    half = (1 + confidence) / 2
    (low, high), (low_too, high_too) = (
        rate_limits(np.array(side.hits), side.total, half) for side in (one, two)
    )
    p = fisher_p_value(one, two) if disjoint else unpaired_p_value(one, two)
    return UnpairedChange(
        float(radius),
        one,
        two,
        float(low_too - high),
        float(high_too - low),
        p,
        FISHER if disjoint else LIMITS,
    )


def unpaired_average(
    first: Certificates,
    second: Certificates,
    column: str = "radius",
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    confidence: float = CONFIDENCE,
) -> UnpairedAverage:
    """Compare average certified radii without pairing inputs.

    Each mean has a bootstrap interval at half the error, so that the interval of the difference
    holds whatever inputs the runs share.

    >>> import simplicert as sc
    >>> few = sc.certify(sc.bound(sc.Tally([[40, 35, 25]] * 6, sigma=0.5, labels=[0] * 6)))
    >>> more = sc.certify(sc.bound(sc.Tally([[90, 8, 2]] * 8, sigma=0.5, labels=[0] * 8)))
    >>> round(sc.metrics.unpaired_average(few, more).low, 3)  # no radius differs from another
    0.384
    """
    half = (1 + confidence) / 2
    (low, high), (low_too, high_too) = (
        bootstrap_mean_interval(correct_radii(side, column), resamples, seed, half)
        for side in (first, second)
    )
    return UnpairedAverage(
        average_radius(first, column),
        average_radius(second, column),
        low_too - high,
        high_too - low,
        resamples,
        seed,
    )


def unpaired_p_value(first: Rate, second: Rate) -> float:
    """Return a two-sided p-value of equal shares that holds whatever inputs the runs share.

    If both shares are q, one of four tails is at most t with probability at most 4 t: that the
    first run has so few hits, or so many, or the second. The p-value is four times the larger of
    the two tails that point apart, at the q where they meet. Every q gives a larger one, so that
    stopping the search early errs on the safe side.
    """
    fewer, more = sorted((first, second), key=lambda rate: rate.hits / rate.total)
    if fewer.hits * more.total == more.hits * fewer.total:
        return 1.0
    low, high = fewer.hits / fewer.total, more.hits / more.total
    best = 1.0
    for _ in range(HALVINGS):
        share = (low + high) / 2
        under = float(bdtr(fewer.hits, fewer.total, share))
        over = float(bdtrc(more.hits - 1, more.total, share)) if more.hits else 1.0
        best = min(best, max(under, over))
        low, high = (share, high) if under > over else (low, share)
    return min(1.0, 4 * best)


def fisher_p_value(first: Rate, second: Rate) -> float:
    """Return the two-sided p-value of Fisher's exact test, for runs that share no input."""
    from scipy import stats  # takes half a second to import, so only where it is needed

    table = [[side.hits, side.total - side.hits] for side in (first, second)]
    return min(1.0, float(stats.fisher_exact(table).pvalue))


def holm_adjust(p: ArrayLike) -> Floats:
    """Return p-values corrected for their number by Holm's steps (1979).

    Whoever calls those at most 0.05 significant errs in any of them with probability at most 0.05,
    whatever the dependence between the tests.

    >>> import simplicert as sc
    >>> sc.metrics.holm_adjust([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    values = check_finite("p", p, (None,))
    require(bool(((values >= 0) & (values <= 1)).all()), f"p must lie in [0, 1], got {p!r:.80}")
    order = np.argsort(values, kind="stable")
    steps = values[order] * np.arange(len(values), 0, -1)
    out = np.empty(len(values))
    out[order] = np.minimum(np.maximum.accumulate(steps), 1.0) if len(values) else steps
    return out
