"""Both sides of a softmax certificate with histograms: budgets, fallbacks, and the truth."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import binom, norm
from softmax_tallies import scores_like, tally_of

from simplicert import InvalidInput, Tally, bound, certify
from simplicert.bounds import sides
from simplicert.bounds.bands import rival_band, top_band
from simplicert.bounds.softmax import LIMITS, ScoreSums, bound_score_betting, read_score_sums
from simplicert.types.scores import BINS, mean_over_bins

ALPHA = 0.01
MILD = [0.6, 0.2, 0.1, 0.06, 0.04]


def mild(inputs=1, draws=4000, seed=0, leaders=(0, 1, 2), mean=MILD, **more):
    scores, random = scores_like(mean, inputs, draws, seed, spread=10.0)
    return tally_of(scores, random, leaders=list(leaders), **more)


def without_histograms(tally):
    fields = {name: getattr(tally, name) for name in tally.__dataclass_fields__}
    return Tally(**{**fields, "histograms": None, "leaders": None})


@pytest.mark.parametrize("mean", [MILD, [0.6, 0.2, 0.1, 0.04, 0.06]])
def test_no_more_than_alpha_is_spent(mean):
    """Each side: .8 of its tail on the mean, .2 on histograms, of which a minor rival has half.

    The largest minor rival may be any of them, the last class too.
    """
    assert sides.MEAN + sides.BANDS == 1
    tally, n = mild(mean=mean), np.array([4000])
    known = bound(tally, ALPHA, kind="softmax")
    tail = np.array([0.45 * ALPHA])
    e0 = bound_score_betting(read_score_sums(tally, slice(None)).of(np.array([0])), n, 0.8 * tail)
    np.testing.assert_array_equal(known.e0, e0)
    own = top_band(tally.histograms[:, 0], n, 0.2 * tail, e0)
    np.testing.assert_array_equal(known.bands.lower, own)
    second = rival_band(tally.histograms[:, 1], n, 0.2 * tail, known.e1)
    np.testing.assert_array_equal(known.bands.upper[:, 1], second)
    assert (known.bands.upper[:, 0] == 0).all()  # the top class is no rival of its own
    minor = LIMITS["bentkus+betting"].upper(
        read_score_sums(tally, slice(None)).only(np.arange(6) // 3 * (np.arange(6) < 5) == 1),
        n,
        0.1 * tail,
    )
    rest = rival_band(tally.histograms[:, 3], n, 0.1 * tail, np.minimum(minor, known.e1))
    np.testing.assert_array_equal(known.bands.upper[:, 3], rest)
    last = ScoreSums(*(values[:, -1:] for values in read_score_sums(tally, slice(None))))
    no_class = LIMITS["bentkus+betting"].upper(last, n, 0.2 * tail)
    np.testing.assert_array_equal(known.bands.upper[:, 4], np.full((1, BINS), no_class))


def test_a_pilots_class_needs_no_gate():
    tally = mild(pilot=[[9, 1, 0, 0, 0]])
    known = bound(tally, ALPHA, kind="softmax", scheme="split")
    n, tail = np.array([4000]), np.array([0.5 * ALPHA])
    own = top_band(tally.histograms[:, 0], n, 0.2 * tail, known.e0)
    np.testing.assert_array_equal(known.bands.lower, own)


def test_the_pair_hardly_pays_for_the_histograms():
    tally = mild(inputs=20)
    radii = [certify(bound(t, 0.001, kind="softmax")) for t in (tally, without_histograms(tally))]
    pair, alone = (r.radii["two_sided"] for r in radii)
    assert (pair < alone).all()
    assert (pair > 0.985 * alone).all()
    assert "cdf" not in radii[1].radii


def test_hoeffding_leaves_histograms_alone():
    tally = mild()
    known = bound(tally, ALPHA, kind="softmax", method="hoeffding")
    assert known.bands is None
    np.testing.assert_array_equal(
        known.e0, bound(without_histograms(tally), ALPHA, "soft", method="hoeffding").e0
    )


@pytest.mark.parametrize("leaders", [[0, 1, 2], [1, 2, 3], [4, 0, 3], [0], [1]])
@pytest.mark.parametrize(
    "mean", [MILD, [0.3, 0.25, 0.2, 0.15, 0.1], [0.97, 0.01, 0.01, 0.005, 0.005]]
)
def test_never_below_two_sided_from_the_same_expectations(leaders, mean):
    """Whatever classes the pilot found to lead, the top one among them or not."""
    certificates = certify(bound(mild(30, 1000, 1, leaders, mean), 0.05, kind="softmax"))
    cdf, pair = certificates.radii["cdf"], certificates.radii["two_sided"]
    assert (cdf >= pair - 1e-9).all()
    assert (cdf[pair == 0] == 0).all()
    np.testing.assert_array_equal(certificates.radius, np.maximum(cdf, pair))


def test_a_top_class_without_a_histogram_is_known_by_its_mean():
    known = bound(mild(leaders=[1, 2, 3]), ALPHA, kind="softmax")
    np.testing.assert_allclose(known.bands.lower[0], known.e0[0], rtol=1e-12)
    assert (known.bands.upper[:, :3] > 0).all()


def test_minor_classes_are_held_to_their_own_means():
    """A hundred minor classes take turns: the largest of them is large, each mean is tiny."""
    random = np.random.default_rng(6)
    scores = np.zeros((1, 5000, 103))
    scores[0, :, 0], scores[0, :, 1], scores[0, :, 2] = 0.5, 0.1, 0.05
    scores[0, np.arange(5000), 3 + random.integers(100, size=5000)] = 0.35
    tally = tally_of(scores, random, leaders=[0, 1, 2])
    known = bound(tally, ALPHA, kind="softmax")
    assert mean_over_bins(known.bands.upper[0, 3]) < 0.03
    assert certify(known).radii["cdf"][0] > 2 * certify(known).radii["two_sided"][0]


def test_draws_without_a_class_are_a_rival():
    """Three in ten draws are invalid, and the histograms of the classes do not show them."""
    random = np.random.default_rng(7)
    scores = np.zeros((1, 20_000, 4))
    scores[0, :, 0], scores[0, :, 1] = 0.9, 0.1
    scores[0, random.random(20_000) < 0.3] = 0.0
    tally = tally_of(scores, random, leaders=[0, 1, 2])
    certificates = certify(bound(tally, ALPHA, kind="softmax"))
    # The worst case: no class on a half-space, and the top class's score falls there alone.
    limit = brentq(
        lambda d: 0.9 * (1 - norm.cdf(norm.ppf(0.3) + d)) - norm.cdf(norm.ppf(0.3) + d), 0, 2
    )
    assert 0.9 * limit < certificates.radii["cdf"][0] < limit


def test_two_classes_need_one_band():
    scores, random = scores_like([0.8, 0.2], 10, 2000, spread=6.0)
    for leaders in ([0], [1]):
        tally = tally_of(scores, random, leaders=leaders)
        known = bound(tally, ALPHA, kind="softmax")
        assert known.bands.upper.shape == (10, 1, BINS)
        assert (known.bands.upper == 1).all()
        certificates = certify(known)
        cdf, pair = certificates.radii["cdf"], certificates.radii["two_sided"]
        np.testing.assert_array_equal(known.e1, 1 - known.e0)
        assert (cdf > 1.3 * pair).all() if leaders == [0] else np.allclose(cdf, pair, atol=1e-9)


def test_blocks_of_rows_do_not_matter(monkeypatch):
    tally = mild(inputs=20, draws=300)
    whole = bound(tally, ALPHA, kind="softmax")
    monkeypatch.setattr(sides, "ROWS", 7)
    parts = bound(tally, ALPHA, kind="softmax")
    np.testing.assert_array_equal(whole.e1, parts.e1)
    np.testing.assert_array_equal(whole.bands.upper, parts.bands.upper)


def test_leaders_must_be_classes():
    tally = mild()
    fields = {name: getattr(tally, name) for name in tally.__dataclass_fields__}
    broken = Tally(**{**fields, "leaders": [[0, 1, 7]]})
    with pytest.raises(InvalidInput, match=r"leaders must lie in 0\.\.4, got 7"):
        bound(broken, kind="softmax")


def smoothed_gap(x):
    """Mean score of class 0 less that of class 1, at x, of a classifier on the line."""
    mean, _ = quad(lambda z: expit(2 - 2 * (x + z)) * norm.pdf(z), -12, 12)
    return mean - 0.8 * (1 - mean)


def test_certified_radii_are_true_and_worth_having():
    """A classifier on the line whose true radius is known: its level sets are half-lines.

    Scores (f, .8 (1 - f), .2 (1 - f)) with f = expit(2 - 2 z) at x = 0 and sigma 1: the mean score
    of class 0 falls below that of class 1 at one point. All that is lost is lost to the draws being
    few. Error budget: 40 radii at alpha = .001, so one is untrue with probability .04 at most.
    """
    true = brentq(smoothed_gap, 0, 3)
    random = np.random.default_rng(8)
    top = expit(2 - 2 * random.standard_normal((40, 5000)))
    scores = np.stack([top, 0.8 * (1 - top), 0.2 * (1 - top)], axis=2)
    certificates = certify(bound(tally_of(scores, random, leaders=[0, 1]), kind="softmax"))
    cdf, pair = certificates.radii["cdf"], certificates.radii["two_sided"]
    assert (cdf < true).all()
    assert (pair < cdf).all()
    assert cdf.mean() > 0.8 * true


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mean", "spread"),
    [
        ([0.5, 0.5, 0.0], 0.01),
        ([0.4, 0.4, 0.2], 0.01),
        ([0.4, 0.4, 0.2], 5.0),
        ([0.6, 0.3, 0.1], 0.01),
    ],
)
def test_level_by_simulation(mean, spread):
    """Issued and wrong: at a tie, another class, or a radius above the one at the true means.

    Scores with spread .01 are nearly all 0 or 1: `cdf` with infinitely many draws is two_sided.
    Error budget: at exactly the allowed level a test fails with probability 1e-6.
    """
    alpha, repeats, draws = 0.1, 2000, 150
    scores, random = scores_like(mean, repeats, draws, 9, spread)
    known = bound(tally_of(scores, random, leaders=[0, 1]), alpha, kind="softmax")
    certificates = certify(known)
    tie = mean[0] == mean[1]
    allowed = 0 if tie else 1.01 * (norm.ppf(mean[0]) - norm.ppf(mean[1])) / 2
    wrong = ~certificates.abstained & ((known.top != 0) | (certificates.radius > allowed))
    assert wrong.sum() <= binom.isf(1e-6, repeats, alpha)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(("more", "reason"), [(0, "invalid"), (1, "overlap")])
def test_as_much_without_a_class_as_with_the_top_one(classes, more, reason):
    """Sums are rounded down, by less than a unit a draw and class: what is surely left counts."""
    none = [0] * (classes - 1)
    own = ((100 << 40) - 100 * classes) // 2 + more
    counts = {"invalid": [50], "softmax_sums": [[own, *none]], "pilot": [[9, *none]]}
    known = bound(Tally([[50, *none]], 1.0, **counts), kind="softmax", scheme="split")
    assert known.reason[0] == reason
