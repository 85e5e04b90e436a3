"""The interval of a printed number is never narrower than its rounding."""

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simplicert.logs.table import printed_intervals

RADII = st.lists(st.floats(1e-6, 900.0), min_size=1, max_size=12)
STYLES = {
    "three significant digits": "{:.3}".format,
    "two significant digits, as C prints them": "{:.2g}".format,
    "three decimals": "{:.3f}".format,
    "rounded, then shown": lambda radius: str(round(radius, 3)),
    "all digits": repr,
}


def half_unit(text, *others):
    """Return how far below the printed number the true one may lie, as the other texts allow."""
    found = printed_intervals([text, *others])
    return found.value[0] - found.lower[0]


@pytest.mark.parametrize("style", STYLES)
@settings(max_examples=60, deadline=None)
@given(RADII)
def test_the_number_itself_always_lies_inside(style, radii):
    found = printed_intervals([STYLES[style](radius) for radius in radii])
    assert (found.lower <= radii).all()
    assert (found.upper >= radii).all()


@pytest.mark.parametrize(
    ("text", "half"),
    [
        ("0.486", 0.0005),
        ("1.2", 0.005),  # "1.20" without its zero
        ("1.0", 0.005),
        ("3.91", 0.005),
        ("0.0125", 0.00005),
        ("7.11e-05", 0.5e-7),
        ("1.23e+02", 0.5),
    ],
)
def test_three_significant_digits(text, half):
    """The unit is that of the third digit, even where the digit was dropped as a zero."""
    assert half_unit(text, "0.486", "7.11e-05", "0.0") == pytest.approx(half, rel=1e-9)


@pytest.mark.parametrize("text", ["0.012", "0.000", "1.250", "12.500"])
def test_three_decimals(text):
    assert half_unit(text, "0.731", "1.024", "0.002") == pytest.approx(0.0005, rel=1e-9)


def test_a_lone_text_is_taken_at_its_own_last_digit():
    assert half_unit("1.2") == pytest.approx(0.05)
    assert half_unit("3") == pytest.approx(0.5)


def test_the_ends_are_rounded_outward():
    for digits in range(100, 130):
        found = printed_intervals([f"0.{digits}"])
        assert Decimal(found.lower[0]) <= Decimal(f"0.{digits}") - Decimal("0.0005")
        assert Decimal(found.upper[0]) >= Decimal(f"0.{digits}") + Decimal("0.0005")


def test_no_text_is_no_number():
    found = printed_intervals(["", "0.5", ""])
    assert np.isnan(found.value[[0, 2]]).all()
    assert found.value[1] == 0.5
    assert np.isnan(printed_intervals([""]).lower).all()
