"""Softmax schemes: their limits, selection by votes, by a pilot, or as the paper prints."""

import numpy as np
import pytest
from scipy.stats import binom
from softmax_tallies import scores_like, tally_of

from simplicert import InvalidInput, MissingEvidence, Tally, bound
from simplicert.bounds import SCHEMES, betting
from simplicert.bounds import means as bentkus
from simplicert.bounds import means as bernstein
from simplicert.bounds.softmax import bound_rivals_combined, read_score_sums
from simplicert.sampling.outputs import keep_leading_sums
from simplicert.types import FIXED_POINT

HALF = 1 << (FIXED_POINT - 1)


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
    known = bound(tally_of(scores, random), 0.01, kind="softmax", method="hoeffding")
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
    assert known.abstained[0]


@pytest.mark.parametrize(("votes", "reason"), [([51, 49, 0], "gate"), ([90, 10, 0], "certified")])
def test_votes_that_prove_no_winner_refuse_what_the_scores_would_issue(votes, reason):
    sums = [[90 << FIXED_POINT, 10 << FIXED_POINT, 0]]
    tally = Tally([votes], 1.0, softmax_sums=sums, votes=[votes])
    for method in ("bentkus+bernstein", "hoeffding"):
        known = bound(tally, 0.01, kind="softmax", method=method)
        assert known.reason[0] == reason


def test_two_classes_by_theorem_1():
    scores, random = scores_like([0.8, 0.2], 1, 4000)
    known = bound(tally_of(scores, random), 0.01, kind="softmax", method="hoeffding")
    slack = np.sqrt(np.log(1 / (0.9 * 0.01)) / 8000)
    np.testing.assert_allclose(known.e0[0], scores[0, :, 0].mean() - slack, atol=1e-10)
    np.testing.assert_allclose(known.e1[0], 1 - known.e0[0])


def test_pilot_selects_without_votes():
    scores, _ = scores_like([0.7, 0.2, 0.1], 1, 4000)
    tally = tally_of(scores, pilot=[[8, 1, 1]])
    known = bound(tally, 0.01, kind="softmax", scheme="split", method="hoeffding")
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
        assert known.abstained[0]
        assert known.reason[0] == "invalid"


@pytest.mark.parametrize("mean", [[0.5, 0.5, 0.0], [0.4, 0.4, 0.2], [0.1] * 10])
@pytest.mark.parametrize(
    ("scheme", "method"),
    [
        ("gated", "bentkus+betting"),
        ("gated", "bentkus+bernstein"),
        ("gated", "hoeffding"),
        ("paper", "hoeffding"),
    ],
)
@pytest.mark.parametrize("spread", [0.01, 5.0])  # nearly one-hot scores, and soft ones
def test_ties_by_simulation(mean, scheme, method, spread):
    """Issued and wrong at most alpha (paper: 3 alpha) at exact ties, where every issue is wrong.

    Error budget: at exactly the allowed level the test fails with probability 1e-6.
    """
    alpha, repeats, draws = 0.1, 2000, 150
    random = np.random.default_rng(5)
    scores = random.dirichlet(np.maximum(np.array(mean) * spread, 1e-4), size=(repeats, draws))
    tally = tally_of(scores, random)
    known = bound(tally, alpha, kind="softmax", scheme=scheme, method=method)
    assert (~known.abstained).sum() <= binom.isf(1e-6, repeats, known.level)


def test_the_default_is_the_better_of_two_limits():
    for scheme in ("gated", "split"):
        names = ["bentkus+betting", "bentkus+bernstein", "hoeffding"]
        assert list(SCHEMES["softmax"][scheme]) == names
    scores, random = scores_like([0.7, 0.2, 0.1], 1, 4000)
    tally = tally_of(scores, random)
    known, n, tail = bound(tally, 0.01, kind="softmax"), tally.draws, 0.45 * 0.01 / 2
    sums, squares = tally.softmax_sums, tally.softmax_squares + n[:, None] + 1
    low = max(
        bentkus.bentkus_lower(sums[:, 0], n, tail)[0],
        betting.betting_lower(sums[:, 0], squares[:, 0], n, tail)[0],
    )
    high = min(
        bentkus.bentkus_upper(sums[:, 1] + n, n, tail)[0],
        betting.betting_upper(sums[:, 1], sums[:, 1] + n, squares[:, 1], n, tail)[0],
    )
    assert known.method == "bentkus+betting"
    np.testing.assert_allclose([known.e0[0], known.e1[0]], [low, high], rtol=1e-9)
    assert known.e0[0] <= low
    assert known.e1[0] >= high
    assert known.bands is None


def test_the_papers_scheme_has_the_papers_limit_alone():
    """Its proved level is a theorem about Hoeffding's half-widths."""
    scores, random = scores_like([0.7, 0.2, 0.1], 1, 100)
    with pytest.raises(InvalidInput, match="method must be one of hoeffding"):
        bound(tally_of(scores, random), kind="soft", scheme="paper", method="bentkus+bernstein")


def test_every_rival_counts_where_variance_enters():
    """The runner-up by sum is steady; a wilder one with a smaller sum has the larger limit."""
    n = 10_000
    scores = np.zeros((1, n, 3))
    scores[0, :, 1] = 0.2
    scores[0, : int(0.199 * n), 2] = 0.8
    scores[0, int(0.199 * n) :, 2] = 0.05
    scores[0, :, 0] = 1 - scores[0].sum(axis=1)
    tally = tally_of(scores, np.random.default_rng(0))
    sums = read_score_sums(tally, slice(None))
    assert sums.at_most[0, 1] > sums.at_most[0, 2] + HALF
    tail = 0.45 * 0.01 / 2
    uppers = {
        "bentkus+bernstein": bernstein.bernstein_upper,
        "bentkus+betting": betting.betting_upper,
    }
    for method, upper in uppers.items():
        known = bound(tally, 0.01, kind="softmax", method=method)
        wild = upper(*(v[0, 2] for v in sums), n, tail)
        assert upper(*(v[0, 1] for v in sums), n, tail) < wild
        np.testing.assert_allclose(known.e1[0], wild, rtol=1e-12)


@pytest.mark.parametrize("seed", range(30))
def test_the_largest_of_the_better_limits_is_found(seed):
    """Against every rival's own two limits, one by one; a rival's variance may be anything."""
    random = np.random.default_rng(seed)
    n = np.array([200, 5000, 80_000])
    means = random.dirichlet(np.full(6, 0.7), 3) * random.uniform(0.1, 1)
    sums = (means * n[:, None] * 2.0**FIXED_POINT).astype(np.int64)
    least = sums / 2.0**FIXED_POINT / n[:, None] * sums
    squares = (least + (sums - least) * random.random((3, 6)) ** 3).astype(np.int64)
    counts = np.column_stack([n, np.zeros((3, 5), int)])
    given = read_score_sums(
        Tally(counts, 1.0, softmax_sums=sums, softmax_squares=squares), slice(None)
    )
    tail = np.full(3, 0.002)
    ours = bound_rivals_combined(given, n, tail)
    for row in range(3):
        each = [
            min(
                bentkus.bentkus_upper(given.at_most[row, j], n[row], 0.001),
                bernstein.bernstein_upper(*(v[row, j] for v in given), n[row], 0.001),
            )
            for j in range(7)
        ]
        assert ours[row] == max(each)


def test_sums_lie_on_both_sides_of_the_truth():
    """Exact rational sums of the scores themselves, and of what they leave of 1."""
    from fractions import Fraction

    random = np.random.default_rng(4)
    scores = random.dirichlet([2, 1, 0.5], size=(1, 50)) * 0.97
    sums = read_score_sums(tally_of(scores, random), slice(None))
    exact = [[Fraction(float(y)) for y in scores[0, :, j]] for j in range(3)]
    exact.append([1 - sum(column) for column in zip(*exact, strict=True)])
    for j, values in enumerate(exact):
        total = sum(values) * 2**FIXED_POINT
        assert int(sums.at_least[0, j]) <= total <= int(sums.at_most[0, j])
        assert int(sums.at_most[0, j]) - int(sums.at_least[0, j]) <= 50 * 4
        assert sum(y * y for y in values) * 2**FIXED_POINT <= int(sums.squares[0, j])


def test_classes_that_have_all_leave_nothing():
    whole = Tally([[50, 0]], 1.0, softmax_sums=[[50 << FIXED_POINT, 0]])
    sums = read_score_sums(whole, slice(None))
    assert sums.at_least[0].tolist() == [50 << FIXED_POINT, 0, 0]
    assert sums.at_most[0, 2] == 0


def test_classes_that_are_not_kept_are_bounded():
    """Of a hundred classes sixteen keep their sums; every true sum stays enclosed."""
    random = np.random.default_rng(5)
    scores = random.dirichlet(np.r_[4.0, 2.0, np.full(98, 0.05)], size=(3, 400))
    whole = tally_of(scores, random)
    kept = keep_leading_sums(whole.softmax_sums, whole.softmax_squares)._asdict()
    fields = {"votes": whole.votes, "votes_invalid": whole.votes_invalid}
    part = Tally(whole.counts, 1.0, **fields, **kept)
    exact, given = read_score_sums(whole, slice(None)), read_score_sums(part, slice(None))
    assert (given.at_least <= exact.at_least).all()
    assert (given.at_most >= exact.at_most).all()
    assert (given.squares >= exact.squares).all()
    np.testing.assert_array_equal(given.at_most[:, -1], exact.at_most[:, -1])
    full, less = (bound(tally, kind="softmax") for tally in (whole, part))
    np.testing.assert_array_equal(full.e0, less.e0)
    np.testing.assert_array_equal(full.e1, less.e1)  # the rivals that matter are kept


def test_without_squares_the_variance_is_as_large_as_can_be():
    scores, random = scores_like([0.7, 0.2, 0.1], 1, 4000)
    votes = tally_of(scores, random)
    bare = Tally(votes.counts, 1.0, softmax_sums=votes.softmax_sums, votes=votes.votes)
    with_squares, without = (bound(tally, kind="softmax") for tally in (votes, bare))
    assert without.e0[0] <= with_squares.e0[0]
    assert without.e1[0] >= with_squares.e1[0]


def test_squares_that_no_scores_have_are_refused():
    counts = [[100, 0, 0]]
    sums, squares = [[60 << FIXED_POINT, 0, 0]], [[30 << FIXED_POINT, 0, 0]]
    tally = Tally(counts, 1.0, softmax_sums=sums, softmax_squares=squares, votes=counts)
    with pytest.raises(InvalidInput, match=r"softmax_squares must be at least softmax_sums\^2"):
        bound(tally, kind="softmax")
