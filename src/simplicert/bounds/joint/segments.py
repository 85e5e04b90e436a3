"""Bound the probability of a tail along a whole curve from its values at a few points of it.

A radius r is proved if P_p(S) is at most the level for every p of the curve R(p) = r inside the
region. Between two points p and q of the curve run the segment s(t) with cells proportional to
p^(1-t) q^t. By Hoelder's inequality P_s(t)(S) <= P_p(S)^(1-t) P_q(S)^t Z(t)^-n, Z the sum of the
cells, so that cells half a deviation wide lose a few percent of a probability. And the segment is
never below the curve of a radius that is smaller by very little, `lowered`. docs/joint.md has the
proofs. Arrays are (N,) inputs, (N, M) points, (3, N, M) cells: A, j, and all others.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from simplicert.types import Bools, Floats, Ints

GRID = 33  # points between which the length of a curve is measured

PLACES = np.linspace(0.0, 1.0, GRID)[None]

EDGE = 0.002  # expected draws outside A and j below which the other cell is taken to be empty

TINY = np.finfo(float).tiny  # keeps logarithms finite

ROUNDING = 1e-14  # of a sum of three cells near 1, with room

TIMES = np.linspace(0.0, 1.0, 5)[:, None, None]  # where tangents touch, along each segment

ROOT = np.sqrt(2 * np.pi)


class CurvePoints(NamedTuple):
    """Points of each input's curve R = r, from one end of the region to the other.

    Rows are filled up by repeating their last point. Beyond the last point of a row that ends at
    an `edge`, one more point dominates whatever is left of the curve.
    """

    rival: Floats  # (N, M) Phi^{-1}(p_j), never falling
    top: Floats  # (N, M) Phi^{-1}(p_A)
    used: Ints  # (N,) points before the repetitions
    edge: Bools  # (N,)


def place_points(start: Floats, stop: Floats, r: Floats, draws: Ints, step: Floats) -> CurvePoints:
    """Place points `step` deviations of the counts apart, between two values of Phi^{-1}(p_j).

    Distance is measured by square roots of expected counts, of which every deviation is 1/2. What
    is left outside A and j may fall to nothing at the end: its root does so evenly with `PLACES`.
    """
    x = _move_along(start, stop, PLACES)
    roots = np.sqrt(_three_cells(x, x + 2 * r[:, None]) * draws[:, None])
    apart = 2 * np.sqrt((np.diff(roots, axis=2) ** 2).sum(axis=0))
    passed = np.concatenate([np.zeros((len(x), 1)), np.cumsum(apart, axis=1)], axis=1)
    cells = np.maximum(np.ceil(passed[:, -1] / step), 1).astype(np.int64)
    wanted = np.minimum(np.arange(cells.max() + 1) / cells[:, None], 1.0) * passed[:, -1:]
    points = _move_along(start, stop, _interpolate_rows(wanted, passed))
    points[:, 0] = start
    edge = roots[2, :, -1] ** 2 < EDGE
    ends = np.where(edge, _move_along(start, stop, _find_edge(roots[2])[:, None])[:, 0], stop)
    points = np.minimum(points, ends[:, None])
    used = np.minimum((points < ends[:, None]).sum(axis=1), cells) + 1
    points[np.arange(points.shape[1]) >= (used - 1)[:, None]] = np.nan
    points = np.where(np.isnan(points), ends[:, None], points)
    return CurvePoints(points, points + 2 * r[:, None], used, edge)


def _three_cells(rival: Floats, top: Floats) -> Floats:
    """Return (3, ...) p_A, p_j, and what is left, which is positive."""
    p_top, p_rival = ndtr(top), ndtr(rival)
    return np.stack([p_top, np.maximum(p_rival, TINY), np.maximum(1 - p_top - p_rival, TINY)])


def _move_along(start: Floats, stop: Floats, place: Floats) -> Floats:
    """Return (N, M) the quantiles at places from 0 (start) to 1 (stop), closer at the end."""
    return np.asarray(stop[:, None] - (stop - start)[:, None] * (1 - place) ** 2)


def _interpolate_rows(wanted: Floats, known: Floats) -> Floats:
    """Return the places where each row of `known`, which never falls, reaches what is wanted."""
    at = (known[:, None, 1:-1] <= wanted[:, :, None]).sum(axis=2)
    low, high = np.take_along_axis(known, at, 1), np.take_along_axis(known, at + 1, 1)
    share = np.clip((wanted - low) / np.maximum(high - low, TINY), 0.0, 1.0)
    return np.asarray((at + share) / (GRID - 1))


def _find_edge(roots: Floats) -> Floats:
    """Find (N,) places where the other cell expects about EDGE draws; roots fall along each row."""
    last = np.minimum((roots >= np.sqrt(EDGE)).sum(axis=1), GRID - 1)
    after, rows = np.maximum(last, 1), np.arange(len(roots))
    high, low = roots[rows, after - 1], roots[rows, after]
    share = np.clip((high - np.sqrt(EDGE)) / np.maximum(high - low, TINY), 0.0, 1.0)
    return np.asarray(np.where(last == 0, 0.0, (after - 1 + share) / (GRID - 1)))


class CurveBound(NamedTuple):
    """What the values at the points prove of the whole curve."""

    largest: Floats  # (N,) log P_p(S) is at most this on the curve of the radius r - lowered
    lowered: Floats  # (N,)


def bound_curve(points: CurvePoints, logs: Floats, beyond: Floats, draws: Ints) -> CurveBound:
    """Bound log P from its values (N, M) at the points, and (N,) at the points beyond the edge."""
    cells = _three_cells(points.rival, points.top)
    weights = np.log(cells)
    turns = np.diff(weights, axis=2)
    largest = np.maximum(logs.max(axis=1), beyond)
    if turns.shape[2]:
        inside = _peak_between(weights, turns, logs, draws[:, None])
        largest = np.maximum(largest, inside.max(axis=1))
    return CurveBound(largest, _sag_of_segments(points, cells, turns))


def _peak_between(weights: Floats, turns: Floats, logs: Floats, draws: Ints) -> Floats:
    """Bound (N, M - 1) the concave function (1-t) log P_p + t log P_q - n log Z by its tangents.

    Its largest value lies between two tangents of opposite slopes, below the point where they meet.
    """
    mixed = np.exp(weights[:, None, :, :-1] + TIMES * turns[:, None])
    total = mixed.sum(axis=0)
    rise = np.diff(logs, axis=1)
    value = logs[:, :-1] + TIMES * rise - draws * np.log(total)
    slope = rise - draws * (mixed * turns[:, None]).sum(axis=0) / total
    before, after = slope[:-1], slope[1:]
    peak = (before >= 0) & (after <= 0)
    width = TIMES[1] - TIMES[0]
    turn = np.where(peak, np.maximum(before - after, TINY), 1.0)
    share = (value[1:] - value[:-1] - after * width) / turn
    meet = value[:-1] + before * np.clip(share, 0.0, width)
    return np.asarray(np.maximum(np.where(peak, meet, -np.inf), value[1:]).max(axis=0))


def _sag_of_segments(points: CurvePoints, cells: Floats, turns: Floats) -> Floats:
    """Bound (N,) by how much the radius of a segment's points may fall below that of its ends."""
    if not turns.shape[2]:
        return np.zeros(len(points.used))
    there, back = -(cells[..., :-1] * turns).sum(axis=0), (cells[..., 1:] * turns).sum(axis=0)
    there, back = np.maximum(there, 0) + ROUNDING, np.maximum(back, 0) + ROUNDING
    normaliser = there * back / (there + back)  # at least -log Z: tangents at both ends
    top, rival = points.top[:, 1:], points.rival[:, 1:]
    mills = cells[0, :, 1:] * ROOT * np.exp(top**2 / 2)
    chord = turns[0] ** 2 / 8 * mills * (1 + top * mills)
    shift = ndtri(np.minimum(cells[1, :, 1:] * np.exp(normaliser), 1.0)) - rival
    return np.asarray((chord + np.maximum(shift, 0.0)).max(axis=1) / 2 * (1 + 1e-6) + ROUNDING)
