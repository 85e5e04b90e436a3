"""The bins: fixed, covering [0, 1], and averaged the same whatever is computed beside."""

import numpy as np

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
