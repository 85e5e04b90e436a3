"""Hoeffding's limits, and the direction in which they are rounded."""

from fractions import Fraction

import numpy as np

from simplicert.bounds import means
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
