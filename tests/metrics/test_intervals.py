"""A rate and its interval: exact, never narrower, and over inputs that exist."""

import numpy as np
import pytest
from certified import drawn, stated
from scipy.stats import binom, binomtest

from simplicert import InvalidInput
from simplicert.metrics.intervals import (
    CONFIDENCE,
    population_mask,
    population_share,
    rate_curve,
    rate_limits,
)

TABLE = [(n, x) for n in (1, 2, 7, 500, 10_000) for x in sorted({0, 1, n // 3, n - 1, n})]


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_limits_are_scipy_s_exact_interval_and_never_narrower(confidence):
    for total, hits in TABLE:
        low, high = rate_limits(np.array(hits), total, confidence)
        exact = binomtest(hits, total).proportion_ci(confidence, method="exact")
        assert low <= exact.low <= exact.high <= high
        np.testing.assert_allclose([low, high], exact, rtol=2e-4, atol=1e-12)


def test_each_side_has_the_probability_it_was_asked_for():
    """By the binomial distribution itself: at a limit the tail is 2.5 %, less one part in 10^4."""
    low, high = rate_limits(np.array(13), 40, 0.95)
    assert 0.025 * (1 - 1.1e-4) <= binom.sf(12, 40, low) <= 0.025
    assert 0.025 * (1 - 1.1e-4) <= binom.cdf(13, 40, high) <= 0.025


def test_limits_of_none_and_all():
    low, high = rate_limits(np.array([0, 20]), 20, 0.95)
    assert low[0] == 0 and high[1] == 1
    assert 0 < high[0] == pytest.approx(1 - 0.025 ** (1 / 20), rel=1e-4)
    assert 1 > low[1] == pytest.approx(0.025 ** (1 / 20), rel=1e-4)


def test_a_share_counts_the_population_only():
    certificates = stated([True, True, False, True], two_sided=[1, 1, 1, 0])
    hit = np.array([True, False, True, True])
    everyone = population_share(certificates, hit, "all", CONFIDENCE)
    assert (everyone.hits, everyone.total, everyone.value) == (3, 4, 0.75)
    assert everyone.low < 0.75 < everyone.high
    correct = population_share(certificates, hit, "correct", CONFIDENCE)
    assert (correct.hits, correct.total, correct.value) == (1, 2, 0.5)


def test_more_confidence_is_wider():
    certificates = drawn()
    narrow, wide = (
        population_share(certificates, certificates.abstained, "all", c) for c in (0.9, 0.99)
    )
    assert wide.low < narrow.low < narrow.high < wide.high


def test_a_curve_counts_what_is_above_each_threshold_and_keeps_their_order():
    found = rate_curve(
        np.array([2.0, 1.0, 2.0]), np.array([2.0, 0.0, 1.0]), 10, 0.95, inclusive=False
    )
    assert found.hits.tolist() == [0, 3, 2]
    assert found.value.tolist() == [0, 0.3, 0.2]
    low, high = rate_limits(np.array([0, 3, 2]), 10, 0.95)
    assert found.low.tolist() == low.tolist() and found.high.tolist() == high.tolist()
    same = rate_curve(
        np.array([2.0, 1.0, 2.0]), np.array([2.0, 0.0, 1.0]), 10, 0.95, inclusive=True
    )
    assert same.hits.tolist() == [2, 3, 3]


def test_an_empty_population_is_refused():
    wrong = stated([False, False], two_sided=[1, 1])
    with pytest.raises(InvalidInput, match="'correct' is empty: it holds none of the 2 inputs"):
        population_mask(wrong, "correct")
    with pytest.raises(InvalidInput, match="'all' is empty: it holds none of the 0 inputs"):
        population_mask(stated([], two_sided=[]), "all")


def test_an_unknown_population_lists_the_known_ones():
    with pytest.raises(InvalidInput, match="population must be one of all, correct, got 'most'"):
        population_mask(drawn(), "most")


@pytest.mark.parametrize("confidence", [0, 1, -0.5, 95, float("nan")])
def test_confidence_is_a_probability(confidence):
    with pytest.raises(InvalidInput, match="confidence must lie strictly between 0 and 1"):
        rate_limits(np.array(1), 2, confidence)
