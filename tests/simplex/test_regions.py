"""Lines between regions: every point checked by the mechanisms themselves, shapes by known ones."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

import simplicert as sc
from simplicert import simplex
from simplicert.simplex import regions

ENSEMBLE = sc.PAPER_ENSEMBLE["multinomial"]
PAIRS = [
    ("cohen", ("li", "improved_dp")),
    ("li", ("cohen", "improved_dp")),
    ("cohen", ("li",)),
    ("lecuyer", ("li",)),
]
boundary = cache(regions.trace_boundary)  # the same lines serve several tests
two_sided = sc.MECHANISMS["two_sided"].radius


@pytest.fixture(scope="module")
def paper_borders():
    return regions.trace_region_borders(ENSEMBLE)


def radius(names, e0, e1):
    return np.max([sc.radius(name, e0, e1) for name in names], axis=0)


def half(e0, e1):
    return two_sided(e0, e1) / 2


def disc(e0, e1):
    """Larger than `half` inside a circle, smaller outside."""
    return half(e0, e1) * (1 + 0.2 - 2 * np.hypot(e0 - 0.55, e1 - 0.2))


def block(e0, e1):
    """Twice `half` in a rectangle and 0 outside: it jumps, and two of its lines are vertical."""
    inside = (e0 > 0.4) & (e0 < 0.6) & (e1 > 0.1) & (e1 < 0.2)
    return np.where(inside, 2 * half(e0, e1), 0.0)


def area(e0, e1):
    """Inside a polygon, as a share of the triangle's area of 1/4."""
    return 2 * abs(np.sum(e0 * np.roll(e1, -1) - np.roll(e0, -1) * e1))


# Lines of our mechanisms


@pytest.mark.slow
@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_on_a_line_both_radii_are_the_same(left, right):
    curves = boundary(left, right)
    assert curves
    for curve in curves:
        apart = 1 - curve.e0 > 1e-6  # closer, neighbours in floating point differ by more
        e0, e1 = curve.e0[apart], curve.e1[apart]
        np.testing.assert_allclose(
            radius([left], e0, e1), radius(right, e0, e1), rtol=1e-9, atol=2e-12
        )


@pytest.mark.parametrize(
    ("left", "right"),
    [*PAIRS[:2], *(pytest.param(*pair, marks=pytest.mark.slow) for pair in PAIRS[2:])],
)
def test_a_billionth_to_either_side_another_is_larger(left, right):
    """Up and down from each point, except at turning points of the line, where up is along it."""
    (curve,) = boundary(left, right)
    e0, e1 = curve.e0, curve.e1
    steep = np.abs(np.gradient(e0)) < 1e-2 * np.abs(np.gradient(e1))
    ordinary = (e1 > 1e-9) & (e1 < 0.99 * np.minimum(e0, 1 - e0)) & (e0 < 0.999) & ~steep
    e0, e1 = e0[ordinary], e1[ordinary]
    assert len(e0) > 100
    leads = [radius([left], e0, e1 + step) > radius(right, e0, e1 + step) for step in (-1e-9, 1e-9)]
    assert (leads[0] != leads[1]).all()


def test_crossings_are_those_of_a_root_finder():
    def lead(e1, e0=0.9):
        return sc.radius("cohen", e0, e1) - sc.radius("li", e0, e1)

    (found,) = regions.find_crossings("cohen", "li", 0.9)
    assert found == pytest.approx(brentq(lead, 0.01, 0.09, xtol=1e-14), abs=1e-11)


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(st.floats(0.02, 0.49) | st.floats(0.51, 0.98), st.sampled_from(ENSEMBLE))
def test_between_crossings_nothing_changes(e0, name):
    """Just beside each crossing the lead is another's; halfway to the next it is the same still."""
    others = [other for other in ENSEMBLE if other != name]
    found = regions.find_crossings(name, others, e0)
    ends = [1e-300, *found, min(e0 * (1 - 1e-5), 1 - e0)]

    def leads(e1):
        return sc.radius(name, e0, e1) > radius(others, e0, e1)

    for low, high in pairwise(ends):
        middle = np.sqrt(low) * np.sqrt(high)
        near = (low * (1 + 1e-7), middle, high * (1 - 1e-7))
        assert len({bool(leads(e1)) for e1 in near if low < e1 < high}) <= 1
    for e1 in found:
        # Relative, and where Cohen's line runs into E0 + E1 = 1 absolute.
        step = min(1e-7 * e1, (1 - e0 - e1) / 2)
        assert leads(e1 - step) != leads(e1 + step)


def test_crossings_below_any_plot_are_found():
    """Li is finite at E1 = 0 and improved DP is not: it overtakes again, far below."""
    for e0, low in ((0.7, 1e-5), (0.9, 1e-10), (0.99, 1e-22)):
        tiny, above = regions.find_crossings("li", ("cohen", "improved_dp"), e0)
        assert tiny == pytest.approx(low, rel=2)
        assert sc.radius("li", e0, 1.001 * tiny) > sc.radius("improved_dp", e0, 1.001 * tiny)
        assert sc.radius("li", e0, 0.999 * tiny) < sc.radius("improved_dp", e0, 0.999 * tiny)
        assert above > 1e-3


@pytest.mark.parametrize(("left", "right"), PAIRS[:2])
def test_crossings_at_one_e0_lie_on_the_line(left, right):
    (curve,) = boundary(left, right)
    for e0 in regions.COLUMNS[[140, 200, 270]]:
        on_line = np.sort(curve.e1[curve.e0 == e0])
        np.testing.assert_allclose(regions.find_crossings(left, right, e0), on_line, rtol=1e-9)


def test_li_is_never_the_largest_left_of_its_line():
    (curve,) = boundary("li", ("cohen", "improved_dp"))
    assert curve.e0.min() == pytest.approx(0.5510, abs=1e-3)
    assert not len(regions.find_crossings("li", ("cohen", "improved_dp"), 0.545))


def test_areas_inside_the_lines_are_the_shares_of_the_grid():
    """The lines against points that know nothing of them; Cohen's region ends at E0 + E1 = 1."""
    shares = simplex.winning_shares(ENSEMBLE, simplex.make_grid(300))
    for name in ("cohen", "li"):
        others = tuple(other for other in ENSEMBLE if other != name)
        (curve,) = boundary(name, others)
        assert area(curve.e0, curve.e1) == pytest.approx(shares[name], abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("left", "right", "kind"),
    [
        ("improved_dp", "lecuyer", "softmax"),
        ("two_sided", ENSEMBLE, "multinomial"),
        ("two_sided", "cohen", "multinomial"),
        ("li", "li", "multinomial"),
        ("lecuyer", ENSEMBLE, "multinomial"),
    ],
)
def test_where_nobody_overtakes_there_is_no_line(left, right, kind):
    """Nor does rounding make one, along the sides where radii meet."""
    assert regions.trace_boundary(left, right, kind) == []
    for e0 in (0.3, 0.5, 0.7):
        assert not len(regions.find_crossings(left, right, e0, kind))


# Borders


@pytest.mark.slow
def test_each_border_stands_between_its_two(paper_borders):
    assert list(paper_borders) == [("cohen", "li"), ("cohen", "improved_dp"), ("li", "improved_dp")]
    for pair, curves in paper_borders.items():
        (other,) = set(ENSEMBLE) - set(pair)
        (curve,) = curves
        e0, e1 = curve.e0[2:-2], curve.e1[2:-2]  # the ends go one past where all three meet
        e0, e1 = e0[1 - e0 > 1e-6], e1[1 - e0 > 1e-6]
        one, two = (sc.radius(name, e0, e1) for name in pair)
        np.testing.assert_allclose(one, two, rtol=1e-9, atol=2e-12)
        assert (sc.radius(other, e0, e1) <= one).all()


@pytest.mark.slow
def test_three_borders_meet_in_one_point(paper_borders):
    """Where all three radii are equal, found by following the line of Cohen and Li."""

    def lead(e0):
        (e1,) = regions.find_crossings("cohen", "li", e0)
        return sc.radius("cohen", e0, e1) - sc.radius("improved_dp", e0, e1)

    e0 = brentq(lead, 0.8, 0.9, xtol=1e-6)
    meeting = np.array([e0, regions.find_crossings("cohen", "li", e0)[0]])
    for (curve,) in paper_borders.values():
        ends = np.array([[curve.e0[end], curve.e1[end]] for end in (0, -1)])
        assert np.hypot(*(ends - meeting).T).min() < 0.006


def test_mechanisms_that_never_meet_have_no_border():
    assert regions.trace_region_borders(("lecuyer", "improved_dp"), "softmax") == {}


# Lines of a user's own mechanisms


def test_a_circle_is_one_closed_line():
    (curve,) = regions.trace_boundary(disc, half)
    assert curve.closed
    np.testing.assert_allclose(np.hypot(curve.e0 - 0.55, curve.e1 - 0.2), 0.1, atol=1e-10)
    assert area(curve.e0, curve.e1) == pytest.approx(4 * np.pi * 0.1**2, rel=1e-2)


def test_a_jump_is_found_where_it_is_sideways_too():
    (curve,) = regions.trace_boundary(block, half)
    assert curve.closed
    sides = np.array([curve.e0 - 0.4, curve.e0 - 0.6, curve.e1 - 0.1, curve.e1 - 0.2])
    assert (np.abs(sides).min(axis=0) < 1e-9).all()
    assert (np.abs(sides) < 1e-9).any(axis=1).all()  # all four of them


def test_two_crossings_between_two_neighbours_are_found():
    """A strip a hundred times narrower than the distance of the points looked at first."""
    middle, width = 0.123456, 1e-6

    def strip(e0, e1):
        return half(e0, e1) * np.maximum(1 + 1e4 * (width**2 - (e1 - middle) ** 2), 0.5)

    found = regions.find_crossings(strip, half, 0.6)
    np.testing.assert_allclose(found, [middle - width, middle + width], atol=1e-9)


def test_a_list_of_ones_own():
    found = regions.trace_region_borders({"disc": disc, "half": half, "block": block})
    assert set(found) == {("disc", "half"), ("disc", "block"), ("half", "block")}


# Refusals


@pytest.mark.parametrize("e0", [0, 1, -0.1, np.nan])
def test_crossings_need_an_e0_inside(e0):
    with pytest.raises(sc.InvalidInput, match="e0 must lie between 0 and 1"):
        regions.find_crossings("cohen", "li", e0)


def test_a_kind_without_a_proof_is_refused():
    with pytest.raises(sc.KindMismatch, match="'li' has no proof for softmax"):
        regions.trace_boundary("improved_dp", "li", "softmax")
