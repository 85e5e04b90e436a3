"""The limit by fixed bets is valid, counted out exactly in each of the three cases."""

from itertools import combinations, product
from math import comb, factorial

import numpy as np
import pytest

from simplicert.bounds.bets import SPREAD, WEIGHTS, betting_lower, choose_bets

VALUES = np.array([-0.5, 0.25, 1.0])
TAIL = 0.1


def limit_of(counts, bets, tail=TAIL):
    return betting_lower(VALUES, np.asarray(counts, float), bets, tail)


def count_vectors(total):
    for a in range(total + 1):
        for b in range(total - a + 1):
            yield a, b, total - a - b


@pytest.mark.parametrize("inputs", [5, 20])
@pytest.mark.parametrize("variance", [0.05, 0.5])
def test_independent_inputs_exactly(inputs, variance):
    bets = choose_bets(variance, inputs, TAIL, 1.5)
    limits = {counts: limit_of(counts, bets) for counts in count_vectors(inputs)}
    worst = 0.0
    for a, b in product(np.linspace(0, 1, 21), repeat=2):
        if a + b > 1 + 1e-12:
            continue
        chance = np.array([a, b, max(1 - a - b, 0)])
        mean, wrong = float(chance @ VALUES), 0.0
        for counts, limit in limits.items():
            if limit > mean + 1e-12:
                ways = factorial(inputs) // np.prod([factorial(n) for n in counts], dtype=object)
                wrong += float(ways) * float(np.prod(chance ** np.array(counts)))
        worst = max(worst, wrong)
    assert 0 < worst <= TAIL


@pytest.mark.parametrize("inputs", [3, 6])
def test_without_replacement_and_all_of_a_list_exactly(inputs):
    """Six inputs, each with two values of its own: every subset and every outcome."""
    rng = np.random.default_rng(inputs)
    bets = choose_bets(0.1, inputs, TAIL, 1.5)
    for _ in range(5):
        high = rng.choice([0.0, 0.2, 0.9, 1.0], 6)  # probability of the value 1, else -1/2
        mean = float(np.mean(1.5 * high - 0.5))
        wrong = 0.0
        for subset in combinations(range(6), inputs):
            for outcome in product((0, 1), repeat=inputs):
                share = np.prod(
                    [high[i] if o else 1 - high[i] for i, o in zip(subset, outcome, strict=True)]
                )
                if share and limit_of((inputs - sum(outcome), 0, sum(outcome)), bets) > mean:
                    wrong += float(share) / comb(6, inputs)
        assert wrong <= TAIL


def test_no_factor_is_near_zero_and_weights_sum_to_one():
    assert sum(WEIGHTS) == pytest.approx(1) and len(WEIGHTS) == len(SPREAD)
    for inputs, variance in ((1, 1e-9), (10, 0.0), (10**6, 0.5)):
        bets = choose_bets(variance, inputs, 1e-3, 1.5)
        assert (bets > 0).all() and bets.max() * 1.5 <= 0.9


def test_bets_are_the_best_one_and_two_beside_it():
    """sqrt(2 log(1 / tail) / (n variance)), half of it and twice it; no more than the range allows.

    Values that are all equal have no variance and no range, and any bet will do.
    """
    best = np.sqrt(2 * np.log(10) / (100 * 0.5))
    np.testing.assert_allclose(choose_bets(0.5, 100, 0.1, 1.0), [best / 2, best, 2 * best])
    np.testing.assert_allclose(choose_bets(0.5, 100, 0.1, 1.5), [best / 2, best, 0.6])
    np.testing.assert_allclose(choose_bets(0.0, 100, 0.1, 0.0), [0.45, 0.9, 0.9])


def test_the_limit_is_where_the_capital_is_enough():
    counts = np.array([30.0, 20.0, 50.0])
    bets = choose_bets(0.4, 100, TAIL, 1.5)
    limit = limit_of(counts, bets)
    capital = sum(
        weight * np.prod((1 + bet * (VALUES - limit)) ** counts)
        for bet, weight in zip(bets, WEIGHTS, strict=True)
    )
    assert 1 / TAIL <= capital < 1.00001 / TAIL
    assert limit < counts @ VALUES / 100


def test_little_evidence_gives_the_least_value():
    assert limit_of((1, 0, 0), choose_bets(0.4, 1, TAIL, 1.5)) == -0.5
    assert limit_of((0, 0, 1), choose_bets(0.4, 1, 1e-9, 1.5), 1e-9) == -0.5


def test_more_confidence_certifies_less():
    bets = choose_bets(0.4, 100, TAIL, 1.5)
    limits = [limit_of((30, 20, 50), bets, tail) for tail in (0.5, 0.1, 0.01, 1e-6)]
    assert limits == sorted(limits, reverse=True) and len({*limits}) == 4
