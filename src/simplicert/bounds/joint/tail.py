"""Compute the exact probability of doing at least as well as was seen, at given probabilities.

First, which outcomes are at least as good. Outcomes (N_A, N_j) of n draws are ordered by T, the
two-sided radius of the pair's own limits: with score(k) = Phi^{-1}(L(k; c)) and
U(b; c) = 1 - L(n - b; c), 2 T = score(N_A) + score(n - N_j). T rises with N_A and falls with N_j,
so {T >= t} is a staircase: a smallest N_A for each N_j, which never falls as N_j rises. Whatever is
cut or rounded here makes the staircase larger.

Second, its probability. With m = n - b draws left for A and q = p_A / (1 - p_j), a staircase has
probability sum over b of P(Bin(n, p_j) = b) s_b, s_b = P(Bin(m, q) >= least_b). Ends that are cut
off are added as a whole.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import betainc, betaincc, betainccinv, betaincinv, gammaln

from simplicert.mechanisms.quantile import normal_quantile
from simplicert.types import Floats, Ints

SLACK = 1e-9  # by which scores may be off: ten times the worst error seen, of scipy's inverse

SMOOTH = 256  # scores computed in each octave of counts; those between are interpolated

LEAST = 1e-14  # smallest 1 - q that is told from 0: a larger one is safe

STEEP = 64  # terms of a step for which one incomplete beta function is faster

BLOCK = 1 << 15  # terms evaluated together: they stay in the cache

CountRange = tuple[int, int]  # the first and the last of consecutive counts

LogFactorial = Callable[[Floats], Floats]


def lower_limit_score(counts: Ints, draws: int | Ints, tail: float | Floats) -> Floats:
    """Return Phi^{-1} of the Clopper-Pearson lower limit, -inf at 0; it only orders outcomes."""
    k, n, c = (np.asarray(x, dtype=float) for x in np.broadcast_arrays(counts, draws, tail))
    ends, inside = k == n, (k > 0) & (k < n)
    limit = np.zeros(len(k))
    limit[ends] = np.exp(np.log(c[ends]) / n[ends])
    limit[inside] = betaincinv(k[inside], n[inside] - k[inside] + 1, c[inside])
    out = normal_quantile(limit)
    near = limit > 0.5  # noqa: PLR2004
    some = near & inside  # 1 - L has the digits there
    out[some] = -normal_quantile(betainccinv(n[some] - k[some] + 1, k[some], c[some]))
    ends &= near
    out[ends] = -normal_quantile(-np.expm1(np.log(c[ends]) / n[ends]))
    return out


def interpolate_scores(window: CountRange, draws: int, tail: float) -> Floats:
    """Return the scores of consecutive counts, by cubics through some where they are smooth."""
    first, last = window
    apart = min(first, draws - last) // SMOOTH
    if apart <= 1:
        return lower_limit_score(np.arange(first, last + 1), draws, tail)
    known = lower_limit_score(np.arange(first - apart, last + 3 * apart, apart), draws, tail)
    at, rest = np.divmod(np.arange(last - first + 1), apart)
    t = rest / apart
    weights = (t * (t - 1) * (2 - t), 3 * (t + 1) * (t - 1) * (t - 2), 3 * t * (t + 1) * (2 - t))
    ends = (*weights, t * (t + 1) * (t - 1))
    return np.asarray(sum(w * known[at + i] for i, w in enumerate(ends)) / 6)


def build_staircase(
    seen: tuple[int, int],
    draws: int,
    tail: float,
    tops: CountRange,
    rivals: CountRange,
) -> tuple[Ints, Ints]:
    """Return the rival's counts, and for each the smallest top count that is in {T >= t}.

    `seen` is (N_A, N_j), and t its T. Only counts inside the windows are considered: a step that
    starts below them takes in everything, one that starts above them starts at their end.
    Scores may be off by `SLACK`: outcomes that near count as equal.
    """
    wins, losses = seen
    b = np.arange(rivals[0], rivals[1] + 1)
    own, other = lower_limit_score(np.array([wins, draws - losses]), draws, tail)
    opposite = interpolate_scores((draws - rivals[1], draws - rivals[0]), draws, tail)[::-1]
    needed = own + other - SLACK * (1 + abs(own) + abs(other)) - opposite
    reached = interpolate_scores(tops, draws, tail)
    beyond = tops[1] if tops[1] < draws else draws + 1  # more than all draws is impossible
    least = np.minimum(tops[0] + np.searchsorted(reached, needed), beyond)
    least[needed <= reached[0]] = 0
    least[b <= losses] = np.minimum(least[b <= losses], wins)  # what was seen is in its own tail
    least = np.minimum.accumulate(least[::-1])[::-1]
    kept = slice(np.searchsorted(least, 1), np.searchsorted(least, beyond) + 1)
    return b[kept], least[kept]


class StaircaseTail(NamedTuple):
    """A staircase, and the terms of its probability that do not depend on p.

    In it are all outcomes with N_j < rivals[0], and those with N_j = rivals[i] and
    N_A >= least[i]. Where N_j is larger than the last of `rivals`, the last of `least` serves.
    """

    draws: int
    rivals: Ints  # (B,) consecutive counts of the rival
    least: Ints  # (B,) never falling
    ways: Floats  # (B,) log C(n, b)
    starts: Ints  # (B,) where the terms of the step from rivals[i + 1] down to rivals[i] begin
    step_ways: Floats  # (M,) log C(m, k), and the powers of q and 1 - q of each term
    hits: Floats  # (M,)
    misses: Floats  # (M,)

    @property
    def cost(self) -> int:
        """Number of terms that one point needs."""
        return len(self.rivals) * (1 if len(self.hits) else STEEP) + len(self.hits)


def build_tail(
    rivals: Ints, least: Ints, draws: int, log_factorial: LogFactorial | None = None
) -> StaircaseTail:
    """Prepare the terms of the staircase's probability; none where its steps are steep.

    s_b = s_(b+1) + q P(Bin(m - 1, q) = least_(b+1) - 1) + sum over k in least_b .. least_(b+1) - 1
    of P(Bin(m, q) = k). All terms are positive, so nothing cancels.
    """
    terms = np.diff(least) + 1
    if terms.sum() > STEEP * len(least):
        terms = np.zeros_like(terms)
    starts = np.concatenate([[0], np.cumsum(terms)])
    step = np.repeat(np.arange(len(terms)), terms)
    place = np.arange(len(step)) - starts[step]
    extra = place == 0  # one more draw for A; the other places lower the threshold
    k = np.where(extra, least[step + 1] - 1, least[step] + place - 1).astype(float)
    m = (draws - rivals[step] - extra).astype(float)
    possible = k <= m
    return StaircaseTail(
        draws,
        rivals,
        least,
        _log_binomial(np.array([float(draws)]), rivals.astype(float), log_factorial),
        starts,
        np.where(possible, _log_binomial(np.maximum(m, k), k, log_factorial), -np.inf),
        k + extra,
        np.where(possible, m - k, 0.0),
    )


def _log_binomial(n: Floats, k: Floats, log_factorial: LogFactorial | None) -> Floats:
    """Return the logarithm of n choose k, by the function given or else by scipy's."""
    if log_factorial is not None:
        return np.asarray(log_factorial(n) - log_factorial(k) - log_factorial(n - k))
    return np.asarray(gammaln(n + 1.0) - gammaln(k + 1) - gammaln(n - k + 1))


def tail_probability(
    tail: StaircaseTail,
    p_top: Floats,
    p_rival: Floats,
    reach: float,
    above: float | None = None,
    block: int = BLOCK,
) -> Floats:
    """Bound (P,) the tail's probability at each (p_A, p_j) from above, 0 < p_j <= 1 - p_A < 1.

    It is exact but for counts more than `reach` deviations below n p_j, or `above` it (by default
    the same): these are added whole.
    """
    reaches = reach, reach if above is None else above
    size = max(1, block // tail.cost)
    blocks = [slice(at, at + size) for at in range(0, len(p_top), size)]
    return np.concatenate(
        [_block_probability(tail, p_top[at], p_rival[at], reaches) for at in blocks]
    )


def _block_probability(
    tail: StaircaseTail, p_top: Floats, p_rival: Floats, reaches: tuple[float, float]
) -> Floats:
    """Do the same for a few points, from the steps that matter to them."""
    n = tail.draws
    ends = (
        likely_counts(float(p_rival.min()), n, reaches[0])[0],
        likely_counts(float(p_rival.max()), n, reaches[1])[1],
    )
    first, last = np.clip(np.searchsorted(tail.rivals, ends), 0, len(tail.rivals) - 1)
    survival = _survival_probabilities(tail, int(first), int(last), p_top / (1 - p_rival))
    counts = tail.rivals[first:last].astype(float)
    weights = np.multiply.outer(np.log(p_rival), counts)
    weights += np.multiply.outer(np.log1p(-p_rival), n - counts)
    weights += tail.ways[first:last]
    inside = np.einsum("ij,ij->i", np.exp(weights, out=weights), survival[:, :-1])
    b, c = float(tail.rivals[first]), float(tail.rivals[last])
    below = betaincc(b, n - b + 1, p_rival) if b > 0 else 0.0  # all outcomes with fewer are in
    above = betainc(c, n - c + 1, p_rival) if c > 0 else 1.0
    return np.asarray(below + inside + above * survival[:, -1])


def _survival_probabilities(tail: StaircaseTail, first: int, last: int, q: Floats) -> Floats:
    """Return (P, last - first + 1) s_b for the rival's counts from `first` to `last`."""
    if not len(tail.hits):
        left = (tail.draws - tail.rivals[first : last + 1]).astype(float)
        return binomial_survival(tail.least[first : last + 1].astype(float), left, q[:, None])
    out = np.empty((len(q), last - first + 1))
    out[:, -1] = binomial_survival(
        float(tail.least[last]), float(tail.draws - tail.rivals[last]), q
    )
    if first == last:
        return out
    steps = slice(tail.starts[first], tail.starts[last])
    terms = np.multiply.outer(np.log(q), tail.hits[steps])
    terms += np.multiply.outer(np.log(np.maximum(1 - q, LEAST)), tail.misses[steps])
    terms += tail.step_ways[steps]
    np.exp(terms, out=terms)
    begin = tail.starts[first:last] - tail.starts[first]
    out[:, :-1] = np.add.reduceat(terms, begin, axis=1)
    return np.cumsum(out[:, ::-1], axis=1)[:, ::-1]


def binomial_survival(k: Floats | float, m: Floats | float, q: Floats) -> Floats:
    """Return P(Bin(m, q) >= k) for k >= 1; 0 where k > m."""
    possible = np.asarray(k <= m)
    found = betainc(k, np.where(possible, m - k + 1, 1.0), q)
    return np.where(possible, found, 0.0)


def likely_counts(p: float, draws: int, reach: float) -> CountRange:
    """Return the counts within `reach` deviations of their mean, and a few more if small."""
    mean, far = draws * p, reach * np.sqrt(draws * p * (1 - p)) + reach**2 / 2
    return max(int(mean - far), 0), min(int(mean + far) + 1, draws)
