"""The gate's probability against scipy's binomial distribution."""

import numpy as np
from scipy.stats import binom

from simplicert.bounds.limits import sign_test


def test_tail_is_the_binomials():
    wins, losses = np.array([1, 10, 60, 0, 5]), np.array([0, 10, 40, 3, 0])
    expected = binom.sf(wins - 1, wins + losses, 0.5)
    np.testing.assert_allclose(sign_test.tail(wins, losses), expected, rtol=1e-12)


def test_passes_only_with_room():
    exactly = 2.0**-15  # fifteen wins, no loss
    assert not sign_test.passes(15, 0, exactly)
    assert sign_test.passes(15, 0, exactly * 1.001)
    assert not sign_test.passes(14, 0, exactly * 1.001)
    assert not sign_test.passes(15, 0, np.nan)


def test_exactly_the_level_less_its_room_passes(monkeypatch):
    monkeypatch.setattr(sign_test, "tail", lambda wins, losses: sign_test.SHRINK * 0.01)
    assert sign_test.passes(15, 0, 0.01)
    assert not sign_test.passes(15, 0, np.nextafter(0.01, 0))
