"""Limits on mean scores by betting: their level, exactly and by simulation, and safe rounding."""

import mpmath
import numpy as np
import pytest
from scipy.stats import binom

from simplicert.bounds import betting
from simplicert.bounds.softmax import ScoreSums, bound_rivals_betting, bound_score_betting
from simplicert.types import FIXED_POINT

ONE = 1 << FIXED_POINT


def sums_of(scores, axis=-1):
    """Sums below, sums above and squares above the true ones, as a tally knows them."""
    n = scores.shape[axis]
    low = np.floor(scores * ONE).astype(np.int64).sum(axis=axis)
    squares = np.floor(scores * scores * ONE).astype(np.int64).sum(axis=axis)
    return low, low + n, squares + n + (n >> 12) + 1


def limits(scores, tail):
    """(lower, upper) limits of scores (N, n)."""
    low, high, squares = sums_of(scores)
    n = np.full(len(scores), scores.shape[1])
    tails = np.full(len(scores), tail)
    return (
        betting.betting_lower(low, squares, n, tails),
        betting.betting_upper(low, high, squares, n, tails),
    )


def exact_wealth(scores, m, tail):
    """The gamblers' wealth from the scores themselves, in 40 digits."""
    n, tail = len(scores), mpmath.mpf(tail)
    timid = min(mpmath.sqrt(-mpmath.log(tail) / n), mpmath.mpf("0.5"))
    wealth = mpmath.mpf(0)
    for number in range(8):
        share = timid * (mpmath.mpf("0.99") / timid) ** (mpmath.mpf(number) / 7)
        factors = [1 - share + share * mpmath.mpf(float(x)) / m for x in scores]
        wealth += mpmath.fprod(factors) / 8
    return wealth


SHAPES = {
    "spread": lambda random, n: random.beta(2, 3, n),
    "saturated": lambda random, n: random.beta(20, 0.5, n),
    "small": lambda random, n: random.beta(0.1, 4, n),
    "constant": lambda random, n: np.full(n, 0.3),
    "hard": lambda random, n: (random.random(n) < 0.8).astype(float),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_wealth_reaches_its_goal_in_exact_arithmetic(shape):
    """Computed from the scores themselves: at both limits the gamblers have 1 / tail or more."""
    random = np.random.default_rng(1)
    with mpmath.workdps(40):
        for n, tail in ((1, 0.3), (7, 0.1), (60, 0.01), (300, 1e-4)):
            scores = SHAPES[shape](random, n)
            low, high = (mpmath.mpf(float(found[0])) for found in limits(scores[None], tail))
            assert 0 <= low < scores.mean() + 1e-12
            assert high > scores.mean() - 1e-12
            assert low == 0 or exact_wealth(scores, low, tail) >= 1 / mpmath.mpf(tail)
            assert high == 1 or exact_wealth(1 - scores, 1 - high, tail) >= 1 / mpmath.mpf(tail)


def test_never_above_the_limit_of_40_digits_and_hardly_below():
    """The largest m with enough wealth if every score is 0 or Q / S, from the integers alone."""
    random = np.random.default_rng(2)
    with mpmath.workdps(40):
        for _ in range(60):
            n = int(10 ** random.uniform(0.5, 6.9))
            total = int(n * ONE * random.random() ** random.choice([0.01, 1, 5]))
            least = -(-total * total // (n * ONE))
            squares = least + int((total - least) * random.random() ** random.choice([0.1, 1, 9]))
            tail = 10 ** random.uniform(-6, -1)
            given = (np.array([total]), np.array([squares]), np.array([n]), np.array([tail]))
            found = float(betting.betting_lower(*given)[0])
            share_of_zeros = 1 - mpmath.mpf(total) ** 2 / (mpmath.mpf(n) * ONE * squares)
            value, t = mpmath.mpf(squares) / total, mpmath.mpf(float(tail))
            timid = min(mpmath.sqrt(-mpmath.log(t) / n), mpmath.mpf("0.5"))
            shares = [timid * (mpmath.mpf("0.99") / timid) ** (mpmath.mpf(k) / 7) for k in range(8)]

            def enough(m, q=share_of_zeros, x=value, n=n, t=t, shares=shares):
                own = [
                    mpmath.exp(
                        n * (q * mpmath.log(1 - c) + (1 - q) * mpmath.log(1 - c + c * x / m))
                    )
                    for c in shares
                ]
                return sum(own) / 8 >= 1 / t

            assert found == 0 or enough(mpmath.mpf(found))
            width = total / (n * ONE) - found
            assert not enough(mpmath.mpf(found + 1e-6 * width + 1e-10))


@pytest.mark.parametrize("n", [1, 2, 5, 12, 40])
def test_the_level_is_kept_exactly_for_two_values(n):
    """Every number of draws k at the larger value, with its binomial probability."""
    k = np.arange(n + 1)
    for small, large in ((0.0, 1.0), (0.0, 0.6), (0.2, 1.0), (0.45, 0.55), (0.0, 0.01), (0.9, 1.0)):
        scores = np.where(np.arange(n) < k[:, None], large, small)
        for tail in (0.3, 0.05, 0.001):
            low, high = limits(scores, tail)
            for p in (0.001, 0.03, 0.2, 0.5, 0.8, 0.97, 0.999):
                chance, mean = binom.pmf(k, n, p), small + (large - small) * p
                assert chance[low > mean + 1e-12].sum() <= tail
                assert chance[high < mean - 1e-12].sum() <= tail


WORST = {
    "hard .5": (lambda random, size: (random.random(size) < 0.5) * 1.0, 0.5),
    "hard .97": (lambda random, size: (random.random(size) < 0.97) * 1.0, 0.97),
    "rare small": (lambda random, size: np.where(random.random(size) < 0.01, 0.0, 0.7), 0.693),
    "two values": (lambda random, size: np.where(random.random(size) < 0.3, 0.1, 0.9), 0.66),
    "beta .1 .1": (lambda random, size: random.beta(0.1, 0.1, size), 0.5),
    "beta 5 1": (lambda random, size: random.beta(5, 1, size), 5 / 6),
    "near constant": (lambda random, size: 0.8 + 1e-4 * (random.random(size) - 0.5), 0.8),
}


@pytest.mark.parametrize("name", WORST)
def test_the_level_by_simulation(name):
    """At exactly the allowed level a test fails with probability 1e-6, 28 times: 3e-5 in all."""
    draw, mean = WORST[name]
    random = np.random.default_rng(3)
    repeats, tail = 2000, 0.1
    for n in (20, 200):
        low, high = limits(draw(random, (repeats, n)), tail)
        allowed = binom.isf(1e-6, repeats, tail)
        assert (low > mean).sum() <= allowed
        assert (high < mean).sum() <= allowed


def test_with_too_much_wealth_the_limit_is_wrong_too_often(monkeypatch):
    """So the tests above can fail: here the wealth begins at 512, not at 1."""
    wealth = betting._log_wealth
    monkeypatch.setattr(betting, "_log_wealth", lambda *given: wealth(*given) + np.log(512))
    random = np.random.default_rng(4)
    low, _ = limits((random.random((2000, 200)) < 0.5) * 1.0, 0.1)
    assert (low > 0.5).sum() > binom.isf(1e-6, 2000, 0.1)


def test_no_scores_and_the_most_draws():
    none, all_ = np.zeros((1, 50)), np.ones((1, 50))
    assert limits(none, 0.01)[0] == 0
    assert limits(all_, 0.01)[1] == 1
    most = np.array([2**23 - 1])
    whole, tail = most << FIXED_POINT, np.array([0.001])
    low = betting.betting_lower(whole, whole, most, tail)
    high = betting.betting_upper(whole * 0, most, most, most, tail)
    assert 1 - 2e-6 < low < 1
    assert 0 < high < 2e-6


def test_a_level_is_compared_as_the_limit_itself():
    random = np.random.default_rng(5)
    scores = random.beta(0.5, 3, (40, 200))
    low, high, squares = sums_of(scores)
    n, tail = np.full(40, 200), np.full(40, 0.01)
    found = betting.betting_upper(low, high, squares, n, tail)
    for factor, expected in ((1 + 1e-9, True), (1 - 1e-9, False)):
        held = betting.betting_upper_is_at_most(found * factor, low, high, squares, n, tail)
        assert (held == expected).all()


def test_rounding_has_the_room_that_is_stated():
    """128 units for one factor: logarithms, products and sums of a few units each."""
    assert 128 * np.finfo(float).eps == betting.DRAW_ERROR


def test_rivals_have_the_largest_of_all_limits():
    """Also where a rival with a smaller sum and a larger variance has the larger limit."""
    random = np.random.default_rng(6)
    rivals = np.stack([0.1 + 0.01 * random.random((30, 400)), random.beta(0.05, 0.5, (30, 400))], 1)
    sums = ScoreSums(*sums_of(rivals))
    n, tail = np.full(30, 400), np.full(30, 0.01)
    together = bound_rivals_betting(sums, n, tail)
    alone = [
        bound_rivals_betting(ScoreSums(*(values[:, [j]] for values in sums)), n, tail)
        for j in (0, 1)
    ]
    np.testing.assert_array_equal(together, np.maximum(*alone))
    smaller = sums.at_most[:, 1] < sums.at_most[:, 0]
    assert (alone[1] > alone[0])[smaller].any()


def test_a_score_has_the_better_limit_of_two():
    random = np.random.default_rng(7)
    n, tail = np.full(1, 1000), np.full(1, 0.001)
    spread, hard = random.beta(6, 4, (1, 1000)), (random.random((1, 1000)) < 0.6) * 1.0
    for scores, by_bets in ((spread, True), (hard, False)):
        own = ScoreSums(*sums_of(scores))
        bets = betting.betting_lower(own.at_least, own.squares, n, tail / 2)
        found = bound_score_betting(own, n, tail)
        assert (found == bets) == by_bets
        assert found >= bets


def test_what_the_classes_leave_is_enclosed_on_the_safe_side():
    """Of 1 - score the sum is at most, and the sum of squares at least, that of any true scores."""
    n, low, high, squares = 50, 10 * ONE, 12 * ONE, 6 * ONE
    sums, others = betting._complement(*(np.array([v]) for v in (low, high, squares, n)))
    for true in (low, 11 * ONE, high):
        assert sums[0] <= n * ONE - true
        assert others[0] >= n * ONE - 2 * true + squares
    assert (sums[0], others[0]) == (38 * ONE, 36 * ONE)
