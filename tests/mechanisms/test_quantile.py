"""The error bound that every radius subtracts rests on scipy's ndtri: measured here."""

import numpy as np
import pytest
from mpmath import mp, mpf

from simplicert.mechanisms.quantile import ULPS, normal_quantile


@pytest.mark.slow
def test_error_is_far_below_the_allowance():
    """20,000 quantiles, inverted by 60-digit arithmetic: at most half the allowance."""
    random = np.random.default_rng(0)
    small = 10 ** random.uniform(-300, 0, 6_000)
    near_one = 1 - 10 ** random.uniform(-12, 0, 6_000)
    e = np.concatenate([small, near_one, random.random(6_000), 0.5 + random.normal(0, 1e-4, 2_000)])
    e = e[(e > 0) & (e < 1)]
    z = normal_quantile(e)
    with mp.workdps(60):
        # The implied error in z: how far Phi(z) is from e, over the density.
        errors = [
            abs((mp.ncdf(mpf(a)) - mpf(p)) / mp.npdf(mpf(a))) for a, p in zip(z, e, strict=True)
        ]
    relative = np.array([float(error) for error in errors]) / np.abs(z)
    assert relative.max() < ULPS / 2


def test_the_allowance_costs_no_digit_that_is_shown():
    assert ULPS < 1e-14


def test_ends():
    np.testing.assert_array_equal(
        normal_quantile(np.array([0.0, 0.5, 1.0])), [-np.inf, 0.0, np.inf]
    )
