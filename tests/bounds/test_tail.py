"""The probability of a staircase: exact inside, never below, whatever is cut."""

import brute
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf
from scipy.stats import binom

from simplicert.bounds.joint.tail import STEEP, build_staircase, build_tail, tail_probability


def summed(counts, least, n, p_top, p_rival):
    """The same by scipy's binomial distribution."""
    q = np.minimum(p_top / (1 - p_rival), 1.0)
    b, k = counts[:, None], least[:, None]
    inside = (binom.pmf(b, n, p_rival) * binom.sf(k - 1, n - b, q)).sum(axis=0)
    above = binom.sf(counts[-1], n, p_rival) * binom.sf(least[-1] - 1, n - counts[-1], q)
    return binom.cdf(counts[0] - 1, n, p_rival) + inside + above


@settings(max_examples=200, deadline=None)
@given(st.integers(2, 40), st.data())
def test_against_every_outcome_added_up(n, data):
    wins = data.draw(st.integers(1, n))
    rival = data.draw(st.integers(0, min(wins - 1, n - wins)))
    tail = build_tail(*build_staircase((wins, rival), n, 0.01, (0, n), (0, n)), n)
    p_rival = np.array(data.draw(st.lists(st.floats(1e-6, 0.9), min_size=1, max_size=5)))
    p_top = (1 - p_rival) * data.draw(st.floats(1e-6, 1 - 1e-9))
    exact = brute.mass(*brute.at_least_as_good(wins, rival, n, 0.01), n, p_top, p_rival)
    ours = tail_probability(tail, p_top, p_rival, reach=40.0)
    np.testing.assert_allclose(ours, exact, rtol=1e-10, atol=1e-200)


@pytest.mark.parametrize(
    ("n", "wins", "rival"),
    [
        (10**4, 6000, 500),
        (10**5, 30_000, 10_000),
        (10**6, 50_000, 20_000),
        (10**7, 6 * 10**6, 3 * 10**6),
    ],
)
def test_many_draws_against_scipy(n, wins, rival):
    """Where the steps are climbed term by term; the observed frequencies and 4 deviations off."""
    spread = int(9 * np.sqrt(n))
    windows = ((wins - spread, wins + spread), (max(rival - spread, 0), rival + spread))
    counts, least = build_staircase((wins, rival), n, 4e-4, *windows)
    tail = build_tail(counts, least, n)
    assert len(tail.hits) > 0
    off = np.array([0.0, 2.0, 4.0])
    p_top, p_rival = (
        np.array(count) / n + sign * off * np.sqrt(count * (n - count) / n) / n
        for count, sign in ((wins, -1), (rival, 1))
    )
    exact = summed(counts, least, n, p_top, p_rival)
    np.testing.assert_allclose(tail_probability(tail, p_top, p_rival, 30.0), exact, rtol=1e-6)
    cut = tail_probability(tail, p_top, p_rival, reach=6.0)
    assert (cut >= exact * (1 - 1e-6)).all()
    np.testing.assert_allclose(cut, exact, rtol=1e-5, atol=1e-8)


def test_steep_steps_against_scipy():
    """A handful of rival's draws among 100,000: one incomplete beta function a step."""
    n, wins, rival = 10**5, 57_000, 5
    counts, least = build_staircase((wins, rival), n, 4e-4, (40_000, 80_000), (0, 40))
    tail = build_tail(counts, least, n)
    assert len(tail.hits) == 0
    assert np.ptp(least) > STEEP * len(least)
    p_rival = np.array([1e-5, 5e-5, 2e-4])
    p_top = np.array([0.57, 0.55, 0.56])
    exact = summed(counts, least, n, p_top, p_rival)
    np.testing.assert_allclose(tail_probability(tail, p_top, p_rival, 30.0), exact, rtol=1e-9)


def test_forty_digits():
    """One tail at n = 300 in exact arithmetic."""
    mp.dps = 40
    n, wins, rival = 300, 180, 40
    counts, least = build_staircase((wins, rival), n, 0.005, (0, n), (0, n))
    tail = build_tail(counts, least, n)
    p, q = mpf(0.5), mpf(0.2)  # the doubles, to all their digits
    rest = 1 - p - q
    exact = mpf(0)
    for b, k in zip(counts.tolist(), least.tolist(), strict=True):
        for a in range(k, n - b + 1):
            exact += mp.binomial(n, b) * mp.binomial(n - b, a) * p**a * q**b * rest ** (n - a - b)
    ours = tail_probability(tail, np.array([0.5]), np.array([0.2]), 60.0)[0]
    assert abs(ours / exact - 1) < 1e-12


@settings(max_examples=100, deadline=None)
@given(st.floats(0.05, 0.6), st.floats(0.01, 0.35), st.floats(0.5, 7))
def test_what_is_cut_is_added(p_top, p_rival, reach):
    """A shorter reach may only raise the probability."""
    n = 1000
    counts, least = build_staircase((400, 100), n, 1e-3, (200, 700), (0, 400))
    tail = build_tail(counts, least, n)
    p = np.array([p_top]), np.array([p_rival])
    whole = tail_probability(tail, *p, reach=40.0)
    assert (tail_probability(tail, *p, reach=reach) >= whole * (1 - 1e-12)).all()


@settings(max_examples=100, deadline=None)
@given(st.floats(0.05, 0.6), st.floats(0.01, 0.35), st.floats(0, 0.04), st.floats(1e-6, 1))
def test_it_rises_with_the_top_class_and_falls_with_the_rival(p_top, p_rival, more, share):
    """What makes a corner of a cell its worst point."""
    n = 300
    counts, least = build_staircase((130, 40), n, 1e-3, (0, n), (0, n))
    tail = build_tail(counts, least, n)
    top = np.array([p_top, p_top + more, p_top])
    rival = np.array([p_rival, p_rival, p_rival * share])
    here, higher, weaker = tail_probability(tail, top, rival, reach=40.0)
    assert higher >= here * (1 - 1e-9)
    assert weaker >= here * (1 - 1e-9)


def test_nothing_left_for_other_classes():
    """p_A + p_j = 1: a two-class binomial; never below it, and not above by a visible part."""
    n = 200
    counts, least = build_staircase((150, 40), n, 1e-3, (0, n), (0, n))
    tail = build_tail(counts, least, n)
    p_rival = np.array([0.2, 0.3, 0.4])
    ours = tail_probability(tail, 1 - p_rival, p_rival, 40.0)
    allowed = [b for b, k in zip(counts, least, strict=True) if k <= n - b]
    exact = binom.cdf(max(allowed), n, p_rival)
    assert (ours >= exact * (1 - 1e-12)).all()
    np.testing.assert_allclose(ours, exact, rtol=1e-9)


def test_points_far_apart_do_not_widen_each_other():
    """What is cut is cut by the reach of every point of a block, not of the smallest alone."""
    n = 1000
    counts, least = build_staircase((400, 100), n, 1e-3, (100, 700), (0, 500))
    tail = build_tail(counts, least, n)
    p_top, p_rival = np.array([0.3, 0.3]), np.array([0.05, 0.35])
    together = tail_probability(tail, p_top, p_rival, reach=6.0)
    alone = [tail_probability(tail, p_top[i : i + 1], p_rival[i : i + 1], 40.0)[0] for i in (0, 1)]
    np.testing.assert_allclose(together, alone, rtol=1e-6)
