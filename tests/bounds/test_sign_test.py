"""The gate's probability against scipy's binomial distribution."""

import numpy as np
from scipy.stats import binom

from simplicert.bounds import binomial


def test_tail_is_the_binomials():
    wins, losses = np.array([1, 10, 60, 0, 5]), np.array([0, 10, 40, 3, 0])
    expected = binom.sf(wins - 1, wins + losses, 0.5)
    np.testing.assert_allclose(binomial.sign_test_tail(wins, losses), expected, rtol=1e-12)


def test_passes_only_with_room():
    exactly = 2.0**-15  # fifteen wins, no loss
    assert not binomial.passes_sign_test(15, 0, exactly)
    assert binomial.passes_sign_test(15, 0, exactly * 1.001)
    assert not binomial.passes_sign_test(14, 0, exactly * 1.001)
    assert not binomial.passes_sign_test(15, 0, np.nan)


def test_exactly_the_level_less_its_room_passes(monkeypatch):
    monkeypatch.setattr(binomial, "sign_test_tail", lambda wins, losses: binomial.SHRINK * 0.01)
    assert binomial.passes_sign_test(15, 0, 0.01)
    assert not binomial.passes_sign_test(15, 0, np.nextafter(0.01, 0))
