"""Limits and numbers of colour bars."""

import numpy as np
import pytest

from simplicert.errors import InvalidInput
from simplicert.figures.maps import bulk_limits, colour_limits, format_level, round_ratios

VALUES = np.array([0.5, 1.0, 3.0])


def test_limits_are_the_values_or_what_is_asked():
    assert colour_limits(VALUES, None, None) == (0.5, 3.0)
    assert colour_limits(VALUES, None, (0.0, 1.0)) == (0.0, 1.0)
    assert colour_limits(VALUES, 1.0, None) == (-1.0, 3.0)
    with pytest.raises(InvalidInput, match="limits must rise"):
        colour_limits(VALUES, None, (1.0, 1.0))


def test_limits_of_ratios_are_even_in_factors():
    low, high = colour_limits(VALUES, 1.0, None, logarithmic=True)
    assert (low, high) == (pytest.approx(1 / 3), 3.0)


@pytest.mark.parametrize("limits", [(0.0, 500.0), (1e-9, 0.01), (30.0, 90.0), (0.2, 2.0)])
def test_ratios_beyond_ten_share_a_colour(limits):
    low, high = colour_limits(VALUES, None, limits, logarithmic=True)
    assert 0.1 <= low < high <= 10


def test_a_few_extreme_places_do_not_stretch_the_colours():
    values = np.concatenate([np.linspace(1, 2, 1000), [1e6, np.inf, 0.0]])
    low, high = bulk_limits(values, 1.0)
    assert 0.9 < low < 1.1 and 1.9 < high < 2.1
    assert bulk_limits(np.ones(10), 1.0) == (0.5, 1.5)
    assert bulk_limits(np.full(3, np.inf), 1.0) == (0.5, 1.5)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.5, 2.0, [0.5, 1.0, 1.5, 2.0]),
        (1.4, 6.0, [2, 3, 4, 5, 6]),
        (0.1, 10.0, [0.1, 0.2, 0.5, 1, 2, 5, 10]),
        (1.0, 1.22, [1.0, 1.05, 1.1, 1.15, 1.2]),
    ],
)
def test_levels_are_round_and_few(low, high, expected):
    assert round_ratios(low, high) == pytest.approx(expected)


def test_numbers_have_a_minus_sign():
    assert format_level(-0.4) == "\N{MINUS SIGN}0.4" and format_level(2.0) == "2"
