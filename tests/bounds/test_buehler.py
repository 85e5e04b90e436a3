"""The limit on the radius: never above brute force, nearly equal to it, never below the pair."""

import os
from concurrent.futures import ThreadPoolExecutor

import brute
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri
from tiers import some_slow

from simplicert.bounds.joint import buehler
from simplicert.bounds.joint.tail import tail_probability


def limits(wins, rivals, draws, a):
    return buehler.buehler_lower(wins, rivals, draws, a, brute.SHARE)


def lower(wins, rival, draws, a):
    """One input."""
    return limits(*(np.array([v]) for v in (wins, rival, draws)), np.array([a]))[0]


def case_of(wins, rival, draws, a=9e-4):
    counts = (np.array([v]) for v in (wins, rival, draws))
    return next(buehler.make_cases(*counts, np.array([a]), brute.SHARE))


def outcomes(n):
    """All (wins, rival) with wins above the rival's count."""
    top, rival = brute.listed(n)
    return top[top > rival], rival[top > rival]


@pytest.mark.parametrize("n", some_slow([24, 12, 7, 3, 1, 2, 4, 5, 6, 8, 9, 10, 11, 17], 5))
def test_all_outcomes_of_few_draws_against_brute_force(n):
    """Every outcome, three levels; a radius above the reference would be false."""
    wins, rivals = outcomes(n)
    for a in (0.2, 0.0451, 9e-4):
        ours = limits(wins, rivals, np.full(len(wins), n), np.full(len(wins), a))
        for k, b, found in zip(wins, rivals, ours, strict=True):
            reference = brute.limit(k, b, n, a)
            assert found <= reference, (k, b, n, a)
            assert found >= reference - 4e-3, (k, b, n, a)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.integers(10, 60), st.floats(0, 1), st.floats(0, 1), st.floats(-6, -0.52))
def test_any_outcome_against_brute_force(n, share, part, power):
    wins = max(1, round(share * n))
    rival = min(int(part * wins), n - wins, wins - 1)
    found, reference = lower(wins, rival, n, 10**power), brute.limit(wins, rival, n, 10**power)
    assert found <= reference
    assert found >= reference - 4e-3


@pytest.mark.parametrize("seed", some_slow(range(20), 3))
def test_a_long_hunt_for_a_radius_that_is_too_large(seed):
    """5,000 outcomes of up to 60 draws at levels from 1e-6 to .3."""
    random = np.random.default_rng(seed)
    for _ in range(10):
        n, a = int(random.integers(1, 61)), 10 ** random.uniform(-6, np.log10(0.3))
        wins, rivals = outcomes(n)
        some = random.permutation(len(wins))[:25]
        wins, rivals = wins[some], rivals[some]
        ours = limits(wins, rivals, np.full(len(wins), n), np.full(len(wins), a))
        for k, b, found in zip(wins, rivals, ours, strict=True):
            assert found <= brute.limit(k, b, n, a)


def test_all_draws_agree():
    """Nothing is as good but the outcome itself: Phi(r)^n = a - beta, in closed form."""
    for n in (20, 1000, 10**5):
        for a in (0.05, 9e-4):
            exact = ndtri(((1 - brute.SHARE) * a) ** (1 / n))
            found = lower(n, 0, n, a)
            assert exact * (1 - 2e-3) < found < exact


@settings(max_examples=40, deadline=None)
@given(st.integers(20, 3000), st.floats(0.2, 1), st.floats(0, 0.9), st.floats(-6, -1))
def test_never_below_the_pair_it_orders_by(n, share, part, power):
    wins = max(1, round(share * n))
    rival = min(int(part * wins), n - wins, wins - 1)
    a = 10**power
    tail = (1 - brute.SHARE) * a / 2
    pair = brute.pair_radius(np.array(wins), np.array(rival), n, tail)
    assert lower(wins, rival, n, a) >= pair - 1e-4 * (1 + abs(pair))


@pytest.mark.parametrize("n", [60, 1000])
def test_it_falls_as_the_rival_rises(n):
    """So the strongest rival is the only one to compute; to the width of the cells."""
    rivals = np.unique(np.linspace(0, n // 3, 30).astype(int))
    ours = limits(*np.broadcast_arrays(n // 2, rivals, n), np.full(len(rivals), 9e-4))
    live = ours[ours > 0]
    assert len(live) > 5
    assert (np.diff(live) < 1e-3).all()


@pytest.mark.parametrize(
    ("wins", "rival", "n"),
    [
        (600, 50, 1000),
        (9000, 800, 10**4),
        (30_000, 10_000, 10**5),
        (99_990, 8, 10**5),
        (57_000, 3, 10**5),
    ],
)
def test_no_point_of_the_boundary_is_acceptable(wins, rival, n):
    """A proved radius against 2,000 points of its boundary, each with all its terms."""
    case = case_of(wins, rival, n)
    r = buehler.bound_radius(case)
    tail = buehler.make_case_tail(case, 9.0)
    x = np.linspace(case.low - 2 * r, buehler.largest_rival_quantile(case, r), 2000)
    p = ndtr(x)
    values = tail_probability(tail, np.minimum(ndtr(x + 2 * r), 1 - p), p, 30.0)
    assert values.max() <= case.level
    assert values.max() >= 0.9 * case.level  # and nothing much is given away


def test_cells_between_the_nodes_are_covered():
    """A radius just above the limit is not proved, however the cells lie."""
    case = case_of(300, 100, 1000)
    reach = -float(ndtri(buehler.CUT * case.level))
    tail = buehler.make_case_tail(case, reach)
    r = buehler.bound_radius(case)
    assert buehler.proves_radius(case, tail, reach, r)
    assert not buehler.proves_radius(case, tail, reach, r * 1.001)


@pytest.mark.parametrize("wins", [300, 600, 990])
def test_cells_reach_from_one_end_of_the_boundary_to_the_other(wins):
    case = case_of(wins, 9, 1000)
    reach = -float(ndtri(buehler.CUT * case.level))
    tail, r = buehler.make_case_tail(case, reach), buehler.bound_radius(case)
    x, values = buehler.boundary_probabilities(case, tail, reach, r)
    edges = buehler.space_cells(tail, reach, r, x, values, case.level)
    assert (edges[0], edges[-1]) == (x[0], x[-1])
    assert (np.diff(edges) > 0).all()


@pytest.mark.parametrize("a", [1e-300, 1e-281, 1e-100, 0.5, 0.9])
@pytest.mark.parametrize(
    ("wins", "rival", "n"), [(1, 0, 1), (5, 0, 5), (50, 50, 100), (90, 3, 100)]
)
def test_levels_at_their_edges(a, wins, rival, n):
    found = lower(wins, rival, n, a)
    assert 0 <= found < 10
    if wins == rival:
        assert found == 0


def test_the_order_of_the_inputs_does_not_matter():
    """The same bits alone, in a batch, and in another order."""
    wins, rivals = np.array([60, 70, 500, 9000]), np.array([20, 20, 100, 100])
    draws, a = np.array([100, 100, 1000, 10**4]), np.full(4, 9e-4)
    ours = limits(wins, rivals, draws, a)
    back = limits(wins[::-1], rivals[::-1], draws[::-1], a)[::-1]
    np.testing.assert_array_equal(ours, back)
    assert ours[2] == lower(500, 100, 1000, 9e-4)


def test_threads_are_as_many_as_the_job_has_cores(monkeypatch):
    made = []

    def pool(max_workers):
        made.append(max_workers)
        return ThreadPoolExecutor(max_workers)

    monkeypatch.setattr(buehler, "ThreadPoolExecutor", pool)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2}, raising=False)
    assert lower(9, 1, 10, 0.1) > 0
    assert made == [3]
