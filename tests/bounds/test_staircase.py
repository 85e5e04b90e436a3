"""Which outcomes count: the staircase holds at least those of brute force, and the one seen."""

import brute
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simplicert.bounds.joint.tail import (
    SLACK,
    build_staircase,
    interpolate_scores,
    lower_limit_score,
)


@st.composite
def seen(draw):
    """(wins, rival, n): any outcome with wins above the rival's count."""
    n = draw(st.integers(1, 40))
    wins = draw(st.integers(1, n))
    return wins, draw(st.integers(0, min(wins - 1, n - wins))), n


def steps(wins, rival, n, tail):
    return build_staircase((wins, rival), n, tail, (0, n), (0, n))


@settings(max_examples=200, deadline=None)
@given(seen(), st.floats(-9, -0.4))
def test_it_is_the_set_of_brute_force(outcome, power):
    wins, rival, n = outcome
    counts, least = steps(wins, rival, n, 10**power)
    # Above the last count the last step serves; from there on nothing is possible here.
    needed = dict(zip(counts.tolist(), least.tolist(), strict=True))
    ours = {(k, b) for k, b in zip(*brute.listed(n), strict=True) if k >= needed.get(b, least[-1])}
    theirs = brute.at_least_as_good(wins, rival, n, 10**power)
    assert ours == set(zip(*theirs, strict=True))
    assert (wins, rival) in ours


@settings(max_examples=100, deadline=None)
@given(seen(), st.tuples(*[st.integers(0, 40)] * 4))
def test_a_narrow_window_only_adds_outcomes(outcome, ends):
    wins, rival, n = outcome
    tops = min(ends[0], wins - 1), min(max(ends[1], wins), n)
    rivals = min(ends[2], rival), min(max(ends[3], rival), n)
    counts, least = build_staircase((wins, rival), n, 0.01, tops, rivals)
    assert (np.diff(least) >= 0).all()
    for k, b in zip(*brute.at_least_as_good(wins, rival, n, 0.01), strict=True):
        if len(counts) and b >= counts[0]:
            assert k >= least[min(b - counts[0], len(least) - 1)]


@settings(max_examples=100, deadline=None)
@given(st.integers(2, 10**9), st.floats(0, 1), st.floats(0, 1), st.floats(-9, -0.4))
def test_the_outcome_seen_is_in_its_own_tail(n, share, part, power):
    """Dropping it by rounding gave an exact level of 1.44 alpha at n = 30."""
    wins = max(1, round(share * n))
    rival = min(int(part * wins), n - wins)
    around = (max(wins - 50, 0), min(wins + 50, n))
    counts, least = build_staircase(
        (wins, rival), n, 10**power, around, (max(rival - 50, 0), min(rival + 50, n))
    )
    assert rival < counts[0] or least[rival - counts[0]] <= wins


@pytest.mark.parametrize("n", [3000, 10**5, 10**7])
@pytest.mark.parametrize("tail", [0.2, 4e-4, 1e-10])
def test_interpolated_scores_are_within_a_tenth_of_the_slack(n, tail):
    for share in (0.003, 0.03, 0.2, 0.5, 0.8, 0.97, 0.997):
        window = int(n * share), min(int(n * share) + 3000, n)
        exact = lower_limit_score(np.arange(window[0], window[1] + 1), n, tail)
        np.testing.assert_allclose(
            interpolate_scores(window, n, tail), exact, rtol=0, atol=SLACK / 10
        )


@pytest.mark.parametrize("n", [1, 2, 30, 1000])
def test_scores_are_quantiles_of_the_lower_limit(n):
    from scipy.stats import norm

    for tail in (0.3, 1e-3, 1e-30):
        k = np.arange(n + 1)
        ours = lower_limit_score(k, n, tail)
        assert ours[0] == -np.inf
        assert (np.diff(ours) > 0).all()
        with np.errstate(divide="ignore"):
            exact = norm.ppf(brute.lower_limit(k, n, tail))
        np.testing.assert_allclose(ours, exact, rtol=1e-8, atol=1e-8)
