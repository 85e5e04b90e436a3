"""Exact one-sided limits for a binomial probability (Clopper and Pearson 1934; the Beta method).

scipy's inverse of the incomplete beta function stops early at times: at 1e9 draws its implied
tail was off by 1e-5 of itself, on the unsafe side. So every inverse is asked for a slightly smaller
tail, rounded outward, and checked by the forward function, which is accurate; a value that
fails the check is replaced by the Chernoff limit, which needs no inverse.
"""

import numpy as np
from scipy.special import betainc, betaincc, betainccinv, betaincinv

from simplicert.bounds.limits import chernoff
from simplicert.types import Floats, Ints

SHRINK = 1 - 1e-4  # share of the tail that an inverse is asked for: 10 times the worst error seen


def upper(successes: Ints, draws: Ints, tail: Floats) -> Floats:
    """U with P(p > U) <= tail, whatever p is: p the probability, `successes` ~ Bin(draws, p)."""
    y, n, a = (np.asarray(x, dtype=float) for x in np.broadcast_arrays(successes, draws, tail))
    left = np.maximum(n - y, 1.0)  # the limit for y = n is 1 and needs no inverse
    limit = betainccinv(y + 1, left, SHRINK * a)
    limit = np.where(y == 0, -np.expm1(np.log(SHRINK * a) / n), limit)
    limit = np.nextafter(limit, 1.0)
    # A limit that is no probability fails: its tail is NaN.
    sound = (y / n <= limit) & (betaincc(y + 1, left, limit) <= a)
    return np.where(y == n, 1.0, np.where(sound, limit, chernoff.upper(y, n, a, ~sound)))


def lower(successes: Ints, draws: Ints, tail: Floats) -> tuple[Floats, Floats]:
    """(L, 1 - L) with P(p < L) <= tail, the second computed directly and not by subtraction.

    L is rounded toward zero from it where it lies near 1, so that 1 - L, which is exact in
    floating point there, is never smaller than the second number.
    """
    x, n, a = np.broadcast_arrays(successes, draws, tail)
    q = upper(n - x, n, a)
    return np.where(2 * x > n, np.nextafter(1 - q, 0.0), lower_directly(x, n, a)), q


def lower_directly(successes: Ints, draws: Ints, tail: Floats) -> Floats:
    """L by its own inverse, which keeps all digits of a small one."""
    x, n, a = (np.asarray(v, dtype=float) for v in np.broadcast_arrays(successes, draws, tail))
    some = np.maximum(x, 1.0)  # the limit for x = 0 is 0 and needs no inverse
    limit = betaincinv(some, n - x + 1, SHRINK * a)
    limit = np.where(x == n, np.exp(np.log(SHRINK * a) / n), limit)
    limit = np.nextafter(limit, 0.0)
    sound = (limit <= x / n) & (betainc(some, n - x + 1, limit) <= a)
    fallback = np.nextafter(1 - chernoff.upper(n - x, n, a, ~sound), 0.0)
    return np.where(x == 0, 0.0, np.where(sound, limit, np.maximum(fallback, 0.0)))
