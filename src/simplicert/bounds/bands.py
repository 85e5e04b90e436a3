"""Turn score histograms into bounds on the distribution of scores (docs/softmax.md, section 3).

One design, fixed before any draw: an exact Clopper-Pearson limit at each of the thresholds, all at
the same share of the tail. A uniform band (Dvoretzky-Kiefer-Wolfowitz) was a tenth narrower in the
middle and many times wider at the ends, where most scores lie.
"""

from collections.abc import Callable

import numpy as np

from simplicert.bounds import binomial
from simplicert.search import find_last_below
from simplicert.types import Floats, Ints
from simplicert.types.scores import mean_over_bins

ROUNDING = 1e-14  # error of a mean over the bins: 160 products and their sum


def top_band(histograms: Ints, draws: Ints, tail: Floats, e0: Floats) -> Floats:
    """Bound P(score >= t) of the top class, whose mean is at least E_0, from below: (N, bins).

    Within a bin the probability is at least that of its right end. `histograms` is all zero where
    the top class has none: then E_0 is all that is known.
    """
    limits = _limit_distinct_counts(
        lambda x, n, a: binomial.clopper_pearson_lower(x, n, a)[0],
        count_at_thresholds(histograms),
        draws,
        tail / (histograms.shape[1] - 1),
    )
    band = np.pad(limits, ((0, 0), (0, 1)))
    return np.maximum(band, find_level_below(band, e0)[:, None])


def rival_band(histograms: Ints, draws: Ints, tail: Floats, mean: Floats) -> Floats:
    """Bound P(score >= t) of a rival, whose mean is at most `mean`, from above: (N, bins).

    Within a bin the probability is at most that of its left end.
    """
    limits = _limit_distinct_counts(
        binomial.clopper_pearson_upper,
        count_at_thresholds(histograms),
        draws,
        tail / (histograms.shape[1] - 1),
    )
    band = np.pad(limits, ((0, 0), (1, 0)), constant_values=1.0)
    return np.minimum(band, find_level_above(band, mean)[:, None])


def count_at_thresholds(histograms: Ints) -> Ints:
    """Count (N, bins - 1) the draws whose score was at least each threshold."""
    return np.cumsum(histograms[:, :0:-1], axis=1)[:, ::-1]


def find_level_below(band: Floats, mean: Floats) -> Floats:
    """Find (N,) the largest level whose maximum with the band has at most this mean; else 0.

    The band raised to that level is the worst case: of all distributions above the band with this
    mean it has the least integral of every increasing convex function.
    """

    def raised(level: Floats) -> Floats:
        return mean_over_bins(np.maximum(band, level[:, None]))

    return find_last_below(raised, mean - ROUNDING, np.zeros(len(band)), np.ones(len(band)))


def find_level_above(band: Floats, mean: Floats) -> Floats:
    """Find (N,) the least level whose minimum with the band has at least this mean; else 1.

    The band lowered to that level is the worst case for every increasing concave function.
    """

    def lowered(gap: Floats) -> Floats:
        return -mean_over_bins(np.minimum(band, 1 - gap[:, None]))

    gap = find_last_below(lowered, -(mean + ROUNDING), np.zeros(len(band)), np.ones(len(band)))
    return np.nextafter(1 - gap, 2.0)


def _limit_distinct_counts(
    limit: Callable[[Ints, Ints, Floats], Floats], counts: Ints, draws: Ints, tail: Floats
) -> Floats:
    """Compute the limit of each count, once for equal ones: most counts are 0 or all draws."""
    out = np.empty(counts.shape)
    settings, group = np.unique(np.column_stack([draws, tail]), axis=0, return_inverse=True)
    for number, (n, a) in enumerate(settings):
        rows = group.ravel() == number
        values, back = np.unique(counts[rows], return_inverse=True)
        out[rows] = limit(values, np.array(n, np.int64), a)[back.reshape(counts[rows].shape)]
    return out
