"""Hoeffding's limits for the mean of scores in [0, 1]; paper eq. (SoftmaxBounds)."""

import numpy as np

from simplicert.types import FIXED_POINT, Floats, Ints

UNIT = 2.0**FIXED_POINT
WIDEN = 1 + 8 * np.finfo(float).eps  # rounding of the few operations below, the last one included


def lower(at_least: Ints, draws: Ints, tail: Floats) -> Floats:
    """A lower limit from fixed-point sums that are at most the true ones; not below 0."""
    mean = at_least / (draws * UNIT) / WIDEN
    return np.asarray(np.maximum(mean - half_width(draws, tail), 0.0))


def upper(at_most: Ints, draws: Ints, tail: Floats) -> Floats:
    """An upper limit from fixed-point sums that are at least the true ones; not above 1."""
    mean = at_most / (draws * UNIT) * WIDEN
    return np.asarray(np.minimum(mean + half_width(draws, tail), 1.0))


def half_width(draws: Ints, tail: Floats) -> Floats:
    """sqrt(log(1 / tail) / (2 n)): the paper's, with tail = alpha / 2 for each side."""
    return WIDEN * np.sqrt(-np.log(tail) / (2 * draws))
