"""Tabulate the scores by which outcomes are ordered, from a few of them, for many inputs at once.

A score is Phi^{-1} of the Clopper-Pearson lower limit of a count (bounds/joint/tail.py). As a
function of the angle arcsin sqrt(k / n) it is nearly a straight line, and smooth but for the ends:
a polynomial through the Chebyshev points of a window has all the digits needed. Scores only order
outcomes, and outcomes whose scores differ by less than `SLACK` count as equally good.

Windows of consecutive counts lie one after another in flat arrays, those whose polynomials have
equally many points together: a step of the evaluation is then one operation on all their counts.
"""

from functools import cache
from math import asin, log, pi, sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import betainccinv, betaincinv, ndtri

from simplicert.bounds.joint.tail import lower_limit_score
from simplicert.types import Bools, Floats, Ints

SLACK = 1e-9  # by which scores may be off: ten times the worst error seen

DIRECT = 16  # counts from either end that are computed one by one

ACCURACY = log(1e10)  # of the polynomial, by the size of the ellipse where scores are smooth

FEWEST, MOST = 6, 40  # points of a polynomial


class CountWindows(NamedTuple):
    """The first and the last of consecutive counts, and of which draws they are, at which tail."""

    first: Ints  # (W,)
    last: Ints  # (W,)
    draws: Ints  # (W,)
    tail: Floats  # (W,)


class ScoreTable(NamedTuple):
    """The scores of all windows' counts, and where those of each window begin."""

    scores: Floats
    begin: Ints  # (W,)


def tabulate_scores(windows: CountWindows) -> ScoreTable:
    """Return the scores of the counts of each window; what is found does not depend on others."""
    low, high = _smooth_part(windows)
    left, right = _find_angles(low, windows.draws), _find_angles(high, windows.draws)
    points = count_points(left, right)
    points = np.where(high - low < 2 * points, 0, points)  # too few counts: one by one
    order = np.argsort(points, kind="stable")
    size = (windows.last - windows.first + 1)[order]
    begin = np.concatenate([[0], np.cumsum(size)])
    counts = np.arange(begin[-1]) - np.repeat(begin[:-1] - windows.first[order], size)
    low, high, left, right, points = (x[order] for x in (low, high, left, right, points))
    sorted_windows = CountWindows(*(column[order] for column in windows))
    scores = np.empty(len(counts))
    smooth = points > 0
    if smooth.any():
        start = int(begin[np.argmax(smooth)])
        series = _fit_series(sorted_windows, left, right, points, high)
        some = [x[smooth] for x in (windows.draws[order], left, right, size, points)]
        scores[start:] = _evaluate_series(counts[start:], series[smooth], *some)
    direct = (counts < np.repeat(np.where(smooth, low, np.iinfo(np.int64).max), size)) | (
        counts > np.repeat(high, size)
    )
    _fill_directly(scores, counts, direct, sorted_windows, size)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = begin[:-1]
    return ScoreTable(scores, place)


def _smooth_part(windows: CountWindows) -> tuple[Ints, Ints]:
    """Return the counts of each window between which scores are smooth enough."""
    low = np.maximum(windows.first, DIRECT)
    return low, np.minimum(windows.last, windows.draws - DIRECT)


def _find_angles(counts: Ints, draws: Ints) -> Floats:
    """Return arcsin sqrt(k / n), the counts taken into their range."""
    shares = np.clip(counts / draws, 0.0, 1.0).tolist()
    return np.array([asin(sqrt(share)) for share in shares])


def count_points(left: Floats, right: Floats) -> Ints:
    """Return how many points a polynomial needs between two angles, by the ends' distance."""
    half, middle = (right - left) / 2, (right + left) / 2
    distance = np.minimum(middle, pi / 2 - middle) / np.where(half > 0, half, np.inf)
    size = distance + np.sqrt(np.maximum(distance**2 - 1, 0.0))
    needed = np.ceil(ACCURACY / np.log(np.maximum(size, 1.01)))
    return np.where(half > 0, np.clip(needed, FEWEST, MOST), MOST).astype(np.int64)


@cache
def _chebyshev_fit(points: int) -> tuple[Floats, Floats]:
    """Return the points in [-1, 1], and the matrix that turns values there into a series."""
    turns = np.pi * (np.arange(points) + 0.5) / points
    fit = 2 / points * np.cos(np.outer(np.arange(points), turns))
    fit[0] /= 2
    return np.cos(turns), fit


def _fit_series(
    windows: CountWindows, left: Floats, right: Floats, points: Ints, high: Ints
) -> Floats:
    """Return (W, most points) the Chebyshev coefficients of each window's scores."""
    fits = [_chebyshev_fit(number) if number else None for number in points.tolist()]
    nodes = np.concatenate([fit[0] for fit in fits if fit])
    owner = np.repeat(np.arange(len(points)), points)
    n, tail = windows.draws[owner], windows.tail[owner]
    k = n * np.sin(((left + right) / 2)[owner] + ((right - left) / 2)[owner] * nodes) ** 2
    small = (2 * high < windows.draws)[owner]  # else 1 - L has the digits, or as many
    known = np.empty(len(k))
    known[small] = ndtri(betaincinv(k[small], (n - k + 1)[small], tail[small]))
    large = ~small
    known[large] = -ndtri(betainccinv((n - k + 1)[large], k[large], tail[large]))
    out, at = np.zeros((len(points), points.max())), 0
    for row, fit in enumerate(fits):
        if fit:
            number = len(fit[0])
            out[row, :number] = fit[1] @ known[at : at + number]
            at += number
    return out


def _evaluate_series(
    counts: Ints,
    series: Floats,
    draws: Ints,
    left: Floats,
    right: Floats,
    size: Ints,
    points: Ints,
) -> Floats:
    """Evaluate the series of each window at all of its counts, by Clenshaw's recurrence."""
    x = np.sqrt(counts / np.repeat(draws, size))
    np.arcsin(x, out=x)
    x *= np.repeat(2 / (right - left), size)
    x -= np.repeat((left + right) / (right - left), size)
    out, begin = np.empty(len(x)), np.concatenate([[0], np.cumsum(size)])
    edges = np.concatenate([[0], np.flatnonzero(np.diff(points)) + 1, [len(points)]])
    for a, z in zip(edges[:-1], edges[1:], strict=True):
        part = slice(begin[a], begin[z])
        coefficients = series[a:z, : points[a]].T
        out[part] = _clenshaw(x[part], coefficients, size[a:z])
    return out


def _clenshaw(x: Floats, coefficients: Floats, size: Ints) -> Floats:
    """Return the sums of c_i T_i(x), (P, W) coefficients, for windows of some sizes."""
    twice = 2 * x
    before, now = (np.repeat(coefficients[i], size) for i in (-2, -1))
    for c in coefficients[-3::-1]:
        step = now * twice
        step += before
        before = np.repeat(c, size)
        before -= now
        now = step
    now *= x
    now += before
    return np.asarray(now)


def _fill_directly(
    scores: Floats, counts: Ints, direct: Bools, windows: CountWindows, size: Ints
) -> None:
    """Compute the scores of the other counts one by one."""
    at = np.flatnonzero(direct)
    if len(at):
        owner = np.repeat(np.arange(len(size)), size)[at]
        scores[at] = lower_limit_score(counts[at], windows.draws[owner], windows.tail[owner])
