"""Projections: tallies of the right size, shares kept, hope on the hopeful side."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import simplicert as sc
from simplicert.sampling.outputs import keep_leading_sums
from simplicert.stopping.projection import apportion_counts, project_hopeful, project_likely
from simplicert.types import FIXED_POINT
from simplicert.types.scores import BINS

PLAN = sc.Plan((100, 1000, 10_000), (0.2, 0.3, 0.5), "decided")


def soft_tally(seed=0, rows=20, draws=100, classes=5):
    random = np.random.default_rng(seed)
    soft = random.dirichlet(np.full(classes, 0.5), size=(rows, draws))
    fixed = [np.floor(v * 2.0**FIXED_POINT).astype(np.int64).sum(axis=1) for v in (soft, soft**2)]
    counts = np.array([np.bincount(row, minlength=classes) for row in soft.argmax(axis=2)])
    kept = keep_leading_sums(*fixed)._asdict()
    return sc.Tally(counts, 1.0, votes=counts, plan=PLAN, **kept)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(arrays(np.int64, (4, 6), elements=st.integers(0, 1000)), st.integers(1, 10**6))
def test_apportioned_counts_sum_to_the_total_and_keep_their_shares(counts, total):
    counts[:, 0] += 1
    out = apportion_counts(counts, total)
    assert (out.sum(axis=1) == total).all()
    exact = counts * (total / counts.sum(axis=1, keepdims=True))
    assert (np.abs(out - exact) < 1 + 1e-6).all()


def test_the_last_look_with_the_same_shares():
    tally = sc.Tally([[60, 30, 5]], 1.0, invalid=[5], plan=PLAN)
    end = project_likely(tally)
    assert end.draws.tolist() == [10_000]
    assert end.counts.tolist() == [[6000, 3000, 500]]
    assert end.invalid.tolist() == [500]


def test_hope_raises_the_top_and_lowers_every_rival():
    tally = sc.Tally([[60, 30, 10], [40, 40, 20]], 1.0, plan=PLAN)
    end, best = project_likely(tally), project_hopeful(tally, 0.02)
    assert (best.draws == 10_000).all()
    assert (best.counts[:, 0] > end.counts[:, 0]).all()
    assert (best.counts[:, 1:] <= end.counts[:, 1:]).all()
    certain = sc.certify(sc.bound(end)).radius
    assert (sc.certify(sc.bound(best)).radius >= certain).all()


def test_what_really_comes_is_rarely_better_than_hoped():
    """Hope at tail .02: at most .04 of the ends (two limits) beat it.

    1,000 inputs: a binomial above .08 has probability below 1e-8.
    """
    random = np.random.default_rng(1)
    p = np.array([0.55, 0.3, 0.15])
    first = random.multinomial(100, p, 1000)
    first = first[first.argmax(axis=1) == 0]
    tally = sc.Tally(first, 1.0, plan=PLAN)
    hoped = sc.certify(sc.bound(project_hopeful(tally, 0.02))).radius
    end = sc.Tally(first + random.multinomial(9900, p, len(first)), 1.0, plan=PLAN)
    came = sc.certify(sc.bound(end)).radius
    assert (came > hoped).mean() < 0.08
    assert (came > sc.certify(sc.bound(project_likely(tally))).radius).mean() > 0.2


def test_softmax_too():
    tally = soft_tally()
    for end in (project_likely(tally), project_hopeful(tally, 0.02)):
        assert (end.draws == 10_000).all()
        assert (end.softmax_sums.sum(axis=1) <= 10_000 << FIXED_POINT).all()
    settings_ = {"kind": "softmax", "method": "hoeffding"}
    now, end, best = (
        sc.certify(sc.bound(t, **settings_)).radius
        for t in (tally, project_likely(tally), project_hopeful(tally, 0.02))
    )
    assert (now <= end).all()
    assert (end <= best).all()
    assert (best > end).any()


def test_histograms_keep_their_shares_and_hope_moves_them():
    """Of 100 draws, Massart's bound at .02 moves 14: ours up, a rival's down."""
    random = np.random.default_rng(2)
    histograms = random.multinomial(100, np.full(BINS, 1 / BINS), size=(3, 3))
    counts = np.array([[70, 20, 10]] * 3)
    sums = counts * (1 << FIXED_POINT)
    tally = sc.Tally(
        counts, 1.0, votes=counts, softmax_sums=sums, softmax_squares=sums, plan=PLAN,
        leaders=[[0, 1]] * 3, histograms=histograms,
    )  # fmt: skip
    np.testing.assert_array_equal(project_likely(tally).histograms, 100 * histograms)
    best = project_hopeful(tally, 0.02).histograms
    assert (best.sum(axis=2) == 10_000).all()
    ours, rivals = best[:, 0], best[:, 1:]
    assert (ours[:, -1] == 100 * (histograms[:, 0, -1] + 14)).all()
    assert (rivals[:, :, 0] == 100 * (histograms[:, 1:, 0] + 14)).all()
    assert (ours.cumsum(axis=1) <= 100 * histograms[:, 0].cumsum(axis=1)).all()
    assert (rivals.cumsum(axis=2) >= 100 * histograms[:, 1:].cumsum(axis=2)).all()


def test_many_classes_keep_what_is_known_of_the_rest():
    tally = soft_tally(classes=60)
    assert tally.softmax_rest is not None
    end = project_likely(tally)
    assert (end.softmax_classes == tally.softmax_classes).all()
    np.testing.assert_allclose(end.softmax_rest, 100 * tally.softmax_rest, rtol=1e-12)
    assert not project_hopeful(tally, 0.02).softmax_rest.any()


def test_scores_without_votes_are_projected_too():
    """Where the kind is multinomial counts decide alone; scores beside them do no harm."""
    counts = np.array([[60, 30, 10]])
    sums = counts << FIXED_POINT
    tally = sc.Tally(counts, 1.0, softmax_sums=sums, softmax_squares=sums, plan=PLAN)
    assert (
        project_hopeful(tally, 0.02).softmax_sums[0, 0] > project_likely(tally).softmax_sums[0, 0]
    )
    assert sc.Until("decided")(tally)[0] in {"", "certified", "hopeless"}
