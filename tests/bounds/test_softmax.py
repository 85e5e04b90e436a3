"""Softmax schemes: Hoeffding's bounds, selection by votes, by a pilot, or as the paper prints."""

import numpy as np
import pytest
from scipy.stats import binom

from simplicert import MissingEvidence, Tally, bound
from simplicert.types import FIXED_POINT


def tally_of(scores, random=None, **more):
    """A tally from softmax scores (N, n, K), the way sampling makes one."""
    inputs, draws, classes = scores.shape
    hard = scores.argmax(axis=2)
    counts = np.stack([(hard == j).sum(axis=1) for j in range(classes)], axis=1)
    sums = np.floor(scores * 2.0**FIXED_POINT).astype(np.int64).sum(axis=1)
    votes = None
    if random is not None:
        picks = (random.random((inputs, draws, 1)) > scores.cumsum(axis=2)).sum(axis=2)
        picks = np.minimum(picks, classes - 1)
        votes = np.stack([(picks == j).sum(axis=1) for j in range(classes)], axis=1)
    return Tally(counts, 1.0, softmax_sums=sums, votes=votes, **more)


def scores_like(mean, inputs, draws, seed=0, spread=3.0):
    random = np.random.default_rng(seed)
    return random.dirichlet(np.maximum(np.array(mean) * spread, 1e-3), size=(inputs, draws)), random


def test_paper_as_printed():
    """E_0 = mean - sqrt(log(2/alpha) / 2n), E_1 = mean + the same: paper eq. (SoftmaxBounds)."""
    scores, _ = scores_like([0.7, 0.2, 0.1], 1, 4000)
    known = bound(tally_of(scores), 0.01, kind="softmax", scheme="paper")
    mean, slack = scores[0].mean(axis=0), np.sqrt(np.log(2 / 0.01) / 8000)
    np.testing.assert_allclose(known.e0[0], mean[0] - slack, atol=1e-10)
    np.testing.assert_allclose(known.e1[0], mean[1] + slack, atol=1e-10)
    assert known.e0[0] <= mean[0] - slack
    assert known.e1[0] >= mean[1] + slack
    assert known.level == 3 * 0.01
    assert known.method == "hoeffding"


def test_proved_level_of_the_papers_scheme_grows_with_very_many_classes():
    counts = np.zeros((1, 1001), int)
    counts[0, 0] = 100
    sums = counts << FIXED_POINT
    known = bound(Tally(counts, 1.0, softmax_sums=sums), 0.05, kind="soft", scheme="paper")
    np.testing.assert_allclose(known.level, 2 * 0.05 + 1000 * 0.05**2 / 4)


def test_gated_uses_its_own_tails_and_the_votes():
    scores, random = scores_like([0.7, 0.2, 0.1], 1, 4000)
    known = bound(tally_of(scores, random), 0.01, kind="softmax")
    slack = np.sqrt(np.log(1 / (0.45 * 0.01)) / 8000)
    mean = scores[0].mean(axis=0)
    np.testing.assert_allclose(known.e0[0], mean[0] - slack, atol=1e-10)
    np.testing.assert_allclose(known.e1[0], mean[1] + slack, atol=1e-10)
    assert known.level == 0.01


def test_top_is_the_winner_of_the_votes():
    """Hard counts, means and votes may disagree; the votes decide, and the gate may refuse."""
    counts, votes = [[90, 10, 0]], [[40, 60, 0]]
    sums = [[45 << FIXED_POINT, 55 << FIXED_POINT, 0]]
    known = bound(Tally(counts, 1.0, softmax_sums=sums, votes=votes), kind="softmax")
    assert known.top[0] == 1
    assert known.refused[0]


def test_two_classes_by_theorem_1():
    scores, random = scores_like([0.8, 0.2], 1, 4000)
    known = bound(tally_of(scores, random), 0.01, kind="softmax")
    slack = np.sqrt(np.log(1 / (0.9 * 0.01)) / 8000)
    np.testing.assert_allclose(known.e0[0], scores[0, :, 0].mean() - slack, atol=1e-10)
    np.testing.assert_allclose(known.e1[0], 1 - known.e0[0])


def test_pilot_selects_without_votes():
    scores, _ = scores_like([0.7, 0.2, 0.1], 1, 4000)
    known = bound(tally_of(scores, pilot=[[8, 1, 1]]), 0.01, kind="softmax", scheme="split")
    slack = np.sqrt(np.log(2 / 0.01) / 8000)
    np.testing.assert_allclose(known.e0[0], scores[0, :, 0].mean() - slack, atol=1e-10)


def test_what_is_missing_is_said():
    scores, random = scores_like([0.7, 0.2, 0.1], 1, 100)
    with pytest.raises(MissingEvidence, match="categorical votes"):
        bound(tally_of(scores), kind="softmax")
    with pytest.raises(MissingEvidence, match="no pilot"):
        bound(tally_of(scores, random), kind="softmax", scheme="split")
    with pytest.raises(MissingEvidence, match="softmax_sums"):
        bound(Tally([[90, 5, 5]], 1.0), kind="softmax")


def test_mass_that_no_class_has_is_a_rival():
    """Sixty of a hundred draws were invalid: nothing may be certified."""
    sums = [[40 << FIXED_POINT, 0, 0]]
    tally = Tally(
        [[40, 0, 0]], 1.0, invalid=[60], softmax_sums=sums, votes=[[40, 0, 0]], votes_invalid=[60]
    )
    for scheme in ("gated", "paper"):
        known = bound(tally, kind="softmax", scheme=scheme)
        assert known.refused[0]
        assert known.reason[0] == "invalid"


@pytest.mark.parametrize("mean", [[0.5, 0.5, 0.0], [0.4, 0.4, 0.2], [0.1] * 10])
@pytest.mark.parametrize("scheme", ["gated", "paper"])
@pytest.mark.parametrize("spread", [0.01, 5.0])  # nearly one-hot scores, and soft ones
def test_ties_by_simulation(mean, scheme, spread):
    """Issued and wrong at most alpha (paper: 3 alpha) at exact ties, where every issue is wrong.

    Error budget: at exactly the allowed level the test fails with probability 1e-6.
    """
    alpha, repeats, draws = 0.1, 2000, 150
    random = np.random.default_rng(5)
    scores = random.dirichlet(np.maximum(np.array(mean) * spread, 1e-4), size=(repeats, draws))
    known = bound(tally_of(scores, random), alpha, kind="softmax", scheme=scheme)
    assert (~known.refused).sum() <= binom.isf(1e-6, repeats, known.level)
