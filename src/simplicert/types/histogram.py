"""Thresholds of the score histograms: fixed for ever, because counts cannot be re-binned."""

import numpy as np

from simplicert.types.arrays import Floats

# Even steps in the middle, even steps of the logarithm toward 0 and 1, where saturated scores lie.
_MIDDLE = np.arange(1, 32) / 32
_TAIL = np.logspace(-6, np.log10(1 / 32), 17)[:-1]
THRESHOLDS = np.concatenate([_TAIL, _MIDDLE, 1 - _TAIL[::-1]])
THRESHOLDS.setflags(write=False)

BINS = len(THRESHOLDS) + 1  # bin b counts scores with exactly b thresholds at or below them

# Bin b of a histogram covers scores from threshold b - 1 to threshold b, the outer ones 0 and 1.
WIDTHS = np.diff(np.concatenate([[0.0], THRESHOLDS, [1.0]]))
WIDTHS.setflags(write=False)


def mean_over_bins(values: Floats) -> Floats:
    """The mean over [0, 1] of what is constant in each bin (last axis).

    Not a matrix product: its last bits would depend on how many rows are computed together.
    """
    return np.asarray((values * WIDTHS).sum(axis=-1))
