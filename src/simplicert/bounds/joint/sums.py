"""Sum the probability of a staircase at the points of a curve, in few passes over its terms.

The sum is that of bounds/joint/tail.py: over the rival's counts b, P(Bin(n, p_j) = b) times the
probability s_b that A has enough of the other draws. Logarithms of terms are linear in the
logarithms of p, so those of all points are one product of matrices; and as each s_b is the one of
b + 1 and a few more terms, all of them are one running sum from the last b downward.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import betainc, betaincc, gammaln

from simplicert.bounds.joint.tail import (
    LEAST,
    StaircaseTail,
    binomial_survival,
    build_tail,
    likely_counts,
    tail_probability,
)
from simplicert.types import Floats, Ints

BLOCK = 1 << 18  # terms evaluated together

SERIES = 100.0  # from here on two terms of Stirling's series are enough: the next is 1e-13


HALF_LOG = 0.5 * np.log(2 * np.pi)


class TailSums(NamedTuple):
    """A staircase, with the logarithms of its terms as rows: a constant, and two powers."""

    tail: StaircaseTail
    weights: Floats  # (3, B) of P(Bin(n, p_j) = b)
    terms: Floats  # (3, M) of the steps, from the last one to the first


def log_factorial(x: Floats) -> Floats:
    """Return log x!, by Stirling's series where x is large: several times as fast as gammaln."""
    y = x + 1.0
    inverse = 1 / y
    out = inverse * (1 / 12 - inverse * inverse / 360)
    out += (y - 0.5) * np.log(y)
    out -= y - HALF_LOG
    if x.min(initial=SERIES) < SERIES:
        few = x < SERIES
        out[few] = gammaln(y[few])
    return np.asarray(out)


def prepare_sums(rivals: Ints, least: Ints, draws: int) -> TailSums:
    """Prepare the terms of a staircase's probability; none where its steps are steep."""
    tail = build_tail(rivals, least, draws, log_factorial)
    weights = np.stack([tail.ways, rivals.astype(float), (draws - rivals).astype(float)])
    terms = np.stack([tail.step_ways, tail.hits, tail.misses])[:, ::-1]
    return TailSums(tail, weights, np.ascontiguousarray(terms))


def sum_tail(sums: TailSums, p_top: Floats, p_rival: Floats, below: float, above: float) -> Floats:
    """Bound (P,) the tail's probability at each (p_A, p_j) from above, 0 < p_j <= 1 - p_A < 1.

    It is exact but for the rival's counts that are more deviations below or above n p_j: these are
    added whole.
    """
    if not sums.terms.shape[1]:
        return tail_probability(sums.tail, p_top, p_rival, below, above)
    size = max(1, BLOCK // sums.tail.cost)
    blocks = [slice(at, at + size) for at in range(0, len(p_top), size)]
    found = [_sum_block(sums, p_top[at], p_rival[at], (below, above)) for at in blocks]
    return found[0] if len(found) == 1 else np.concatenate(found)


def _sum_block(
    sums: TailSums, p_top: Floats, p_rival: Floats, reaches: tuple[float, float]
) -> Floats:
    """Do the same for a few points, from the steps that matter to them."""
    tail, n = sums.tail, sums.tail.draws
    ends = (
        likely_counts(float(p_rival.min()), n, reaches[0])[0],
        likely_counts(float(p_rival.max()), n, reaches[1])[1],
    )
    first, last = np.clip(np.searchsorted(tail.rivals, ends), 0, len(tail.rivals) - 1)
    b, c, k = (float(x) for x in (tail.rivals[first], tail.rivals[last], tail.least[last]))
    q, one = p_top / (1 - p_rival), np.ones(len(p_top))
    least = binomial_survival(k, n - c, q)
    below = betaincc(b, n - b + 1, p_rival) if b > 0 else 0.0  # all outcomes with fewer are in
    above = betainc(c, n - c + 1, p_rival) if c > 0 else 1.0
    total = below + above * least
    if first == last:
        return np.asarray(total)
    powers = np.stack([one, np.log(q), np.log(np.maximum(1 - q, LEAST))], axis=1)
    stop = sums.terms.shape[1] - tail.starts[first]
    terms = powers @ sums.terms[:, sums.terms.shape[1] - tail.starts[last] : stop]
    np.cumsum(np.exp(terms, out=terms), axis=1, out=terms)
    survival = terms[:, tail.starts[last] - tail.starts[first:last] - 1] + least[:, None]
    powers = np.stack([one, np.log(p_rival), np.log1p(-p_rival)], axis=1)
    weights = powers @ sums.weights[:, first:last]
    return np.asarray(total + np.einsum("ij,ij->i", np.exp(weights, out=weights), survival))
