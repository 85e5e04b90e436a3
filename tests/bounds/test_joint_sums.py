"""The parts of the fast limit: scores by polynomials, factorials by a series, sums in one pass."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.special import gammaln, ndtr

from simplicert.bounds.joint import scores, search, staircases, sums
from simplicert.bounds.joint.buehler import describe_cases
from simplicert.bounds.joint.tail import build_staircase, lower_limit_score, tail_probability

COUNTS = [
    (40, 9, 60),
    (600, 50, 1000),
    (30_000, 10_000, 10**5),
    (57_000, 3, 10**5),
    (990, 10, 1000),
]


def random_windows(count, most, seed=0):
    """Windows of counts anywhere, of 30 draws and more, and a tail for each."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        n, far = int(10 ** random.uniform(1.5, most)), 10 ** random.uniform(-4, 0)
        share = far if random.random() < 0.5 else 1 - far
        k, half = int(share * n), random.uniform(3, 10) * np.sqrt(n * share * (1 - share)) + 5
        window = max(int(k - half), 0), min(int(k + half), n)
        yield window, n, 10 ** random.uniform(-8, -1)


def test_scores_by_polynomials_are_the_scores():
    """Windows anywhere, of 30 to 1e8 draws: off by less than a tenth of what is allowed."""
    for window, n, tail in random_windows(60, 8):
        found = scores.tabulate_scores(window, n, tail)
        assert len(found) == window[1] - window[0] + 1
        some = np.unique(np.linspace(0, len(found) - 1, 40).astype(int))
        exact = lower_limit_score(window[0] + some, n, tail)
        live = np.isfinite(exact)
        assert (found[some][~live] == exact[~live]).all()
        error = np.abs(found[some][live] - exact[live]) / (1 + np.abs(exact[live]))
        assert error.max(initial=0) < scores.SLACK / 10


def test_a_table_and_a_window_have_the_same_bits():
    """Which is why the company of an input does not matter."""
    for window, n, tail in random_windows(12, 4.5, seed=1):
        table = scores.score_table(n, tail)
        assert len(table) == n + 1
        part = table[window[0] : window[1] + 1]
        np.testing.assert_array_equal(part, scores.tabulate_scores(window, n, tail))


@pytest.mark.parametrize("draws", [1, 2, 16, 31, 32, 33, 100, 1001, 10**5, 10**8])
def test_pieces_hold_every_count_once(draws):
    pieces = scores.divide_counts(draws)
    assert pieces[0].first == 0 and pieces[-1].last == draws
    assert all(a.last + 1 == b.first for a, b in pairwise(pieces))
    assert all(piece.first <= piece.last for piece in pieces)


def test_factorials():
    x = np.concatenate([np.arange(300.0), 10.0 ** np.arange(3, 9)])
    np.testing.assert_allclose(sums.log_factorial(x), gammaln(x + 1), rtol=4e-15, atol=1e-12)
    counts = np.array([0, 1, 2, 150, 99_999, 100_000])
    for most in (10**5, 10**7):  # by the table, and without
        found = sums.find_factorials(most)(counts)
        np.testing.assert_array_equal(found, sums.log_factorial(counts.astype(float)))


def columns_of(counts, a=9e-4):
    """Several inputs, (wins, rival, draws) each."""
    wins, rivals, draws = np.array(counts).T
    return describe_cases(wins, rivals, draws, np.full(len(wins), a), 0.1)


def test_staircases_of_many_are_those_of_each():
    """Against the builder of one staircase, whose scores are interpolated by other means."""
    cases = columns_of(COUNTS)
    seen = staircases.SeenOutcomes(cases.wins, cases.rival, cases.draws, cases.level / 2)
    wide = 6 * np.sqrt(cases.draws).astype(int)
    tops = np.maximum(cases.wins - wide, 0), np.minimum(cases.wins + wide, cases.draws)
    rivals = np.maximum(cases.rival - wide, 0), np.minimum(cases.rival + wide, cases.draws)
    made = staircases.build_staircases(seen, tops, rivals)
    for row, (wins, losses, n, tail) in enumerate(zip(*seen, strict=True)):
        ranges = [(int(first[row]), int(last[row])) for first, last in (tops, rivals)]
        b, least = build_staircase((wins, losses), n, tail, *ranges)
        assert made.first[row] == b[0]
        np.testing.assert_array_equal(made.least[made.begin[row] : made.begin[row + 1]], least)


def test_what_was_seen_is_in_its_tail_whatever_scores_say(monkeypatch):
    """Scores that are off: the staircase still takes in the outcome, and all that is better."""
    whole = staircases.lower_limit_score
    monkeypatch.setattr(staircases, "lower_limit_score", lambda *x: whole(*x) + 0.1)
    wins, losses, n = (np.array([v]) for v in (600, 50, 1000))
    seen = staircases.SeenOutcomes(wins, losses, n, np.array([4e-4]))
    ranges = [(np.array([first]), np.array([last])) for first, last in ((400, 800), (10, 120))]
    made = staircases.build_staircases(seen, *ranges)
    assert made.least[50 - made.first[0]] == 600
    assert (made.least[: 50 - made.first[0]] <= 600).all()


def points_of(case_rows, tops, rivals):
    """Points of some inputs, a list for each."""
    begin = np.cumsum([0, *map(len, tops)])
    return sums.PointsOfInputs(np.array(case_rows), begin, np.hstack(tops), np.hstack(rivals))


def test_sums_are_the_tail():
    """Several inputs at once, against the sum in its own order, all terms; cut ends only add."""
    cases = columns_of(COUNTS)
    made = search.make_curve_tails(cases)
    x = np.linspace(cases.low - 2 * cases.guess, np.minimum(cases.high, -cases.guess), 9).T
    p = ndtr(x)
    top = np.minimum(ndtr(x + 2 * cases.guess[:, None]), 1 - p)
    far, rows = np.full(len(COUNTS), 40.0), range(len(COUNTS))
    flat = points_of(rows, list(top), list(p))
    tails = [sums.take_tail(made.stairs, row) for row in rows]
    exact = [tail_probability(tails[row], top[row], p[row], 40.0) for row in rows]
    found = sums.sum_tails(made, flat, far, 40.0).reshape(p.shape)
    np.testing.assert_allclose(found, exact, rtol=1e-9)
    below = search.reach_below(cases.level)
    cut = sums.sum_tails(made, flat, below, search.ABOVE).reshape(p.shape)
    assert (cut >= np.array(exact) * (1 - 1e-9)).all()
    assert (cut <= exact + 2e-3 * cases.level[:, None]).all()


def test_steep_steps_and_gentle_ones_side_by_side():
    """Where a step spans many counts, the incomplete beta function serves; terms are none."""
    cases = columns_of([(99_000, 2, 10**5), (600, 50, 1000), (57_000, 3, 10**5)])
    made = search.make_curve_tails(cases)
    assert (made.terms == 0).any() and (made.terms > 0).any()
    p = [np.array([1e-4, 2e-4]), np.array([0.05, 0.06, 0.07]), np.array([2e-4])]
    top = [np.array([0.98, 0.99]), np.array([0.5, 0.55, 0.6]), np.array([0.565])]
    found = sums.sum_tails(made, points_of(range(3), top, p), np.full(3, 9.0), 9.0)
    exact = [
        tail_probability(sums.take_tail(made.stairs, row), top[row], p[row], 9.0)
        for row in range(3)
    ]
    np.testing.assert_allclose(found, np.hstack(exact), rtol=1e-9)


def test_blocks_are_one_sum(monkeypatch):
    made = search.make_curve_tails(columns_of([(600, 50, 1000)]))
    p = np.linspace(0.04, 0.06, 7)
    flat, far = points_of([0], [10 * p], [p]), np.array([8.0])
    whole = sums.sum_tails(made, flat, far, 8.0)
    monkeypatch.setattr(sums, "BLOCK", 1)
    np.testing.assert_allclose(sums.sum_tails(made, flat, far, 8.0), whole, rtol=1e-9)
