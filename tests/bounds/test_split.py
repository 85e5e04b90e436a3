"""A pilot selects, fresh draws bound: Theorem 3, and Cohen's Algorithm 3."""

import numpy as np
import pytest
from enumeration import mass, outcomes, tricky_points, wrong
from scipy.stats import binomtest
from test_gated import points_of_three

from simplicert import MissingEvidence, Tally, bound


@pytest.mark.parametrize("alpha", [0.05, 0.001])
@pytest.mark.parametrize("method", ["clopper_pearson", "one_sided"])
def test_level_for_any_class_the_pilot_may_choose(alpha, method):
    counts = outcomes(100, 3)
    for choice in range(3):
        pilot = np.zeros_like(counts)
        pilot[:, choice] = 10
        known = bound(Tally(counts, 1.0, pilot=pilot), alpha, scheme="split", method=method)
        more = tricky_points(known, 50, 3, np.random.default_rng(0))
        worst = max(mass(counts, p) @ wrong(known, p) for p in [*points_of_three(0.06), *more])
        assert worst <= alpha


def test_algorithm_3_spends_all_of_alpha_on_one_bound():
    tally = Tally([[900, 80, 20]], 1.0, pilot=[[9, 1, 0]])
    known = bound(tally, 0.01, scheme="split", method="one_sided")
    low = binomtest(900, 1000, alternative="greater").proportion_ci(0.99, method="exact").low
    np.testing.assert_allclose(known.e0[0], low, rtol=1e-6)
    assert known.e0[0] <= low
    np.testing.assert_allclose(known.e1[0], 1 - known.e0[0])


def test_two_classes_use_one_bound():
    tally = Tally([[900, 100]], 1.0, pilot=[[9, 1]])
    pair, one = (bound(tally, scheme="split", method=m) for m in ("clopper_pearson", "one_sided"))
    np.testing.assert_array_equal(pair.e0, one.e0)


def test_the_pilots_class_is_kept_even_where_it_loses():
    known = bound(Tally([[100, 800, 100]], 1.0, pilot=[[9, 1, 0]]), scheme="split")
    assert known.top[0] == 0
    assert known.abstained[0]


def test_without_a_pilot():
    with pytest.raises(MissingEvidence, match="no pilot"):
        bound(Tally([[900, 80, 20]], 1.0), scheme="split")
    with pytest.raises(MissingEvidence, match="input 7 holds no draws"):
        bound(Tally([[900, 80, 20]], 1.0, index=[7], pilot=[[0, 0, 0]]), scheme="split")
