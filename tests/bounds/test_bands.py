"""Bands from histograms: they hold, they are the worst case, and they are rounded outward."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import ndtr, ndtri
from scipy.stats import beta, binom
from softmax_tallies import histogram_of

from simplicert.bounds import binomial
from simplicert.bounds.bands import (
    count_at_thresholds,
    find_level_above,
    find_level_below,
    rival_band,
    top_band,
)
from simplicert.types.scores import BINS, LAYOUTS, THRESHOLDS
from simplicert.types.scores import WIDTHS as WIDTHS_OF

WIDTHS = WIDTHS_OF[BINS]

unit = st.floats(0, 1)


def falling(values):
    """Survival probabilities: sorted, from the lowest threshold up."""
    return np.sort(values)[::-1]


def test_reached_counts_scores_at_or_above_each_threshold():
    random = np.random.default_rng(0)
    scores = np.concatenate([random.random(500), THRESHOLDS, [0.0, 1.0]])
    expected = (scores[:, None] >= THRESHOLDS).sum(axis=0)
    np.testing.assert_array_equal(count_at_thresholds(histogram_of(scores[None]))[0], expected)


def test_within_a_bin_the_safe_end_counts():
    """All scores in one bin: the top class has its left end at least, a rival its right at most."""
    scores = np.full((1, 400), THRESHOLDS[30] + 1e-9)
    n, tail = np.array([400]), np.array([0.01])
    low = top_band(histogram_of(scores), n, tail, np.zeros(1))[0]
    high = rival_band(histogram_of(scores), n, tail, np.ones(1))[0]
    sure, _ = binomial.clopper_pearson_lower(400, 400, 0.01 / 159)
    none = binomial.clopper_pearson_upper(0, 400, 0.01 / 159)
    np.testing.assert_array_equal(low, np.where(np.arange(BINS) <= 30, sure, 0))
    np.testing.assert_array_equal(high, np.where(np.arange(BINS) <= 31, 1, none))


@pytest.mark.parametrize("bins", LAYOUTS)
def test_rows_of_other_lengths_and_tails_do_not_mix(bins):
    random = np.random.default_rng(1)
    counts = np.stack([random.multinomial(n, np.full(bins, 1 / bins)) for n in (300, 900, 300)])
    n, tail, mean = np.array([300, 900, 300]), np.array([0.01, 0.01, 0.1]), np.full(3, 0.3)
    for band in (top_band, rival_band):
        whole = band(counts, n, tail, mean)
        for row in range(3):
            alone = band(counts[[row]], n[[row]], tail[[row]], mean[[row]])
            np.testing.assert_array_equal(whole[row], alone[0])


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(arrays(float, BINS, elements=unit), arrays(float, BINS, elements=unit), unit, unit, unit)
def test_no_distribution_allowed_is_worse(first, second, share, mean_share, d):
    """Above the band in the mean and threshold by threshold: never a lower mean at distance d."""
    band = falling(first * share)
    true = np.maximum(falling(second), band)
    mean = float(true @ WIDTHS) * mean_share
    raised = np.maximum(band, find_level_below(band[None], np.array([mean]))[0])
    assert raised @ WIDTHS <= max(mean, band @ WIDTHS) + 1e-14
    d = 4 * d
    assert ndtr(ndtri(true) - d) @ WIDTHS >= ndtr(ndtri(raised) - d) @ WIDTHS - 1e-13
    # The mirror image: a rival below the band, and below a mean.
    band, true = 1 - band, 1 - true
    mean = float(true @ WIDTHS) + (1 - float(true @ WIDTHS)) * (1 - mean_share)
    lowered = np.minimum(band, find_level_above(band[None], np.array([mean]))[0])
    assert ndtr(ndtri(true) + d) @ WIDTHS <= ndtr(ndtri(lowered) + d) @ WIDTHS + 1e-13


def test_without_a_histogram_the_mean_is_all_that_is_known():
    nothing, n, tail = np.zeros((1, BINS), np.int64), np.array([100]), np.array([0.1])
    flat = top_band(nothing, n, tail, np.array([0.7]))
    np.testing.assert_allclose(flat, 0.7, rtol=1e-12)
    assert (flat <= 0.7).all()
    everything = np.zeros((1, BINS), np.int64)
    everything[0, -1] = 100
    flat = rival_band(everything, n, tail, np.array([0.2]))
    np.testing.assert_allclose(flat, 0.2, rtol=1e-12)
    assert (flat >= 0.2).all()


@pytest.mark.slow
def test_bands_hold_everywhere_at_once():
    """Error budget: at exactly the allowed level a test fails with probability 1e-6, six times.

    Limits at the whole tail for each threshold, not a 159th, miss in four times as many tallies.
    """
    random = np.random.default_rng(2)
    repeats, draws, tail = 2000, 200, 0.2
    n, tails = np.full(repeats, draws), np.full(repeats, tail)
    for a, b in [(0.5, 0.5), (2, 5), (1, 1)]:
        counts = histogram_of(random.beta(a, b, (repeats, draws)))
        true = beta.sf(THRESHOLDS, a, b)
        low = top_band(counts, n, tails, np.zeros(repeats))[:, :-1]
        high = rival_band(counts, n, tails, np.ones(repeats))[:, 1:]
        allowed = binom.isf(1e-6, repeats, tail)
        assert (low > true).any(axis=1).sum() <= allowed
        assert (high < true).any(axis=1).sum() <= allowed
        each, _ = binomial.clopper_pearson_lower(count_at_thresholds(counts), draws, tail)
        assert (each > true).any(axis=1).sum() > allowed  # so the test can fail
