"""The fast limit: never above brute force, nearly equal to it, never below the pair."""

import brute
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri
from tiers import some_slow

from simplicert.bounds.joint import search, sums
from simplicert.bounds.joint.buehler import (
    buehler_lower,
    describe_cases,
    largest_rival_quantile,
    make_cases,
)
from simplicert.bounds.joint.tail import tail_probability

BELOW = 6e-3  # how far below brute force a radius may be: points and headroom


def limits(wins, rivals, draws, a):
    return search.segment_lower(wins, rivals, draws, a, brute.SHARE)


def lower(wins, rival, draws, a):
    """One input."""
    return limits(*(np.array([v]) for v in (wins, rival, draws)), np.array([a]))[0]


def check_every_outcome(n, a, some=None):
    """A radius above the reference would be false."""
    wins, rivals = brute.listed(n)
    wins, rivals = wins[wins > rivals], rivals[wins > rivals]
    if some is not None:
        wins, rivals = wins[some(len(wins))], rivals[some(len(wins))]
    found = limits(wins, rivals, np.full(len(wins), n), np.full(len(wins), a))
    for k, b, radius in zip(wins, rivals, found, strict=True):
        reference = brute.limit(k, b, n, a)
        assert reference - BELOW <= radius <= reference, (k, b, n, a)


@pytest.mark.parametrize("a", [0.2, 9e-4])
@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_all_outcomes_of_very_few_draws_against_brute_force(n, a):
    check_every_outcome(n, a)


@pytest.mark.slow
@pytest.mark.parametrize("n", [*range(1, 13), 17, 24])
def test_all_outcomes_of_few_draws_against_brute_force(n):
    for a in (0.2, 0.0451, 9e-4):
        check_every_outcome(n, a)


@pytest.mark.parametrize("seed", some_slow(range(12), 3))
def test_a_long_hunt_for_a_radius_that_is_too_large(seed):
    """3,000 outcomes of up to 60 draws at levels from 1e-6 to .3."""
    random = np.random.default_rng(seed)
    for _ in range(10):
        n, a = int(random.integers(1, 61)), 10 ** random.uniform(-6, np.log10(0.3))
        order = random.permutation(n * n)
        check_every_outcome(n, a, lambda size, order=order: order[order < size][:25])


def test_all_draws_agree():
    """Nothing is as good but the outcome itself: Phi(r)^n = a - beta, in closed form."""
    for n in (20, 1000, 10**5):
        for a in (0.05, 9e-4):
            exact = ndtri(((1 - brute.SHARE) * a) ** (1 / n))
            assert exact * (1 - 3e-3) < lower(n, 0, n, a) < exact


@settings(max_examples=40, deadline=None)
@given(st.integers(20, 3000), st.floats(0.2, 1), st.floats(0, 0.9), st.floats(-6, -1))
def test_never_below_the_pair_it_orders_by(n, share, part, power):
    wins = max(1, round(share * n))
    rival = min(int(part * wins), n - wins, wins - 1)
    a = 10**power
    tail = (1 - brute.SHARE) * a / 2
    pair = brute.pair_radius(np.array(wins), np.array(rival), n, tail)
    assert lower(wins, rival, n, a) >= pair - 1e-4 * (1 + abs(pair))


@pytest.mark.parametrize("n", [100, 1000, 10**4])
def test_against_the_search_by_cells(n):
    """Counts from all over the simplex: the slack is within half a percent of the other's."""
    random = np.random.default_rng(n)
    counts = -np.sort(-random.multinomial(n, random.dirichlet(np.full(6, 0.6), 40)), axis=1)
    wins, rivals = counts[:, 0], counts[:, 1]
    made = np.full(40, n), np.full(40, 9e-4)
    ours, cells = limits(wins, rivals, *made), buehler_lower(wins, rivals, *made, brute.SHARE)
    true = (ndtri((wins + 0.5) / (n + 1)) - ndtri((rivals + 0.5) / (n + 1))) / 2
    live = cells > 0
    assert live.sum() > 5
    slack = (true - ours)[live] / (true - cells)[live]
    assert slack.max() < 1.005
    assert slack.min() > 0.98


@pytest.mark.parametrize(
    ("wins", "rival", "n"),
    [
        (600, 50, 1000),
        (9000, 800, 10**4),
        (30_000, 10_000, 10**5),
        (99_990, 8, 10**5),
        (57_000, 3, 10**5),
        (60_000, 40_000, 10**5),
    ],
)
def test_no_point_of_the_boundary_is_acceptable(wins, rival, n):
    """A proved radius against 2,000 points of its boundary, each with all its terms."""
    counts = [np.array([v]) for v in (wins, rival, n)]
    case = next(make_cases(*counts, np.array([9e-4]), brute.SHARE))
    r = lower(wins, rival, n, 9e-4)
    x = np.linspace(case.low - 2 * r, largest_rival_quantile(case, r), 2000)
    p = ndtr(x)
    made = search.make_curve_tails(describe_cases(*counts, np.array([9e-4]), brute.SHARE))
    tail = sums.take_tail(made.stairs, 0)
    values = tail_probability(tail, np.minimum(ndtr(x + 2 * r), 1 - p), p, 30.0)
    assert 0.93 * case.level <= values.max() <= case.level


@pytest.mark.parametrize("a", [1e-300, 1e-281, 1e-100, 0.5, 0.9])
@pytest.mark.parametrize(
    ("wins", "rival", "n"), [(1, 0, 1), (5, 0, 5), (50, 50, 100), (90, 3, 100)]
)
def test_levels_at_their_edges(a, wins, rival, n):
    found = lower(wins, rival, n, a)
    assert 0 <= found < 10
    if wins == rival:
        assert found == 0


def test_the_company_of_an_input_does_not_matter():
    """The same bits alone, in a batch, in another order, and beside inputs of another size."""
    random = np.random.default_rng(5)
    draws = np.repeat([60, 1000, 10**4, 10**5], 25)
    p = random.dirichlet(np.full(5, 0.7), 100)
    counts = -np.sort(-random.multinomial(draws, p), axis=1)
    wins, rivals, a = counts[:, 0], counts[:, 1], np.full(100, 9e-4)
    ours = limits(wins, rivals, draws, a)
    order = random.permutation(100)
    back = limits(wins[order], rivals[order], draws[order], a)
    np.testing.assert_array_equal(ours[order], back)
    for row in range(0, 100, 9):
        assert ours[row] == lower(wins[row], rivals[row], draws[row], 9e-4)


def test_threads_do_not_matter(monkeypatch):
    """The same bits in one thread, in several, and however many inputs are searched in step."""
    random = np.random.default_rng(6)
    counts = -np.sort(-random.multinomial(300, random.dirichlet(np.full(5, 0.7), 20)), axis=1)
    made = counts[:, 0], counts[:, 1], np.full(20, 300), np.full(20, 9e-4)
    monkeypatch.setattr(search, "available_cores", lambda: 1)
    alone = limits(*made)
    monkeypatch.setattr(search, "available_cores", lambda: 3)
    np.testing.assert_array_equal(limits(*made), alone)
    monkeypatch.setattr(search, "TOGETHER", 7)
    np.testing.assert_array_equal(limits(*made), alone)


def test_no_inputs():
    assert len(limits(*(np.empty(0, int) for _ in range(3)), np.empty(0))) == 0
