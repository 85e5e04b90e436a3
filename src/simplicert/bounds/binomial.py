"""Compute exact confidence limits for a binomial probability, and the sign test of two counts.

Clopper and Pearson (1934; the Beta method) give exact one-sided limits. scipy's inverse of the
incomplete beta function stops early at times: at 1e9 draws its implied tail was off by 1e-5 of
itself, on the unsafe side. So we ask every inverse for a slightly smaller tail, round it outward
and check it by the forward function, which is accurate; a value that fails the check is replaced by
the Chernoff limit, which needs no inverse.

Chernoff's limit, by relative entropy, is wider than Clopper-Pearson, elementary and always valid.
P(p > U) <= exp(-n kl(y/n, U)); so U is the smallest p above y/n with n kl(y/n, p) >= log(1/tail).

The sign test selects classes: did the winner beat a rival by more than a fair coin would?
"""

import numpy as np
from scipy.special import betainc, betaincc, betainccinv, betaincinv, xlogy

from simplicert.search import find_last_below
from simplicert.types import Bools, Floats, Ints

SHRINK = 1 - 1e-4  # share of the tail that an inverse gets: leaves 10 times the worst error seen

ROUNDING = 8 * np.finfo(float).eps  # error of n kl(., .), relative to n


def clopper_pearson_upper(successes: Ints, draws: Ints, tail: Floats) -> Floats:
    """Return U with P(p > U) <= tail, whatever p is, where `successes` ~ Bin(draws, p)."""
    y, n, a = (np.asarray(x, dtype=float) for x in np.broadcast_arrays(successes, draws, tail))
    left = np.maximum(n - y, 1.0)  # the limit for y = n is 1 and needs no inverse
    limit = betainccinv(y + 1, left, SHRINK * a)
    limit = np.where(y == 0, -np.expm1(np.log(SHRINK * a) / n), limit)
    limit = np.nextafter(limit, 1.0)
    # A limit outside [0, 1] fails too: its tail is NaN.
    sound = (y / n <= limit) & (betaincc(y + 1, left, limit) <= a)
    fallback = chernoff_upper(y, n, a, ~sound & (y < n))
    return np.where(y == n, 1.0, np.where(sound, limit, fallback))


def clopper_pearson_lower(successes: Ints, draws: Ints, tail: Floats) -> tuple[Floats, Floats]:
    """Return (L, 1 - L) with P(p < L) <= tail; 1 - L is computed directly, not by subtraction.

    Where L lies near 1 it is computed from 1 - L and rounded toward zero, so that subtracting it
    from 1, which is exact in floating point there, never gives less than the second number.
    """
    x, n, a = np.broadcast_arrays(successes, draws, tail)
    q = clopper_pearson_upper(n - x, n, a)
    limit = np.asarray(np.nextafter(1 - q, 0.0))
    small = np.asarray(2 * x <= n)
    limit[small] = lower_by_inverse(x[small], n[small], a[small])
    return limit, q


def lower_by_inverse(successes: Ints, draws: Ints, tail: Floats) -> Floats:
    """Return L by its own inverse, which keeps all digits of a small L."""
    x, n, a = (np.asarray(v, dtype=float) for v in np.broadcast_arrays(successes, draws, tail))
    some = np.maximum(x, 1.0)  # the limit for x = 0 is 0 and needs no inverse
    limit = betaincinv(some, n - x + 1, SHRINK * a)
    limit = np.where(x == n, np.exp(np.log(SHRINK * a) / n), limit)
    limit = np.nextafter(limit, 0.0)
    sound = (limit <= x / n) & (betainc(some, n - x + 1, limit) <= a)
    fallback = np.nextafter(1 - chernoff_upper(n - x, n, a, ~sound & (x > 0)), 0.0)
    return np.where(x == 0, 0.0, np.where(sound, limit, np.maximum(fallback, 0.0)))


def chernoff_upper(successes: Floats, draws: Floats, tail: Floats, needed: Bools) -> Floats:
    """Return Chernoff's U where `needed`, and 1 elsewhere (which is a limit too)."""
    out = np.ones(np.shape(successes))
    if not np.any(needed):
        return out
    y, n, a = successes[needed], draws[needed], tail[needed]
    enough = -np.log(a) * (1 + ROUNDING) + ROUNDING * n

    def failures_share(q: Floats) -> Floats:
        """Return -n kl at p = 1 - q, which falls as p rises and so rises with q."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(-(xlogy(y, y / n / (1 - q)) + xlogy(n - y, (n - y) / n / q)))

    # Searched in q = 1 - p, from 0 (p = 1, always safe) to the share of failures (p = y / n).
    q = find_last_below(failures_share, -enough, np.zeros_like(y), (n - y) / n)
    out[needed] = np.minimum(np.nextafter(1 - q, 2.0), 1.0)
    return out


def sign_test_tail(wins: Ints, losses: Ints) -> Floats:
    """Return P(Bin(wins + losses, 1/2) >= wins)."""
    x, y = np.asarray(wins, dtype=float), np.asarray(losses, dtype=float)
    return np.where(x > 0, betainc(np.maximum(x, 1.0), y + 1, 0.5), 1.0)


def passes_sign_test(wins: Ints, losses: Ints, level: Floats) -> Bools:
    """Whether that tail is at most the level, with room for rounding; NaN does not pass."""
    return np.asarray(sign_test_tail(wins, losses) <= SHRINK * level)
