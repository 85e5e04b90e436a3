"""Extremes whose place is known are found, also beyond the grid."""

from functools import partial

import numpy as np
import pytest

import simplicert as sc
from simplicert import simplex
from simplicert.simplex.extremes import MARGIN, find_extremes

OTHERS = ("cohen", "li", "lecuyer")
ENSEMBLE = sc.PAPER_ENSEMBLE["multinomial"]


def of(function):
    return lambda known: function(known.e0, known.e1)


def test_an_extreme_inside_is_found_to_a_millionth():
    low, high = find_extremes(of(lambda e0, e1: -((e0 - 0.61) ** 2) - (e1 - 0.123) ** 2))
    assert high.value == pytest.approx(0, abs=1e-12)
    assert (high.e0, high.e1) == pytest.approx((0.61, 0.123), abs=1e-6)
    assert high.towards == ()
    assert low.value < -0.38


def test_a_ridge_is_climbed_to_its_top():
    """Radii have ridges where the largest of several changes; slopes end at them."""

    def ridge(e0, e1):
        return -np.abs(e0 + e1 - 0.8) - 0.3 * np.abs(e0 - 2 * e1)

    _, high = find_extremes(of(ridge))
    assert high.value == pytest.approx(0, abs=1e-6)
    assert (high.e0, high.e1) == pytest.approx((1.6 / 3, 0.8 / 3), abs=1e-5)


def test_a_peak_between_the_grid_and_a_side_is_found():
    _, high = find_extremes(of(lambda e0, e1: -((np.log(e1 / 3e-5)) ** 2) - (e0 - 0.9431) ** 2))
    assert (high.e0, high.e1) == pytest.approx((0.9431, 3e-5), rel=1e-4)


def test_a_value_that_goes_on_past_the_margin_says_so():
    low, high = find_extremes(of(lambda e0, e1: e0 - e1))
    assert low.value == pytest.approx(MARGIN)
    assert low.towards == ("E0 = E1",)
    assert high.towards == ("E1 = 0",)


def test_the_side_where_the_sum_is_1_belongs_to_the_triangle():
    low, high = find_extremes(of(lambda e0, e1: 3 * (e0 + e1) - (e0 - 0.7) ** 2))
    assert low.towards == ("E1 = 0", "E0 = E1")
    assert high.value == pytest.approx(3, abs=1e-12)
    assert high.towards == ()
    assert high.e1 == 1 - high.e0 == pytest.approx(0.3, abs=1e-6)


def test_of_equal_values_one_in_the_middle_counts():
    low, high = find_extremes(of(lambda e0, e1: np.zeros(e0.shape)))
    assert low == high
    assert low.value == 0 and low.towards == ()
    assert 0.05 < low.e1 < low.e0 < 0.95


def test_infinite_values_are_left_out():
    low, high = find_extremes(of(lambda e0, e1: np.where(e0 < 0.5, np.inf, e0)))
    assert high.value == pytest.approx(1 - MARGIN)
    assert low.value == pytest.approx(0.5)
    with pytest.raises(sc.InvalidInput, match="must be finite somewhere"):
        find_extremes(of(lambda e0, e1: np.full(e0.shape, np.inf)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("measure", "left", "right", "kind"),
    [
        (simplex.radius_ratio, "improved_dp", "lecuyer", "softmax"),
        (simplex.radius_ratio, "improved_dp", OTHERS, "multinomial"),
        (simplex.radius_difference, "cohen", "li", "multinomial"),
        (simplex.radius_ratio, "li", ("cohen", "improved_dp"), "multinomial"),
        (simplex.radius_ratio, "two_sided", ENSEMBLE, "multinomial"),
    ],
)
def test_no_grid_point_is_more_extreme(measure, left, right, kind):
    compare = partial(measure, left, right)
    low, high = find_extremes(compare, kind)
    for steps in (50, 173):
        values = compare(simplex.make_grid(steps, kind))
        assert low.value <= values.min() and values.max() <= high.value
    for found in (low, high):
        place = simplex.make_points(np.array([found.e0]), np.array([found.e1]), kind)
        assert compare(place)[0] == found.value


@pytest.mark.slow
def test_improved_dp_over_lecuyer_is_largest_at_two_halves():
    _, high = find_extremes(partial(simplex.radius_ratio, "improved_dp", "lecuyer"), "softmax")
    assert high.value > 7.5
    assert (high.e0, high.e1) == pytest.approx((0.5, 0.5), abs=1e-5)
    assert high.towards == ("E0 = E1",)


@pytest.mark.slow
def test_improved_dp_more_than_doubles_the_rest_at_small_expectations():
    _, high = find_extremes(partial(simplex.radius_ratio, "improved_dp", OTHERS))
    assert high.value > 2
    assert high.e0 < 0.1 and high.e1 < 0.01


@pytest.mark.slow
def test_cohen_over_li_is_at_most_a_known_number():
    """sqrt(pi / 2), at the corner of two halves.

    There, with E0 = 1/2 + d and E1 = 1/2 - d, Cohen's radius is sqrt(2 pi) d and Li's tends to the
    root of -2 log(2 sqrt(E0 E1)), which is 2 d.
    """
    _, high = find_extremes(partial(simplex.radius_ratio, "cohen", "li"))
    assert high.value == pytest.approx(np.sqrt(np.pi / 2), abs=1e-4)
    assert (high.e0, high.e1) == pytest.approx((0.5, 0.5), abs=1e-3)
