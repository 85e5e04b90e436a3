"""Which outcomes are at least as good as the one seen.

Outcomes (N_A, N_j) of n draws are ordered by T, the two-sided radius of the pair's own limits:
with score(k) = Phi^{-1}(L(k; c)) and U(b; c) = 1 - L(n - b; c), 2 T = score(N_A) + score(n - N_j).
T rises with N_A and falls with N_j, so {T >= t} is a staircase: a smallest N_A for each N_j, which
never falls as N_j rises. Whatever is cut or rounded here makes the staircase larger.
"""

import numpy as np
from scipy.special import betainccinv, betaincinv

from simplicert.mechanisms.quantile import quantile
from simplicert.types import Floats, Ints

SLACK = 1e-9  # by which scores may be off: ten times the worst error seen, of scipy's inverse
SMOOTH = 256  # scores are computed so many times in each octave of counts, and interpolated

Window = tuple[int, int]  # the first and the last of consecutive counts


def score(counts: Ints, draws: int, tail: float) -> Floats:
    """Phi^{-1} of the Clopper-Pearson lower limit; -inf at 0. Orders outcomes, and no more."""
    k, n = np.asarray(counts, dtype=float), float(draws)
    at_end = np.exp(np.log(tail) / n), -np.expm1(np.log(tail) / n)
    inside = (k > 0) & (k < n)
    limit = np.where(k == n, at_end[0], 0.0)
    limit[inside] = betaincinv(k[inside], n - k[inside] + 1, tail)
    out = quantile(limit)
    near = limit > 0.5  # noqa: PLR2004
    some = near & inside  # 1 - L has the digits there
    out[some] = -quantile(betainccinv(n - k[some] + 1, k[some], tail))
    out[near & (k == n)] = -quantile(at_end[1])
    return out


def scores(window: Window, draws: int, tail: float) -> Floats:
    """The scores of consecutive counts, by cubics through some of them where they are smooth."""
    first, last = window
    apart = min(first, draws - last) // SMOOTH
    if apart <= 1:
        return score(np.arange(first, last + 1), draws, tail)
    known = score(np.arange(first - apart, last + 3 * apart, apart), draws, tail)
    at, rest = np.divmod(np.arange(last - first + 1), apart)
    t = rest / apart
    weights = (t * (t - 1) * (2 - t), 3 * (t + 1) * (t - 1) * (t - 2), 3 * t * (t + 1) * (2 - t))
    ends = (*weights, t * (t + 1) * (t - 1))
    return np.asarray(sum(w * known[at + i] for i, w in enumerate(ends)) / 6)


def staircase(
    seen: tuple[int, int], draws: int, tail: float, tops: Window, rivals: Window
) -> tuple[Ints, Ints]:
    """Counts of the rival, and for each the smallest count of the top class that is in {T >= t}.

    `seen` is (N_A, N_j), and t its T. Only counts inside the windows are looked at: a step that
    starts below them takes in everything, one that starts above them starts at their end.
    """
    wins, losses = seen
    b = np.arange(rivals[0], rivals[1] + 1)
    own, other = score(np.array([wins, draws - losses]), draws, tail)
    opposite = scores((draws - rivals[1], draws - rivals[0]), draws, tail)[::-1]
    needed = own + other - SLACK * (1 + abs(own) + abs(other)) - opposite
    reached = scores(tops, draws, tail)
    beyond = tops[1] if tops[1] < draws else draws + 1  # more than all draws is impossible
    least = np.minimum(tops[0] + np.searchsorted(reached, needed), beyond)
    least[needed <= reached[0]] = 0
    least[b <= losses] = np.minimum(least[b <= losses], wins)  # what was seen is in its own tail
    least = np.minimum.accumulate(least[::-1])[::-1]
    kept = slice(np.searchsorted(least, 1), np.searchsorted(least, beyond) + 1)
    return b[kept], least[kept]
