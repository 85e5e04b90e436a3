"""Chernoff's limit, by relative entropy: wider than Clopper-Pearson, elementary, always valid.

P(p > U) <= exp(-n kl(y/n, U)); so U is the smallest p above y/n with n kl(y/n, p) >= log(1/tail).
It stands in where a special function fails its check.
"""

import numpy as np
from scipy.special import xlogy

from simplicert.search import last_below
from simplicert.types import Bools, Floats

ROUNDING = 8 * np.finfo(float).eps  # error of n kl(., .), relative to n


def upper(successes: Floats, draws: Floats, tail: Floats, needed: Bools) -> Floats:
    """U where `needed`, 1 elsewhere (which is a limit too)."""
    out = np.ones(np.shape(successes))
    if not np.any(needed):
        return out
    y, n, a = successes[needed], draws[needed], tail[needed]
    enough = -np.log(a) * (1 + ROUNDING) + ROUNDING * n

    def failures_share(q: Floats) -> Floats:
        """N kl at p = 1 - q, negated: it falls as p rises, so it rises with q."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(-(xlogy(y, y / n / (1 - q)) + xlogy(n - y, (n - y) / n / q)))

    # Searched in q = 1 - p, from 0 (p = 1, always safe) to the share of failures (p = y / n).
    q = last_below(failures_share, -enough, np.zeros_like(y), (n - y) / n)
    out[needed] = np.minimum(np.nextafter(1 - q, 2.0), 1.0)
    return out
