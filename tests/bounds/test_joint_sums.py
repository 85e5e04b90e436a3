"""The parts of the fast limit: scores by polynomials, factorials by a series, sums in one pass."""

import numpy as np
import pytest
from scipy.special import gammaln, ndtr

from simplicert.bounds.joint import scores, search, sums
from simplicert.bounds.joint.buehler import make_cases
from simplicert.bounds.joint.tail import lower_limit_score, tail_probability


def test_scores_by_polynomials_are_the_scores():
    """Windows anywhere, of 30 to 1e8 draws: off by less than a tenth of what is allowed."""
    random = np.random.default_rng(0)
    for _ in range(60):
        n, far = int(10 ** random.uniform(1.5, 8)), 10 ** random.uniform(-4, 0)
        share = far if random.random() < 0.5 else 1 - far
        k, half = int(share * n), random.uniform(3, 10) * np.sqrt(n * share * (1 - share)) + 5
        window = max(int(k - half), 0), min(int(k + half), n)
        tail = 10 ** random.uniform(-8, -1)
        found = scores.chebyshev_scores(window, n, tail)
        assert len(found) == window[1] - window[0] + 1
        some = np.unique(np.linspace(0, len(found) - 1, 40).astype(int))
        exact = lower_limit_score(window[0] + some, n, tail)
        live = np.isfinite(exact)
        assert (found[some][~live] == exact[~live]).all()
        error = np.abs(found[some][live] - exact[live]) / (1 + np.abs(exact[live]))
        assert error.max(initial=0) < scores.SLACK / 10


@pytest.mark.parametrize("window", [(150, 8, 141), (200, 24, 175), (300, 5, 174)])
def test_windows_of_few_draws_have_points_enough(window):
    """Ten deviations of a few hundred draws are most of the counts: no window is wider."""
    n, first, last = window
    exact = lower_limit_score(np.arange(first, last + 1), n, 1e-8)
    error = np.abs(scores.chebyshev_scores((first, last), n, 1e-8) - exact) / (1 + np.abs(exact))
    assert error.max() < scores.SLACK / 10


def test_factorials():
    x = np.concatenate([np.arange(300.0), 10.0 ** np.arange(3, 9)])
    np.testing.assert_allclose(sums.log_factorial(x), gammaln(x + 1), rtol=4e-15, atol=1e-12)


@pytest.mark.parametrize(
    ("wins", "rival", "draws"),
    [(40, 9, 60), (600, 50, 1000), (30_000, 10_000, 10**5), (57_000, 3, 10**5), (990, 10, 1000)],
)
def test_sums_are_the_tail(wins, rival, draws):
    """Against the sum in its own order, all terms; cut ends only add."""
    counts = (np.array([v]) for v in (wins, rival, draws))
    case = next(make_cases(*counts, np.array([9e-4]), 0.1))
    made = search.make_curve_tail(case)
    x = np.linspace(case.low - 2 * case.guess, min(case.high, -case.guess), 9)
    p = ndtr(x)
    top = np.minimum(ndtr(x + 2 * case.guess), 1 - p)
    exact = tail_probability(made.tail, top, p, 40.0)
    np.testing.assert_allclose(sums.sum_tail(made, top, p, 40.0, 40.0), exact, rtol=1e-9)
    cut = sums.sum_tail(made, top, p, search.reach_below(case), search.ABOVE)
    assert (cut >= exact * (1 - 1e-9)).all()
    assert (cut <= exact + 2e-3 * case.level).all()


def test_blocks_are_one_sum(monkeypatch):
    case = next(make_cases(*(np.array([v]) for v in (600, 50, 1000)), np.array([9e-4]), 0.1))
    made = search.make_curve_tail(case)
    p = np.linspace(0.04, 0.06, 7)
    whole = sums.sum_tail(made, 10 * p, p, 8.0, 8.0)
    monkeypatch.setattr(sums, "BLOCK", 1)
    np.testing.assert_allclose(sums.sum_tail(made, 10 * p, p, 8.0, 8.0), whole, rtol=1e-9)
