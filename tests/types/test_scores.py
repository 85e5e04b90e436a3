"""Scores in a tally: the bins are fixed, and score bands are probabilities per input, read-only."""

import numpy as np
import pytest

from simplicert import IncompatibleTallies, InvalidInput, Tally, bound
from simplicert.types import FIXED_POINT, ScoreBands
from simplicert.types.scores import BINS, FORMER_BINS, LAYOUTS, WIDTHS, mean_over_bins


@pytest.mark.parametrize("bins", LAYOUTS)
def test_bins_cover_all_scores(bins):
    thresholds, widths = LAYOUTS[bins], WIDTHS[bins]
    assert len(thresholds) == bins - 1
    assert (np.diff(thresholds) > 0).all()
    assert thresholds[0] > 0
    assert thresholds[-1] < 1
    np.testing.assert_allclose(widths.sum(), 1, rtol=1e-15)
    np.testing.assert_allclose(np.cumsum(widths)[:-1], thresholds, rtol=1e-14)


def test_thresholds_are_those_of_every_run_drawn_so_far():
    """Stored counts cannot be binned again: another design needs another format."""
    some = [1e-6, 0.0163652218, 1 / 32, 0.5, 31 / 32, 0.9836347782, 1 - 1e-6]
    first, second = LAYOUTS.values()
    np.testing.assert_allclose(first[[0, 15, 16, 31, 46, 47, 62]], some, rtol=1e-9)
    np.testing.assert_allclose(second[[0, 17, 19, 79, 139, 141, 158]], some, rtol=1e-9)
    assert (FORMER_BINS, BINS) == (64, 160)


def test_the_finer_layout_has_the_thresholds_of_the_coarser_one():
    coarse, fine = LAYOUTS.values()
    assert np.isin(coarse, fine).all()
    middle = fine[(fine >= 1 / 32) & (fine <= 31 / 32)]
    np.testing.assert_array_equal(middle * 128, np.arange(4, 125))


def test_histograms_of_different_bins_do_not_add():
    def tally(bins):
        histograms = np.zeros((1, 2, bins), np.int64)
        histograms[:, :, 0] = 5
        sums = np.zeros((1, 3), np.int64)
        return Tally([[3, 2, 0]], 1.0, softmax_sums=sums, leaders=[[0]], histograms=histograms)

    assert (tally(64) + tally(64)).histograms.shape == (1, 2, 64)
    with pytest.raises(IncompatibleTallies, match="different bins cannot be added: 64 and 160"):
        tally(64) + tally(160)
    with pytest.raises(InvalidInput, match="histograms must have 64 or 160 bins, got 65"):
        tally(65)


@pytest.mark.parametrize("bins", LAYOUTS)
def test_a_row_has_the_same_mean_alone(bins):
    values = np.random.default_rng(0).random((50, 3, bins))
    together = mean_over_bins(values)
    alone = [[mean_over_bins(row) for row in block] for block in values]
    np.testing.assert_array_equal(together, alone)


LOW, HIGH = np.full((2, BINS), 0.6), np.full((2, 3, BINS), 0.3)


def test_bands():
    bands = ScoreBands(LOW, HIGH)
    assert len(bands) == 2
    for values in (bands.lower, bands.upper):
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 0.5


@pytest.mark.parametrize(
    ("lower", "upper", "message"),
    [
        (LOW[:, 1:], HIGH, r"score bands must have 64 or 160 bins, got 159"),
        (LOW, HIGH[:1], r"upper must have shape \(2, any, 160\)"),
        (LOW, HIGH[:, :, :64], r"upper must have shape \(2, any, 160\)"),
        (LOW * 2, HIGH, r"score bands \(lower\) must lie in \[0, 1\]"),
        (LOW, HIGH - 1, r"score bands \(upper\) must lie in \[0, 1\]"),
        (LOW * np.nan, HIGH, r"score bands \(lower\) must lie in \[0, 1\]"),
    ],
)
def test_refused_input(lower, upper, message):
    with pytest.raises(InvalidInput, match=message):
        ScoreBands(lower, upper)


def test_where_nothing_is_proved_nothing_is_shown():
    """A refused certificate shows no bounds: what is left there holds of every score."""
    shown = ScoreBands(LOW, HIGH).only(np.array([True, False]))
    np.testing.assert_array_equal(shown.lower, [LOW[0], np.zeros(BINS)])
    np.testing.assert_array_equal(shown.upper, [HIGH[0], np.ones((3, BINS))])


def test_bound_hides_the_bands_of_refused_inputs():
    counts = np.array([[95, 3, 2], [40, 38, 22]])
    sums = counts << FIXED_POINT
    histograms = np.zeros((2, 3, BINS), np.int64)
    for place in range(2):
        histograms[:, place, -1], histograms[:, place, 0] = counts[:, place], 100 - counts[:, place]
    histograms[:, 2, 0] = 100
    tally = Tally(
        counts, 1.0, votes=counts, softmax_sums=sums, softmax_squares=sums,
        leaders=[[0, 1]] * 2, histograms=histograms,
    )  # fmt: skip
    known = bound(tally, 0.01, "softmax")
    assert known.abstained.tolist() == [False, True]
    assert known.bands.lower[0].max() > 0.5
    assert not known.bands.lower[1].any()
    assert (known.bands.upper[1] == 1).all()
