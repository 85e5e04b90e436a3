"""Tabulate the scores by which outcomes are ordered, from a few of them.

A score is Phi^{-1} of the Clopper-Pearson lower limit of a count (bounds/joint/tail.py). As a
function of the angle arcsin sqrt(k / n) it is nearly a straight line, and smooth but for the ends:
a polynomial through the Chebyshev points of a window has all the digits needed. Scores only order
outcomes, and outcomes whose scores differ by less than `SLACK` count as equally good.
"""

from functools import cache
from math import asin, ceil, log, pi, sqrt

import numpy as np
from numpy.polynomial.chebyshev import chebval
from scipy.special import betainccinv, betaincinv, ndtri

from simplicert.bounds.joint.tail import CountRange, ScoreTable, lower_limit_score
from simplicert.types import Floats

SLACK = 1e-9  # by which scores may be off: ten times the worst error seen

DIRECT = 16  # counts from either end that are computed one by one

ACCURACY = log(1e10)  # of the polynomial, by the size of the ellipse where scores are smooth

FEWEST, MOST = 6, 40  # points of a polynomial


def chebyshev_scores(window: CountRange, draws: int, tail: float) -> Floats:
    """Return the scores of consecutive counts."""
    first, last = window
    low, high = max(first, DIRECT), min(last, draws - DIRECT)
    points = count_points(low, high, draws)
    if high - low < 2 * points:
        return lower_limit_score(np.arange(first, last + 1), draws, tail)
    inside = _fit_scores(low, high, points, draws, tail)
    if (low, high) == window:
        return inside
    ends = np.concatenate([np.arange(first, low), np.arange(high + 1, last + 1)])
    known = lower_limit_score(ends, draws, tail)
    return np.concatenate([known[: low - first], inside, known[low - first :]])


def count_points(low: int, high: int, draws: int) -> int:
    """Return how many points a polynomial needs between two counts, by the ends' distance."""
    if high <= low:
        return MOST
    left, right = _angle(low, draws), _angle(high, draws)
    half, middle = (right - left) / 2, (right + left) / 2
    distance = min(middle, pi / 2 - middle) / half
    size = distance + sqrt(max(distance**2 - 1, 0.0))
    return min(max(ceil(ACCURACY / log(max(size, 1.01))), FEWEST), MOST)


def _angle(count: int, draws: int) -> float:
    return asin(sqrt(count / draws))


@cache
def _chebyshev_fit(points: int) -> tuple[Floats, Floats]:
    """Return the points in [-1, 1], and the matrix that turns values there into a series."""
    turns = np.pi * (np.arange(points) + 0.5) / points
    fit = 2 / points * np.cos(np.outer(np.arange(points), turns))
    fit[0] /= 2
    return np.cos(turns), fit


def _fit_scores(low: int, high: int, points: int, draws: int, tail: float) -> Floats:
    """Interpolate the scores of all counts from `low` to `high`."""
    left, right = _angle(low, draws), _angle(high, draws)
    nodes, fit = _chebyshev_fit(points)
    k = draws * np.sin((left + right) / 2 + (right - left) / 2 * nodes) ** 2
    if 2 * high < draws:
        known = ndtri(betaincinv(k, draws - k + 1, tail))
    else:  # 1 - L has the digits there, or as many
        known = -ndtri(betainccinv(draws - k + 1, k, tail))
    place = np.arcsin(np.sqrt(np.arange(low, high + 1) / draws))
    place *= 2 / (right - left)
    place -= (left + right) / (right - left)
    return np.asarray(chebval(place, fit @ known))


CHEBYSHEV: ScoreTable = (chebyshev_scores, SLACK)
