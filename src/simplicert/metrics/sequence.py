"""A share of inputs that may be looked at again and again while inputs come in.

A Clopper-Pearson interval holds at one number of inputs that was fixed beforehand. Whoever watches
it and stops when it pleases is wrong more often than it says. The interval here holds at all
numbers of inputs at once.

Let the inputs be drawn independently, each a hit with probability p, and let s of the first n be
hits. For every p the mixture of all coins q by the prior Beta(1/2, 1/2)

    M_n(p) = E_q [q^s (1 - q)^(n - s)] / (p^s (1 - p)^(n - s))

is a non-negative martingale that starts at 1. By Ville's inequality M_n(p) reaches 1 / tail at some
n with probability at most tail. So the p with M_n(p) < 1 / tail are an interval that contains p at
every n at once, with probability at least 1 - tail, whatever decides at which n one looks. (Ville
1939; the mixture is that of Robbins 1970, "Statistical methods related to the law of the iterated
logarithm", for coins.)
"""

import numpy as np

from simplicert.errors import require
from simplicert.metrics.intervals import CONFIDENCE, Rate
from simplicert.search import find_last_below
from simplicert.types import Floats

ROUNDING = 1e-9  # of the logarithm of the mixture, with room to spare for counts up to 10^9


def watched_share(hits: int, total: int, confidence: float = CONFIDENCE) -> Rate:
    """Return a share of the first `total` inputs, with limits that hold at all totals at once.

    >>> rate = watched_share(70, 100)
    >>> round(rate.low, 3), rate.value, round(rate.high, 3)
    (0.537, 0.7, 0.834)
    """
    require(0 <= hits <= total > 0, f"hits must lie in 0..{total} of a positive total, got {hits}")
    require(0 < confidence < 1, f"confidence must lie strictly between 0 and 1, got {confidence}")
    value = hits / total
    return Rate(
        value,
        _lower_limit(hits, total, confidence),
        1 - _lower_limit(total - hits, total, confidence),
        hits,
        total,
    )


def _lower_limit(hits: int, total: int, confidence: float) -> float:
    """Return the largest p found below the share at which the mixture has reached 1 / tail."""
    from scipy.special import betaln, xlog1py, xlogy

    most = float(betaln(hits + 0.5, total - hits + 0.5) - betaln(0.5, 0.5))
    least = most + np.log(1 - confidence) - ROUNDING * (1 + abs(most))

    def likelihood(p: Floats) -> Floats:
        """Return the logarithm of p^s (1 - p)^(n - s), which rises up to the share."""
        return np.asarray(xlogy(hits, p) + xlog1py(total - hits, -p))

    zero, share = np.array(0.0), np.array(hits / total)
    return float(find_last_below(likelihood, np.array(least), zero, share)) if hits else 0.0
