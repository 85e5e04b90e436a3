"""A line crosses the right edges of the mesh, and its points join in order."""

from itertools import pairwise

import numpy as np

from simplicert.simplex.regions import (
    BoundaryCurve,
    curve_length,
    find_crossed_edges,
    join_segments,
    split_curve,
)


def inside(*rows):
    return np.array([[letter == "x" for letter in row] for row in rows])


def lines(state):
    edges, segments = find_crossed_edges(state)
    assert (state.ravel()[edges[:, 0]] != state.ravel()[edges[:, 1]]).all()
    return join_segments(segments)


def test_one_point_inside_has_a_closed_line_around_it():
    ((order, closed),) = lines(inside("....", ".x..", "...."))
    assert closed
    assert sorted(order) == list(range(6))  # six edges end in an inner node


def test_a_line_from_side_to_side_is_open():
    ((order, closed),) = lines(inside("xx..", "xx..", "xx.."))
    assert not closed
    assert len(order) == 5  # three edges of the mesh and two diagonals


def test_two_islands_are_two_lines():
    found = lines(inside(".......", ".x...x.", "......."))
    assert [closed for _, closed in found] == [True, True]
    assert not set(found[0][0]) & set(found[1][0])


def test_all_alike_has_no_line():
    assert lines(inside("xxx", "xxx")) == []
    assert lines(inside("...", "...")) == []


def test_order_is_that_along_the_line():
    """Neighbours in the order share a triangle, also where the line starts in the middle."""
    _, segments = find_crossed_edges(inside("xx...", "x....", "....."))
    ((order, closed),) = join_segments(segments)
    pairs = {frozenset(pair) for pair in segments.tolist()}
    assert not closed
    assert all(frozenset(pair) in pairs for pair in pairwise(order))


def curve(n=6, closed=False):
    return BoundaryCurve(np.arange(n, dtype=float), np.zeros(n), closed)


def test_parts_go_one_point_past_their_ends():
    keep = np.array([False, True, True, False, False, True])
    first, second = split_curve(curve(), keep)
    assert first.e0.tolist() == [0, 1, 2, 3]
    assert second.e0.tolist() == [4, 5]
    assert not first.closed


def test_a_whole_line_stays_as_it_is():
    loop = curve(closed=True)
    assert split_curve(loop, np.ones(6, bool)) == [loop]
    assert split_curve(loop, np.zeros(6, bool)) == []


def test_length():
    assert curve_length(curve(4)) == 3
