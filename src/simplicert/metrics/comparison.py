"""Measure how much one column of radii improves on another, input by input.

`column` is compared with the base, `over`; both are names of `Certificates.column`. By default
this is the paper's comparison: its ensemble over one-sided Cohen, of another kind or noise over the
first member of its ensemble (`base_column`).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from simplicert.mechanisms.threats import ensemble_members
from simplicert.metrics.intervals import (
    CONFIDENCE,
    Rate,
    RateCurve,
    check_finite,
    population_mask,
    population_share,
    rate_curve,
)
from simplicert.types import Certificates, Floats

ROUNDING_TOLERANCE = 1e-12  # of a radius: differences below it are rounding


@dataclass(frozen=True)
class Improvement:
    """Column minus base over a population, in units of the input; paper tab. (results_tab).

    A percentage needs a base above 0, so it is taken over the `with_base` inputs that have one, as
    are the absolute numbers called `_with_base`; all are None where there is no such input.
    `from_nothing` inputs have base 0 and a column above 0, an infinite percentage; the rest have 0
    for both.

    >>> import simplicert as sc
    >>> counts = [[990, 8, 2], [900, 80, 20], [40, 35, 25]]
    >>> certificates = sc.certify(sc.bound(sc.Tally(counts, sigma=0.5, labels=[0, 1, 0])))
    >>> gain = sc.metrics.measure_improvement(certificates, "two_sided", over="cohen")
    >>> gain.improved.hits, round(gain.mean_percent, 1), gain.with_base
    (2, 3.2, 2)
    """

    improved: Rate  # strictly larger
    median: float
    mean: float
    with_base: int
    median_with_base: float | None
    mean_with_base: float | None
    median_percent: float | None
    mean_percent: float | None
    from_nothing: int


@dataclass(frozen=True)
class Wilcoxon:
    """Result of the signed-rank test on `pairs` differences, of which `zeros` are exactly 0.

    >>> import simplicert as sc
    >>> counts = [[990, 8, 2], [900, 80, 20], [40, 35, 25]]
    >>> certificates = sc.certify(sc.bound(sc.Tally(counts, sigma=0.5, labels=[0, 1, 0])))
    >>> test = sc.metrics.wilcoxon_test(certificates, "two_sided", over="cohen")
    >>> test.p, test.pairs, test.zeros
    (0.25, 3, 1)
    """

    statistic: float  # W+, the sum of the ranks of the positive differences
    p: float
    pairs: int
    zeros: int


def measure_improvement(
    certificates: Certificates,
    column: str = "ensemble",
    over: str | None = None,
    *,
    population: str = "all",
    confidence: float = CONFIDENCE,
) -> Improvement:
    """Return the proportion improved, and the median and mean difference, also in percent.

    The paper leaves out L_Cohen = 0 from its means. It does not say whether it also does so in its
    absolute medians, so both are given.

    >>> import simplicert as sc
    >>> counts = [[600, 150, 150, 100], [450, 200, 200, 150], [990, 4, 3, 3]]
    >>> certificates = sc.certify(sc.bound(sc.Tally(counts, sigma=0.5)))
    >>> gain = sc.metrics.measure_improvement(certificates)
    >>> gain.improved.hits, gain.improved.total, gain.from_nothing, round(gain.mean, 3)
    (2, 3, 1, 0.096)
    """
    mask = population_mask(certificates, population)
    new, base = read_column_pair(certificates, column, over)
    gain, gain_with_base = (new - base)[mask], (new - base)[mask & (base > 0)]
    percent = percent_gain(new, base)[mask & (base > 0)]
    return Improvement(
        improved=population_share(certificates, new > base, population, confidence),
        median=float(np.median(gain)),
        mean=float(gain.mean()),
        with_base=len(percent),
        median_with_base=float(np.median(gain_with_base)) if len(percent) else None,
        mean_with_base=float(gain_with_base.mean()) if len(percent) else None,
        median_percent=float(np.median(percent)) if len(percent) else None,
        mean_percent=float(percent.mean()) if len(percent) else None,
        from_nothing=int((mask & (base == 0) & (new > 0)).sum()),
    )


def improvement_curve(
    certificates: Certificates,
    percents: ArrayLike,
    column: str = "ensemble",
    over: str | None = None,
    *,
    population: str = "all",
    confidence: float = CONFIDENCE,
) -> RateCurve:
    """Share improved by more than each percentage; paper fig. (Differential_Performance).

    From a base of 0, any radius above 0 is an infinite improvement, and a radius of 0 is none.

    >>> import simplicert as sc
    >>> counts = [[990, 8, 2], [900, 80, 20], [40, 35, 25]]
    >>> certificates = sc.certify(sc.bound(sc.Tally(counts, sigma=0.5, labels=[0, 1, 0])))
    >>> sc.metrics.improvement_curve(certificates, [0, 2, 10], "two_sided").hits
    array([2, 1, 0])
    """
    at = check_finite("percents", percents, (None,))
    mask = population_mask(certificates, population)
    gains = percent_gain(*read_column_pair(certificates, column, over))[mask]
    return rate_curve(gains, at, len(gains), confidence, inclusive=False)


def wilcoxon_test(
    certificates: Certificates,
    column: str = "ensemble",
    over: str | None = None,
    *,
    population: str = "all",
) -> Wilcoxon:
    """Wilcoxon's signed-rank test that column exceeds base, zeros by Pratt; paper (results_tab).

    The test is one-sided, with statistic W+. In a two-sided test scipy reports the smaller of W+
    and W-, which is 0 for an ensemble and its member, and not the paper's "> 10^4". Such a p is
    small by construction, as an ensemble is never below its member. Without any difference, p = 1
    and the statistic is 0.

    >>> import simplicert as sc
    >>> counts = [[990, 8, 2], [900, 80, 20], [40, 35, 25]]
    >>> certificates = sc.certify(sc.bound(sc.Tally(counts, sigma=0.5, labels=[0, 1, 0])))
    >>> test = sc.metrics.wilcoxon_test(certificates, "two_sided", over="li")
    >>> test.statistic, test.p
    (5.0, 0.25)
    """
    mask = population_mask(certificates, population)
    new, base = read_column_pair(certificates, column, over)
    gain = (new - base)[mask]
    pairs, zeros = len(gain), int((gain == 0).sum())
    if pairs == zeros:  # scipy divides by zero here
        return Wilcoxon(0.0, 1.0, pairs, zeros)
    from scipy import stats  # takes half a second to import, so only where it is needed

    result = stats.wilcoxon(gain, zero_method="pratt", alternative="greater")
    return Wilcoxon(float(result.statistic), float(result.pvalue), pairs, zeros)


def base_column(certificates: Certificates) -> str:
    """Return what radii are compared with: the ensemble's first member, Cohen in the paper."""
    return ensemble_members(certificates.known)[0]


def read_column_pair(
    certificates: Certificates, column: str, over: str | None = None
) -> tuple[Floats, Floats]:
    """Return both columns, made equal where they differ by rounding only."""
    over = base_column(certificates) if over is None else over
    new, base = certificates.column(column), certificates.column(over)
    return np.where(np.abs(new - base) <= ROUNDING_TOLERANCE * base, base, new), base


def percent_gain(new: Floats, base: Floats) -> Floats:
    """100 (new - base) / base; where the base is 0: infinite if new > 0, else 0."""
    out = np.where(new > 0, np.inf, 0.0)
    with np.errstate(over="ignore"):  # what overflows is infinite too
        np.divide(100 * (new - base), base, out=out, where=base > 0)
    return out
