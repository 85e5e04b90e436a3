"""Bentkus' limits: a binomial's at tail / e, at the whole number on the safe side."""

import numpy as np
import pytest
from scipy.stats import binom

from simplicert.bounds import binomial, means
from simplicert.types import FIXED_POINT

ONE = 1 << FIXED_POINT
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
