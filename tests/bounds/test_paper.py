"""The paper's scheme as printed: its tails, its proved level, and what enumeration finds."""

import numpy as np
import pytest
from enumeration import scheme_levels
from scipy.stats import binomtest
from test_gated import points_of_three

from simplicert import Tally, bound


def test_tails_are_alpha_over_two():
    """The Beta method at alpha/2 a side, which is scipy's exact two-sided interval at alpha."""
    known = bound(Tally([[900, 80, 20]], sigma=1.0), 0.01, scheme="paper")
    low = binomtest(900, 1000).proportion_ci(0.99, method="exact").low
    high = binomtest(80, 1000).proportion_ci(0.99, method="exact").high
    np.testing.assert_allclose([known.e0[0], known.e1[0]], [low, high], rtol=1e-5)
    assert known.e0[0] <= low
    assert known.e1[0] >= high


def test_result_says_its_proved_level():
    known = bound(Tally([[900, 80, 20]], sigma=1.0), 0.001, scheme="paper")
    assert known.level == 3 * 0.001
    assert "proved level 0.003" in repr(known)
    assert bound(Tally([[900, 80, 20]], sigma=1.0), 0.001).level == 0.001


def test_proved_level_never_exceeds_one_and_is_three_alpha_for_counts():
    many = np.zeros((1, 10_000), int)
    many[0, 0] = 100
    assert bound(Tally(many, 1.0), 0.001, scheme="paper").level == 3 * 0.001
    assert bound(Tally([[900, 80, 20]], 1.0), 0.8, scheme="paper").level == 1


@pytest.mark.parametrize("alpha", [0.05, 0.01, 0.001])
@pytest.mark.parametrize("n", [30, 100, 250])
def test_enumeration_finds_at_most_alpha(n, alpha):
    """Proved is 3 alpha; at these points it is alpha, as measured before."""
    assert scheme_levels(n, 3, alpha, points_of_three(), scheme="paper") <= alpha
