"""Tabulate the scores by which outcomes are ordered, from a few of them.

A score is Phi^{-1} of the Clopper-Pearson lower limit of a count (bounds/joint/tail.py). As a
function of the angle arcsin sqrt(k / n) it is nearly a straight line, and smooth but for the ends:
a polynomial through some Chebyshev points of a piece has all the digits needed. Scores only order
outcomes, and outcomes whose scores differ by less than `SLACK` count as equally good.

The pieces are the same for all inputs of as many draws, so the score of a count does not depend on
what else is asked; and where many inputs have as many draws and the same tail, which is the rule,
all scores are computed once.
"""

from functools import cache, lru_cache
from math import asin, ceil, log, pi, sin, sqrt
from typing import NamedTuple

import numpy as np
from numpy.polynomial.chebyshev import chebval
from scipy.special import betainccinv, betaincinv, ndtri

from simplicert.bounds.joint.tail import CountRange, lower_limit_score
from simplicert.types import Floats

SLACK = 1e-9  # by which scores may be off: ten times the worst error seen

DIRECT = 16  # counts from either end that are computed one by one

GROWTH = 1.25  # of the angle along a piece: the nearer an end, the shorter the pieces

ACCURACY = log(1e10)  # of the polynomial, by the size of the ellipse where scores are smooth

FEWEST, MOST = 6, 40  # points of a polynomial

TABULATED = 1 << 20  # draws of which all scores are kept

WINDOW = 32.0  # deviations about half a count wide: what one input asks for


class ScorePiece(NamedTuple):
    """Consecutive counts, and how many points their polynomial has; 0 if there is none."""

    first: int
    last: int
    points: int


def worth_a_table(inputs: int, draws: int) -> bool:
    """Whether so many inputs of as many draws ask for more scores than there are."""
    return draws < TABULATED and inputs * WINDOW * sqrt(draws) >= draws


@lru_cache(maxsize=4)
def score_table(draws: int, tail: float) -> Floats:
    """Return the scores of all counts from 0 to `draws`; kept for the inputs that come next."""
    return tabulate_scores((0, draws), draws, tail)


def tabulate_scores(window: CountRange, draws: int, tail: float) -> Floats:
    """Return the scores of consecutive counts."""
    first, last = window
    found = []
    for piece in divide_counts(draws):
        part = max(first, piece.first), min(last, piece.last)
        if part[0] <= part[1]:
            found.append(_score_part(part, piece, draws, tail))
    return np.concatenate(found)


@lru_cache(maxsize=64)
def divide_counts(draws: int) -> tuple[ScorePiece, ...]:
    """Divide the counts from 0 to `draws` into pieces on which scores are smooth."""
    edges, angle = {0, draws + 1}, _find_angle(min(DIRECT, draws), draws)
    while angle < pi / 4:
        count = round(draws * sin(angle) ** 2)
        edges |= {count, draws + 1 - count}
        angle *= GROWTH
    ordered = sorted(edges)
    bounds = zip(ordered, (edge - 1 for edge in ordered[1:]), strict=False)
    return tuple(ScorePiece(a, z, count_points(a, z, draws)) for a, z in bounds)


def count_points(first: int, last: int, draws: int) -> int:
    """Return how many points a polynomial needs on a piece, by the ends' distance; 0 for none."""
    if first < DIRECT or last > draws - DIRECT or last <= first:
        return 0
    left, right = _find_angle(first, draws), _find_angle(last, draws)
    half, middle = (right - left) / 2, (right + left) / 2
    distance = min(middle, pi / 2 - middle) / half
    size = distance + sqrt(max(distance**2 - 1, 0.0))
    points = min(max(ceil(ACCURACY / log(max(size, 1.01))), FEWEST), MOST)
    return points if last - first >= 2 * points else 0


def _find_angle(count: int, draws: int) -> float:
    return asin(sqrt(count / draws))


def _score_part(part: CountRange, piece: ScorePiece, draws: int, tail: float) -> Floats:
    """Return the scores of some counts of a piece."""
    counts = np.arange(part[0], part[1] + 1)
    if not piece.points:
        return lower_limit_score(counts, draws, tail)
    left, right = _find_angle(piece.first, draws), _find_angle(piece.last, draws)
    place = np.arcsin(np.sqrt(counts / draws))
    place *= 2 / (right - left)
    place -= (left + right) / (right - left)
    return np.asarray(chebval(place, _fit_scores(piece, draws, tail)))


@lru_cache(maxsize=1024)
def _fit_scores(piece: ScorePiece, draws: int, tail: float) -> Floats:
    """Return the Chebyshev coefficients of a piece's scores."""
    left, right = _find_angle(piece.first, draws), _find_angle(piece.last, draws)
    nodes, fit = _chebyshev_fit(piece.points)
    k = draws * np.sin((left + right) / 2 + (right - left) / 2 * nodes) ** 2
    if 2 * piece.last < draws:
        known = ndtri(betaincinv(k, draws - k + 1, tail))
    else:  # 1 - L has the digits there, or as many
        known = -ndtri(betainccinv(draws - k + 1, k, tail))
    return np.asarray(fit @ known)


@cache
def _chebyshev_fit(points: int) -> tuple[Floats, Floats]:
    """Return the points in [-1, 1], and the matrix that turns values there into a series."""
    turns = np.pi * (np.arange(points) + 0.5) / points
    fit = 2 / points * np.cos(np.outer(np.arange(points), turns))
    fit[0] /= 2
    return np.cos(turns), fit
