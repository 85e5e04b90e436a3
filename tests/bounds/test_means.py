"""Limits on mean scores by Hoeffding, Bernstein and Bentkus: their level, and safe rounding."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from simplicert.bounds import binomial, means
from simplicert.types import FIXED_POINT


def test_exact_rational_means_lie_inside():
    random = np.random.default_rng(0)
    draws = random.integers(1, 8_000_000, 200)
    sums = (random.random(200) * draws * 2.0**FIXED_POINT).astype(np.int64)
    low, high = (
        means.hoeffding_lower(sums, draws, 0.01),
        means.hoeffding_upper(sums + draws, draws, 0.01),
    )
    for s, n, a, b in zip(sums.tolist(), draws.tolist(), low, high, strict=True):
        width = np.sqrt(np.log(100) / (2 * n))
        mean = Fraction(s, n << FIXED_POINT)
        assert a == 0 or Fraction(float(a)) <= mean - Fraction(float(width))
        top = Fraction(s + n, n << FIXED_POINT) + Fraction(float(width))
        assert b == 1 or Fraction(float(b)) >= top


def test_limits_stay_probabilities():
    assert means.hoeffding_lower(np.array([0]), np.array([10]), 0.01) == 0
    assert means.hoeffding_upper(np.array([10 << FIXED_POINT]), np.array([10]), 0.01) == 1


def test_rounding_costs_next_to_nothing():
    """Rounded outward, and no further than a few units in the last place."""
    n, tail = np.array([10, 1000, 10**6]), 0.01
    sums = (3 * n // 5) << FIXED_POINT
    width = np.sqrt(np.log(100) / (2 * n))
    low, high = means.hoeffding_lower(sums, n, tail), means.hoeffding_upper(sums, n, tail)
    np.testing.assert_allclose(low, 0.6 - width, rtol=0, atol=1e-14)
    np.testing.assert_allclose(high, np.minimum(0.6 + width, 1.0), rtol=0, atol=1e-14)


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


@pytest.mark.slow
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


DRAWS = np.array([1000])


@pytest.mark.parametrize("whole", [0, 1, 500, 999])
def test_between_whole_sums_the_safe_one_counts(whole):
    low, _ = binomial.clopper_pearson_lower(np.array([whole]), DRAWS, 0.01 / np.e)
    high = binomial.clopper_pearson_upper(np.array([whole + 1]), DRAWS, 0.01 / np.e)
    for part in (1, ONE // 2, ONE - 1):
        sums = np.array([whole * ONE + part])
        assert means.bentkus_lower(sums, DRAWS, 0.01) == low
        assert means.bentkus_upper(sums, DRAWS, 0.01) == high
    exact = np.array([whole * ONE])
    assert means.bentkus_lower(exact, DRAWS, 0.01) == low
    assert means.bentkus_upper(exact, DRAWS, 0.01) < high


def test_a_sum_that_rounding_took_past_the_draws():
    assert means.bentkus_upper(DRAWS * ONE + DRAWS, DRAWS, 0.01) == 1
    assert means.bentkus_lower(DRAWS * ONE + DRAWS, DRAWS, 0.01) < 1


def test_the_inequality_itself():
    """P(S >= k) <= e P(Bin(n, mu) >= k), exactly, for scores that are 0, 1/2 or 1."""
    n = 20
    k = np.arange(n + 1)
    for half, full in [(0.3, 0.1), (0.9, 0.05), (0.02, 0.0), (0.5, 0.5)]:
        twice = np.array([1.0])
        for _ in range(n):
            twice = np.convolve(twice, [1 - half - full, half, full])
        reached = twice[::-1].cumsum()[::-1][2 * k]
        assert (reached <= np.e * binom.sf(k - 1, n, half / 2 + full) * (1 + 1e-12)).all()
