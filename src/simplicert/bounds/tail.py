"""The probability of doing at least as well as was seen, exactly, at given class probabilities.

With m = n - b draws left for A and q = p_A / (1 - p_j), a staircase has probability
sum over b of P(Bin(n, p_j) = b) s_b, s_b = P(Bin(m, q) >= least_b). What is cut is added whole.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import betainc, betaincc, gammaln

from simplicert.bounds.staircase import Window
from simplicert.types import Floats, Ints

LEAST = 1e-14  # smallest 1 - q that is told from 0: a larger one is safe
STEEP = 64  # terms of a step for which one incomplete beta function is faster
BLOCK = 1 << 15  # terms evaluated together: they stay in the cache


class Tail(NamedTuple):
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
        """Of one point, in terms."""
        return len(self.rivals) * (1 if len(self.hits) else STEEP) + len(self.hits)


def tail_of(rivals: Ints, least: Ints, draws: int) -> Tail:
    """The terms of the staircase's probability; none where its steps are steep.

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
    return Tail(
        draws,
        rivals,
        least,
        log_ways(float(draws), rivals.astype(float)),
        starts,
        np.where(possible, log_ways(np.maximum(m, k), k), -np.inf),
        k + extra,
        np.where(possible, m - k, 0.0),
    )


def log_ways(n: Floats | float, k: Floats) -> Floats:
    """The logarithm of n choose k."""
    return np.asarray(gammaln(n + 1.0) - gammaln(k + 1) - gammaln(n - k + 1))


def probability(tail: Tail, p_top: Floats, p_rival: Floats, reach: float) -> Floats:
    """(P,) an upper bound on the tail's probability at each (p_A, p_j), 0 < p_j <= 1 - p_A < 1.

    Exact but for counts more than `reach` deviations away from n p_j: these are added whole.
    """
    size = max(1, BLOCK // tail.cost)
    blocks = [slice(at, at + size) for at in range(0, len(p_top), size)]
    return np.concatenate([block(tail, p_top[at], p_rival[at], reach) for at in blocks])


def block(tail: Tail, p_top: Floats, p_rival: Floats, reach: float) -> Floats:
    """The same for a few points, from the steps that matter to them."""
    n = tail.draws
    ends = around(float(p_rival.min()), n, reach)[0], around(float(p_rival.max()), n, reach)[1]
    first, last = np.clip(np.searchsorted(tail.rivals, ends), 0, len(tail.rivals) - 1)
    survival = survivals(tail, int(first), int(last), p_top / (1 - p_rival))
    counts = tail.rivals[first:last].astype(float)
    weights = np.multiply.outer(np.log(p_rival), counts)
    weights += np.multiply.outer(np.log1p(-p_rival), n - counts)
    weights += tail.ways[first:last]
    inside = np.einsum("ij,ij->i", np.exp(weights, out=weights), survival[:, :-1])
    b, c = float(tail.rivals[first]), float(tail.rivals[last])
    below = betaincc(b, n - b + 1, p_rival) if b > 0 else 0.0  # all outcomes with fewer are in
    above = betainc(c, n - c + 1, p_rival) if c > 0 else 1.0
    return np.asarray(below + inside + above * survival[:, -1])


def survivals(tail: Tail, first: int, last: int, q: Floats) -> Floats:
    """(P, last - first + 1) s_b for the rival's counts from `first` to `last`."""
    if not len(tail.hits):
        left = (tail.draws - tail.rivals[first : last + 1]).astype(float)
        return at_least(tail.least[first : last + 1].astype(float), left, q[:, None])
    out = np.empty((len(q), last - first + 1))
    out[:, -1] = at_least(float(tail.least[last]), float(tail.draws - tail.rivals[last]), q)
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


def at_least(k: Floats | float, m: Floats | float, q: Floats) -> Floats:
    """P(Bin(m, q) >= k) for k >= 1; 0 where k > m."""
    possible = np.asarray(k <= m)
    found = betainc(k, np.where(possible, m - k + 1, 1.0), q)
    return np.where(possible, found, 0.0)


def around(p: float, draws: int, reach: float) -> Window:
    """Counts within `reach` deviations of their mean, and a few more where they are small."""
    mean, far = draws * p, reach * np.sqrt(draws * p * (1 - p)) + reach**2 / 2
    return max(int(mean - far), 0), min(int(mean + far) + 1, draws)
