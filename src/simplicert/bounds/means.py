"""Confidence limits for the mean of scores in [0, 1]: Hoeffding, Bernstein and Bentkus.

Hoeffding: from the sum alone; paper eq. (SoftmaxBounds).

Empirical Bernstein: also uses the variance. Maurer and Pontil (2009, COLT), Theorem 4: with V the
sample variance of n >= 2 independent scores, the mean mu exceeds the sample mean by more than
    sqrt(2 V log(2 / tail) / n) + 7 log(2 / tail) / (3 (n - 1))
with probability at most tail; by symmetry it is no further below.

Bentkus: Clopper-Pearson at tail / e, at whole sums. Bentkus (2004, "On Hoeffding's inequalities",
Annals of Probability 32): the sum S of n independent scores in [0, 1] with mean mu has
P(S >= k) <= e P(Bin(n, mu) >= k) for whole k. So the limits of a binomial at tail / e serve every
score; a sum between whole numbers counts as the safe one of them.
"""

import numpy as np

from simplicert.bounds import binomial
from simplicert.types import FIXED_POINT, Floats, Ints

UNIT = 2.0**FIXED_POINT  # softmax sums are integers in units of 1 / UNIT

HALF_BITS = FIXED_POINT // 2

# Rounding of the few operations of each limit, the last one included.
HOEFFDING_ROUNDING = 1 + 8 * np.finfo(float).eps
BERNSTEIN_ROUNDING = 1 + 16 * np.finfo(float).eps


def hoeffding_lower(at_least: Ints, draws: Ints, tail: Floats) -> Floats:
    """Compute a lower limit, not below 0, from fixed-point sums that are at most the true ones."""
    mean = at_least / (draws * UNIT) / HOEFFDING_ROUNDING
    return np.asarray(np.maximum(mean - _hoeffding_width(draws, tail), 0.0))


def hoeffding_upper(at_most: Ints, draws: Ints, tail: Floats) -> Floats:
    """Compute an upper limit, not above 1, from fixed-point sums at least as large as the true."""
    mean = at_most / (draws * UNIT) * HOEFFDING_ROUNDING
    return np.asarray(np.minimum(mean + _hoeffding_width(draws, tail), 1.0))


def _hoeffding_width(draws: Ints, tail: Floats) -> Floats:
    """Return sqrt(log(1 / tail) / (2 n)): the paper's, with tail = alpha / 2 for each side."""
    return HOEFFDING_ROUNDING * np.sqrt(-np.log(tail) / (2 * draws))


def bernstein_lower(at_least: Ints, squares: Ints, draws: Ints, tail: Floats) -> Floats:
    """Compute a lower limit, not below 0, from sums at most and squares at least the true ones."""
    mean = at_least / (draws * UNIT) / BERNSTEIN_ROUNDING
    low = mean - _bernstein_width(at_least, squares, draws, tail)
    return np.asarray(np.maximum(low, 0.0))


def bernstein_upper(
    at_least: Ints, at_most: Ints, squares: Ints, draws: Ints, tail: Floats
) -> Floats:
    """Compute an upper limit from sums on both sides of the true one, and squares at least it."""
    mean = at_most / (draws * UNIT) * BERNSTEIN_ROUNDING
    high = mean + _bernstein_width(at_least, squares, draws, tail)
    return np.asarray(np.minimum(high, 1.0))


def _bernstein_width(at_least: Ints, squares: Ints, draws: Ints, tail: Floats) -> Floats:
    """Return Maurer and Pontil's width, rounded up; for one draw above 1, which bounds nothing."""
    n = np.maximum(draws, 2)
    cost = np.log(2 / tail)
    variance = squared_deviations(at_least, squares, n) / (n - 1.0)
    width = np.sqrt(2 * cost / n * variance) + 7 * cost / (3 * (n - 1.0))
    return BERNSTEIN_ROUNDING * width


def squared_deviations(sums: Ints, squares: Ints, draws: Ints) -> Floats:
    """Return the sum of (Y - mean)^2, that is Q - S^2 / n, rounded up by less than 2 * 2^-40.

    S^2 does not fit in 64 bits, and as a float it would cancel. With a = S / n cut to 20 bits and
    e = S - n a the deviation from a is Q - n a^2 - 2 a e, and from the mean e^2 / n less. Each of
    n a^2, a e and e is an exact integer below 2^63.
    """
    cut = sums // draws >> HALF_BITS
    left = sums - (draws * cut << HALF_BITS)
    large = squares - draws * cut**2
    small = cut * left * 2.0 ** (1 - HALF_BITS) + (left * 2.0**-HALF_BITS) ** 2 / draws
    return np.maximum(large - small + 1.0, 0.0) * (BERNSTEIN_ROUNDING / UNIT)


def bentkus_lower(at_least: Ints, draws: Ints, tail: Floats) -> Floats:
    """Compute a lower limit from fixed-point sums that are at most the true ones."""
    return binomial.clopper_pearson_lower(
        np.minimum(at_least >> FIXED_POINT, draws), draws, tail / np.e
    )[0]


def bentkus_upper(at_most: Ints, draws: Ints, tail: Floats) -> Floats:
    """Compute an upper limit from fixed-point sums that are at least the true ones."""
    whole = np.minimum(-(-at_most >> FIXED_POINT), draws)
    return binomial.clopper_pearson_upper(whole, draws, tail / np.e)
