"""Every printed number claims less than the number it stands for."""

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simplicert.metrics import numbers
from simplicert.metrics.intervals import Rate

floats = st.floats(-1e12, 1e12)


def rate(hits: int, total: int) -> Rate:
    return Rate(hits / total, 0.0, 1.0, hits, total)


@given(floats, st.integers(0, 5))
def test_down_and_up_enclose_the_number(value, decimals):
    low, high = numbers.format_down(value, decimals), numbers.format_up(value, decimals)
    assert Fraction(low) <= Fraction(value) <= Fraction(high)
    if abs(value) < numbers.LARGE:
        assert Fraction(high) - Fraction(low) <= Fraction(1, 10**decimals)
    else:
        assert Fraction(high) - Fraction(low) <= abs(Fraction(value)) / 100


@given(floats)
@example(-0.0001)
def test_a_difference_is_never_larger_than_it_is_and_says_its_sign(value):
    text = numbers.format_toward_zero(value)
    assert abs(Fraction(text)) <= abs(Fraction(value))
    assert text.startswith("+") == (Fraction(text) > 0)
    assert text != "-0.000"


@given(st.integers(1, 10**6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
@example((29, 100))  # 100 * 0.29 is below 29 in floating point
def test_percentages_are_exact(pair):
    hits, total = pair
    exact = Fraction(100 * hits, total)
    low, high = (
        Fraction(text(rate(hits, total)))
        for text in (numbers.format_percent_down, numbers.format_percent_up)
    )
    assert low <= exact <= high
    assert high - low in (0, Fraction(1, 10))
    assert (high == low) == ((exact * 10).denominator == 1)


@given(
    st.integers(1, 10**6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    st.integers(1, 6),
)
@example((87, 300), 3)  # the float 87 / 300 is below 0.29
@example((29, 100), 2)  # and 100 * 0.29 below 29
@example((209, 300), 3)  # to the nearest it would be 0.697
def test_a_share_is_rounded_down_by_less_than_one_step(pair, decimals):
    text = numbers.format_share_down(*pair, decimals)
    assert len(text.partition(".")[2]) == decimals
    assert 0 <= Fraction(*pair) - Fraction(text) < Fraction(1, 10**decimals)


@pytest.mark.parametrize(
    ("net", "total", "text"),
    [(29, 100, "+29.0"), (-29, 100, "-29.0"), (0, 7, "0.0"), (-1, 9999, "0.0"), (2, 3, "+66.6")],
)
def test_percentage_points(net, total, text):
    assert numbers.format_percentage_points(net, total) == text


@given(st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted))
def test_an_interval_is_not_narrowed(ends):
    low, high = numbers.format_percent_range(*ends).split("-")
    assert int(low) <= 100 * Fraction(ends[0])
    assert 100 * Fraction(ends[1]) <= int(high)
    assert int(high) - int(low) < 100 * (ends[1] - ends[0]) + 2


@given(st.floats(0, 1))
@example(0.0)
@example(5e-324)
@example(0.0009999)
def test_a_p_value_is_never_smaller_than_it_is(p):
    text = numbers.format_p_value(p)
    assert Fraction(text.removeprefix("<")) >= Fraction(p)
    if p >= numbers.LEAST_P:
        assert float(text) <= p * 1.11  # two digits and rounding up: at most a tenth


def test_what_is_no_number():
    assert numbers.format_down(None) == "-"
    assert numbers.format_down(float("inf")) == "inf"


def test_the_best_is_the_best_as_printed():
    assert numbers.find_best_cells(["0.1", "0.3", "-", "0.3"]) == {1, 3}
    assert numbers.find_best_cells(["4.0", "1.5", "1.5"], sign=-1) == {1, 2}
    assert numbers.find_best_cells(["-", "-"]) == set()


@given(st.floats(0, 1, exclude_min=True, exclude_max=True))
@example(0.29)
@example(0.99999999999999)
@example(1e-320)
def test_what_is_written_exactly_reads_back(value):
    assert float(numbers.format_exactly(value)) == value
    written = Fraction(numbers.format_percent_exactly(value)) / 100
    assert written < 1 and float(written) == value


def test_exact_numbers_are_as_short_as_they_can_be():
    assert [numbers.format_exactly(v) for v in (1.0, 0.25, 1e-5)] == ["1", "0.25", "1e-05"]
    assert [numbers.format_percent_exactly(v) for v in (0.999, 0.9, 0.29)] == ["99.9", "90", "29"]
