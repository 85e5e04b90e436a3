"""Maurer and Pontil's limits: exact variance from integers, safe rounding, their level."""

from fractions import Fraction

import mpmath
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from simplicert.bounds import means
from simplicert.types import FIXED_POINT

ONE = 1 << FIXED_POINT


@st.composite
def evidence(draw):
    """Draws, a sum of scores and squares that they can have, often with little variance."""
    n = draw(st.integers(2, 2**23 - 1))
    total = draw(st.integers(0, n * ONE))
    least = -(-total * total // (n * ONE))
    spread = draw(st.integers(0, total - least) | st.integers(0, min(total - least, 1000)))
    return n, total, least + spread


def exact_deviations(n, total, squares):
    """Q - S^2 / n, as a rational number."""
    return Fraction(squares, ONE) - Fraction(total * total, n * ONE * ONE)


@settings(max_examples=500, deadline=None)
@given(evidence())
def test_deviations_are_exact_to_two_units_and_rounded_up(case):
    n, total, squares = case
    exact = exact_deviations(n, total, squares)
    found = means.squared_deviations(*(np.array([v]) for v in (total, squares, n)))[0]
    assert Fraction(float(found)) >= exact
    assert Fraction(float(found)) <= exact * (1 + Fraction(1, 10**14)) + Fraction(2, ONE)


@settings(max_examples=200, deadline=None)
@given(evidence(), st.floats(1e-12, 0.4))
def test_limits_lie_outside_the_exact_ones_and_close_to_them(case, tail):
    n, total, squares = case
    column = [np.array([v]) for v in (total, total, squares, n)]
    low = means.bernstein_lower(column[0], column[2], column[3], tail)[0]
    high = means.bernstein_upper(*column, tail)[0]
    with mpmath.workdps(40):
        v = exact_deviations(n, total, squares) / (n - 1)
        cost = mpmath.log(2 / mpmath.mpf(tail))
        width = mpmath.sqrt(2 * mpmath.mpf(v.numerator) / v.denominator * cost / n)
        width += 7 * cost / (3 * (n - 1))
        mean = mpmath.mpf(total) / (n * mpmath.mpf(ONE))
        assert 0 <= low <= max(mean - width, 0)
        assert min(mean + width, 1) <= high <= 1
        near = (
            1e-12 + width * 1e-9 + mpmath.sqrt(4 * cost / n / ONE / (n - 1))
        )  # two units of 2^-40
        assert low >= mean - width - near
        assert high <= mean + width + near


def test_a_single_draw_bounds_nothing():
    one = np.array([1])
    assert means.bernstein_lower(one * ONE, one * ONE, one, 0.1) == 0
    assert means.bernstein_upper(0 * one, 0 * one, 0 * one, one, 0.1) == 1


def test_level_by_simulation():
    """Error budget: at exactly the allowed level a test fails with probability 1e-6, six times."""
    random = np.random.default_rng(3)
    repeats, n, tail = 3000, 500, 0.1
    for scores, mean in [
        (random.random((repeats, n)) < 0.5, 0.5),
        (random.random((repeats, n)) < 0.97, 0.97),
        (random.beta(0.1, 0.1, (repeats, n)), 0.5),
    ]:
        fixed = np.floor(scores * 2.0**FIXED_POINT).astype(np.int64)
        sums, draws = fixed.sum(axis=1), np.full(repeats, n)
        squares = np.floor(scores**2 * 2.0**FIXED_POINT).astype(np.int64).sum(axis=1) + n
        low = means.bernstein_lower(sums, squares, draws, tail)
        high = means.bernstein_upper(sums, sums + n, squares, draws, tail)
        for missed in (low > mean, high < mean):
            assert missed.sum() <= binom.isf(1e-6, repeats, tail)
