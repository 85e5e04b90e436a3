"""The radius from the whole distribution of scores, not only their means (Kumar et al. 2020)."""

import numpy as np
from scipy.special import ndtr

from simplicert.mechanisms.quantile import normal_quantile
from simplicert.search import find_last_below
from simplicert.types import Floats
from simplicert.types.scores import mean_over_bins

FARTHEST = 40.0  # beyond it Phi is 0 in floating point

STEPS = 50  # halvings of [0, FARTHEST]: 4e-14

# The two means below are off by less than 1e-13 together: ndtr, its argument (18 units in the last
# place of a quantile), 160 widths and their sum. One draw's scores sum to 1 to K such units.
ERROR = 1e-12

ROWS = 2048  # inputs searched together, so that memory stays modest


def radius(lower: Floats, upper: Floats) -> Floats:
    """L / sigma from bounds on P(score >= t): of the top class (N, B), of its rivals (N, R, B).

    Each level set of a score obeys Cohen's bound, so at distance d the top class has a mean score
    of at least the integral of Phi(Phi^{-1}(P_A(t)) - d), a rival at most that of
    Phi(Phi^{-1}(P_j(t)) + d), and at most what the top class leaves. The radius is the largest d
    that was checked to keep them apart.
    """
    out = np.empty(len(lower))
    for start in range(0, len(out), ROWS):
        block = slice(start, start + ROWS)
        out[block] = _largest_separation(
            normal_quantile(lower[block]), normal_quantile(upper[block])
        )
    return out


def _largest_separation(top: Floats, rivals: Floats) -> Floats:
    """Find (N,) the largest distance at which the top class is ahead of every rival."""

    def overlap(d: Floats) -> Floats:
        own = mean_over_bins(ndtr(top - d[:, None]))
        best = mean_over_bins(ndtr(rivals + d[:, None, None])).max(axis=1)
        return np.asarray(np.minimum(best, 1 - own) - own)

    near, far = np.zeros(len(top)), np.full(len(top), FARTHEST)
    return find_last_below(overlap, np.full(len(top), -ERROR), near, far, STEPS)
