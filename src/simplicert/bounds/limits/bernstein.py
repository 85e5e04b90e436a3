"""Limits for the mean of scores in [0, 1] that use their variance (empirical Bernstein).

Maurer and Pontil (2009, COLT), Theorem 4: with V the sample variance of n >= 2 independent scores,
the mean mu exceeds the sample mean by more than
    sqrt(2 V log(2 / tail) / n) + 7 log(2 / tail) / (3 (n - 1))
with probability at most tail; by symmetry it is no further below.
"""

import numpy as np

from simplicert.types import FIXED_POINT, Floats, Ints

UNIT = 2.0**FIXED_POINT
HALF = FIXED_POINT // 2
WIDEN = 1 + 16 * np.finfo(float).eps  # rounding of the elementary operations below


def lower(at_least: Ints, squares: Ints, draws: Ints, tail: Floats) -> Floats:
    """A lower limit from sums that are at most the true ones and squares at least; not below 0."""
    mean = at_least / (draws * UNIT) / WIDEN
    low = mean - half_width(at_least, squares, draws, tail)
    return np.asarray(np.maximum(low, 0.0))


def upper(at_least: Ints, at_most: Ints, squares: Ints, draws: Ints, tail: Floats) -> Floats:
    """An upper limit from sums on both sides of the true one, and squares at least the true."""
    mean = at_most / (draws * UNIT) * WIDEN
    high = mean + half_width(at_least, squares, draws, tail)
    return np.asarray(np.minimum(high, 1.0))


def half_width(at_least: Ints, squares: Ints, draws: Ints, tail: Floats) -> Floats:
    """Maurer and Pontil's, rounded up; of a single draw above 1, which bounds nothing."""
    n = np.maximum(draws, 2)
    cost = np.log(2 / tail)
    variance = deviations(at_least, squares, n) / (n - 1.0)
    width = np.sqrt(2 * cost / n * variance) + 7 * cost / (3 * (n - 1.0))
    return WIDEN * width


def deviations(sums: Ints, squares: Ints, draws: Ints) -> Floats:
    """The sum of (Y - mean)^2, that is Q - S^2 / n, rounded up by less than two units of 2^-40.

    S^2 does not fit in 64 bits, and as a float it would cancel. With a = S / n cut to 20 bits and
    e = S - n a the deviation from a is Q - n a^2 - 2 a e, and from the mean e^2 / n less. Each of
    n a^2, a e and e is an exact integer below 2^63.
    """
    cut = sums // draws >> HALF
    left = sums - (draws * cut << HALF)
    large = squares - draws * cut**2
    small = cut * left * 2.0 ** (1 - HALF) + (left * 2.0**-HALF) ** 2 / draws
    return np.maximum(large - small + 1.0, 0.0) * (WIDEN / UNIT)
