"""Trace the exact lines on the simplex where one mechanism overtakes others.

`trace_boundary` gives the lines between two sides, `trace_region_borders` those between the regions
of several mechanisms, and `find_crossings` the crossings at one E_0. `find_crossed_edges` finds the
edges of a mesh that a line crosses, and `join_segments` joins the crossings to curves.

At every point of a line `left` was found not to be larger, and closer than 1e-9 to it there is a
point where it was found to be: the point is the end of a root search along a straight path. Paths
run at fixed E_0 and across, on a mesh that is logarithmic towards the sides of the triangle,
because a line between Li and improved DP runs at E_1 = 1e-10 and below.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import expit

from simplicert.errors import require
from simplicert.mechanisms.choice import choose_mechanisms
from simplicert.simplex import (
    SeveralMechanisms,
    Side,
    largest_side_radius,
    make_points,
    winning_mechanism,
)
from simplicert.types import Bools, Floats, Ints, Kind

# Mechanisms round toward zero, by up to 1e-12 of the radius and 1e-13: a smaller lead is a tie.
RELATIVE, ABSOLUTE = 3e-12, 1e-12

SHARPLY = {"xatol": 1e-12, "xrtol": 0.0, "fatol": 0.0, "frtol": 0.0}  # in shares of a path

# The height of a point is the logit of its share of the largest E_1 at its E_0.
CLOSE, NEAR, EDGE, FLOOR = 5.0, 8.0, 30.0, -690.0

HEIGHTS = np.concatenate(
    [
        np.arange(FLOOR, -EDGE, 10.0),
        np.arange(-EDGE, -NEAR),
        np.arange(-NEAR, NEAR, 0.1),
        np.arange(NEAR, EDGE + 1),
    ]
)

SMALLEST, MARGIN = 1e-300, 1e-8  # least E_1, and least distance from E_0 = E_1 over E_0
_CORNER = np.geomspace(1e-12, 4e-3, 30)

COLUMNS = np.unique(  # E_0, finer towards the corners and about 1/2, where one-sided radii begin
    np.concatenate(
        [np.linspace(0, 1, 251)[1:-1], _CORNER, 1 - _CORNER, 0.5 - _CORNER[9:], 0.5 + _CORNER[9:]]
    )
)

CLOSER = 8  # `find_crossings` has this many times the points of a mesh column
Lead = Callable[[Floats, Floats], Floats]  # (e0, height) -> how much larger `left` is


@dataclass(frozen=True)
class BoundaryCurve:
    """The points of one line, in their order along it."""

    e0: Floats  # (P,)
    e1: Floats  # (P,)
    closed: bool  # the last point joins the first


def trace_boundary(left: Side, right: Side, kind: Kind = "multinomial") -> list[BoundaryCurve]:
    """Trace the lines around the region where `left` is larger than `right`, the longest first.

    Sides of the triangle are not part of them. A region narrower than the mesh (1/250 of E_0, a
    tenth of the logit of E_1's share) may be missed; `find_crossings` looks closer, at one E_0.
    """
    lead = partial(_measure_lead, left, right, kind)
    mesh = np.stack(np.meshgrid(COLUMNS, HEIGHTS, indexing="ij"))
    nodes = mesh.reshape(2, -1)
    edges, segments = find_crossed_edges(
        _resolve_ties(lead(*nodes).reshape(mesh.shape[1:]), HEIGHTS)
    )
    start, end = (nodes[:, edges[:, side]] for side in (0, 1))
    e0, e1 = _height_to_point(*_locate_crossings(lead, start, end))
    sound = segments[~np.isnan(e1)[segments].any(axis=1)]
    curves = [BoundaryCurve(e0[order], e1[order], closed) for order, closed in join_segments(sound)]
    return sorted(curves, key=curve_length, reverse=True)


def trace_region_borders(
    mechanisms: SeveralMechanisms, kind: Kind = "multinomial"
) -> dict[tuple[str, str], list[BoundaryCurve]]:
    """Trace the lines between the regions in which each mechanism is the largest.

    The result maps each pair of mechanisms that meet, in their order, to the lines between them;
    each line occurs once.
    """
    table = choose_mechanisms(mechanisms, kind)
    names = list(table)
    borders: dict[tuple[str, str], list[BoundaryCurve]] = {}
    for place, one in enumerate(names[:-1]):
        others = {name: row for name, row in table.items() if name != one}
        for curve in trace_boundary({one: table[one]}, others, kind):
            beside = winning_mechanism(others, make_points(curve.e0, curve.e1, kind))
            for other in names[place + 1 :]:
                borders.setdefault((one, other), []).extend(split_curve(curve, beside == other))
    return {pair: lines for pair, lines in borders.items() if lines}


def find_crossings(left: Side, right: Side, e0: float, kind: Kind = "multinomial") -> Floats:
    """Find every E_1, rising, at which `left` becomes or stops being larger than `right`.

    The search goes from 1e-300 to the side E_0 + E_1 = 1 or E_0 = E_1. Between two neighbours of
    2,000 points a pair of crossings is found if the lead turns there; only an odd wiggle can hide.
    """
    require(0 < e0 < 1, f"e0 must lie between 0 and 1, got {e0}")
    lead = partial(_measure_lead, left, right, kind)
    heights = np.interp(np.arange(CLOSER * len(HEIGHTS)) / CLOSER, np.arange(len(HEIGHTS)), HEIGHTS)
    values = lead(np.full(heights.shape, e0), heights)
    heights = np.sort(np.append(heights, _find_turning_heights(lead, e0, heights, values)))
    line = np.stack([np.full(heights.shape, e0), heights])
    change = np.flatnonzero(np.diff(_resolve_ties(lead(*line), heights)))
    found = _height_to_point(*_locate_crossings(lead, line[:, change], line[:, change + 1]))[1]
    return found[~np.isnan(found)]


def _measure_lead(left: Side, right: Side, kind: Kind, e0: Floats, height: Floats) -> Floats:
    """Return how much larger `left` is than `right`; 0 where that may be rounding."""
    known = make_points(*_height_to_point(e0, height), kind)
    ours, theirs = largest_side_radius(left, known), largest_side_radius(right, known)
    return np.where(np.abs(ours - theirs) <= RELATIVE * theirs + ABSOLUTE, 0.0, ours - theirs)


def _height_to_point(e0: Floats, height: Floats) -> tuple[Floats, Floats]:
    """Return (E_0, E_1) of a height, never so near E_0 = E_1 that radii are rounding alone."""
    e1 = np.minimum(e0, 1 - e0) * expit(height)
    return e0, np.clip(e1, SMALLEST, e0 * (1 - MARGIN))


def _locate_crossings(lead: Lead, start: Floats, end: Floats) -> Floats:
    """(2, N) the last point on each path where `left` does not lead; past it, it does.

    `start` and `end` are (2, N): E_0 and height. NaN where both ends agree after all.
    """
    from scipy.optimize import elementwise

    def along(share: Floats, *path: Floats) -> Floats:
        e0, height, e0_end, height_end = path
        ahead = lead(e0 + share * (e0_end - e0), height + share * (height_end - height))
        return np.where(ahead == 0, -ABSOLUTE, ahead)  # a tie is not a lead

    whole = (np.zeros(start.shape[1]), np.ones(start.shape[1]))
    found = elementwise.find_root(along, whole, args=(*start, *end), tolerances=SHARPLY)
    behind = np.where(found.f_bracket[0] < 0, *found.bracket)
    return np.asarray(start + np.where(found.success, behind, np.nan) * (end - start))


def _find_turning_heights(lead: Lead, e0: float, heights: Floats, values: Floats) -> Floats:
    """Find heights where the lead comes close to 0 and may cross it twice between neighbours.

    Only a dip below both neighbours counts; a flat tie does not.
    """
    from scipy.optimize import elementwise

    sign = np.sign(values)
    before, at, after = (sign[1:-1] * values[i : len(values) - 2 + i] for i in range(3))
    dip = np.flatnonzero((at < before) & (at < after)) + 1

    def distance(height: Floats, sign: Floats) -> Floats:
        return sign * lead(np.full(height.shape, e0), height)

    around = (heights[dip - 1], heights[dip], heights[dip + 1])
    found = elementwise.find_minimum(distance, around, args=(sign[dip],))
    return np.asarray(found.x)


def _resolve_ties(lead: Floats, heights: Floats) -> Bools:
    """Return where `left` leads, on columns (..., H) of the mesh.

    Radii meet on the slanted sides (all are 0 where E_0 = E_1), and close to a side a tie may be
    rounding alone; from height `CLOSE` upwards the row below decides it.
    """
    inside = lead > 0
    for row in range(int(np.searchsorted(heights, CLOSE)), len(heights)):
        tie = lead[..., row] == 0
        inside[..., row] = np.where(tie, inside[..., row - 1], inside[..., row])
    return inside


def find_crossed_edges(inside: Bools) -> tuple[Ints, Ints]:
    """(M, 2) nodes that a line passes between, and (S, 2) which of these edges share a triangle.

    Each square of the mesh is two triangles, and a triangle with both states has two such edges.
    """
    node = np.arange(inside.size).reshape(inside.shape)
    a, b, c, d = node[:-1, :-1], node[1:, :-1], node[:-1, 1:], node[1:, 1:]
    triangles = np.stack([[a, b, c], [d, c, b]]).transpose(0, 2, 3, 1).reshape(-1, 3)
    flat = inside.ravel()
    mixed = triangles[flat[triangles].any(axis=1) & ~flat[triangles].all(axis=1)]
    edges = np.sort(mixed[:, [[0, 1], [1, 2], [2, 0]]], axis=2)
    between = edges[flat[edges[..., 0]] != flat[edges[..., 1]]]
    unique, which = np.unique(between, axis=0, return_inverse=True)
    return unique, which.reshape(-1, 2)


def join_segments(segments: Ints) -> list[tuple[list[int], bool]]:
    """Join segments end to end; return the points of each line in order and whether it closes."""
    beside: dict[int, list[int]] = defaultdict(list)
    for one, other in segments.tolist():
        beside[one].append(other)
        beside[other].append(one)
    lines: list[tuple[list[int], bool]] = []
    seen: set[int] = set()
    for first in sorted(beside, key=lambda point: len(beside[point])):  # open ends first
        if first in seen:
            continue
        order, following = [first], [first]
        while following:
            seen.add(order[-1])
            following = [point for point in beside[order[-1]] if point not in seen][:1]
            order += following
        lines.append((order, len(beside[first]) > 1))
    return lines


def split_curve(curve: BoundaryCurve, keep: Bools) -> list[BoundaryCurve]:
    """Return the stretches of a line to keep, each up to the next point, so that they meet."""
    if keep.all():
        return [curve]
    changes = np.flatnonzero(np.diff(np.concatenate([[False], keep, [False]])))
    cuts = [slice(max(first - 1, 0), end + 1) for first, end in changes.reshape(-1, 2).tolist()]
    return [BoundaryCurve(curve.e0[cut], curve.e1[cut], closed=False) for cut in cuts]


def curve_length(curve: BoundaryCurve) -> float:
    """Return the length along its points."""
    return float(np.hypot(np.diff(curve.e0), np.diff(curve.e1)).sum())
