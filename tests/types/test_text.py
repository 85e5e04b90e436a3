"""Radii as text: exact arithmetic, whatever their size."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simplicert.types.certificates import format_radius_down


@given(st.floats(0, allow_nan=False, allow_infinity=False), st.integers(0, 8))
def test_never_larger_and_off_by_less_than_its_last_digit(radius, decimals):
    text = format_radius_down(radius, decimals)
    off = Fraction(radius) - Fraction(text)
    assert 0 <= off < Fraction(1, 10**decimals)


@pytest.mark.parametrize(("radius", "text"), [(float("inf"), "inf"), (float("nan"), "nan")])
def test_what_is_no_number_is_said(radius, text):
    assert format_radius_down(radius) == text


def test_a_sigma_of_fifty_digits_on_the_command_line(command):
    code, out, err = command("radius", "--e0", 0.6, "--e1", 0.3, "--sigma", "1" * 50 + ".5")
    assert code == 0, err
    assert "4320820" in out
