"""Scores in a tally: the bins are fixed, and score bands are probabilities per input, read-only."""

import numpy as np
import pytest

from simplicert import InvalidInput, Tally, bound
from simplicert.types import FIXED_POINT, ScoreBands
from simplicert.types.scores import BINS, THRESHOLDS, WIDTHS, mean_over_bins


def test_bins_cover_all_scores():
    assert BINS == 64
    assert (np.diff(THRESHOLDS) > 0).all()
    assert THRESHOLDS[0] > 0
    assert THRESHOLDS[-1] < 1
    np.testing.assert_allclose(WIDTHS.sum(), 1, rtol=1e-15)
    np.testing.assert_allclose(np.cumsum(WIDTHS)[:-1], THRESHOLDS, rtol=1e-14)


def test_thresholds_are_those_of_every_run_drawn_so_far():
    """Stored counts cannot be binned again: another design needs another format."""
    some = [1e-6, 0.0163652218, 1 / 32, 0.5, 31 / 32, 0.9836347782, 1 - 1e-6]
    np.testing.assert_allclose(THRESHOLDS[[0, 15, 16, 31, 46, 47, 62]], some, rtol=1e-9)


def test_a_row_has_the_same_mean_alone():
    values = np.random.default_rng(0).random((50, 3, BINS))
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
        (LOW[:, 1:], HIGH, r"lower must have shape \(any, 64\)"),
        (LOW, HIGH[:1], r"upper must have shape \(2, any, 64\)"),
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
