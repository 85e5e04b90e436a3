"""Sum the probabilities of many inputs' staircases at points of their curves, in few passes.

The sum is that of bounds/joint/tail.py: over the rival's counts b, P(Bin(n, p_j) = b) times the
probability s_b that A has enough of the other draws. Logarithms of terms are linear in the
logarithms of p, so those of all points are one product of matrices; and as each s_b is the one of
b + 1 and a few more terms, all of them are one running sum from the last b downward.

What is small is done for all inputs at once, in flat arrays; what is left for one input is some
ten operations on tens of thousands of numbers, which other threads need not wait for.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import betainc, betaincc, gammaln

from simplicert.bounds.joint.staircases import Staircases
from simplicert.bounds.joint.tail import (
    LEAST,
    STEEP,
    StaircaseTail,
    binomial_survival,
    build_tail,
    tail_probability,
)
from simplicert.types import Floats, Ints

BLOCK = 1 << 18  # terms evaluated together

SERIES = 100.0  # from here on two terms of Stirling's series are enough: the next is 1e-13

TABULATED = 1 << 21  # factorials kept; of more draws they are computed one by one

HALF_LOG = 0.5 * np.log(2 * np.pi)


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


@lru_cache(maxsize=1)
def _factorial_table(size: int) -> Floats:
    return log_factorial(np.arange(float(size)))


def look_up_factorials(counts: Ints, most: int) -> Floats:
    """Return the logarithms of factorials of counts up to `most`, from a table if it is small."""
    if most >= TABULATED:
        return log_factorial(counts.astype(float))
    return np.asarray(_factorial_table(1 << max(most, 1).bit_length())[counts])


class TailSums(NamedTuple):
    """Staircases, with the logarithms of their terms as rows: a constant, and two powers."""

    stairs: Staircases
    starts: Ints  # (S + 1,) how many terms there are before the step from one count to the next
    weights: Floats  # (3, S) of P(Bin(n, p_j) = b)
    terms: Floats  # (3, T) of the steps, from the last one of the last input to the first

    def costs(self) -> Ints:
        """Return (N,) the number of terms that one point of each input needs."""
        begin = self.stairs.begin
        terms = self.starts[begin[1:]] - self.starts[begin[:-1]]
        return np.diff(begin) * np.where(terms > 0, 1, STEEP) + terms


def prepare_sums(stairs: Staircases) -> TailSums:
    """Prepare the terms of the staircases' probabilities; none where the steps are steep."""
    begin, least, most = stairs.begin, stairs.least, int(stairs.draws.max(initial=0))
    owner = np.repeat(np.arange(len(stairs.draws)), stairs.steps)
    draws = stairs.draws[owner]
    rivals = np.arange(len(least)) + (stairs.first - begin[:-1])[owner]
    starts = _count_terms(stairs)
    step = np.repeat(np.arange(len(least)), np.diff(starts))
    place = np.arange(len(step)) - starts[step]
    extra = place == 0  # one more draw for A; the other places lower the threshold
    k = np.where(extra, least[np.minimum(step + 1, len(least) - 1)], least[step] + place) - 1
    m = (draws - rivals)[step] - extra
    rest = m - k
    possible = rest >= 0
    terms = np.empty((3, len(step)))
    all_ways = look_up_factorials(np.maximum(m, k), most) - look_up_factorials(k, most)
    all_ways -= look_up_factorials(np.maximum(rest, 0), most)
    terms[0, ::-1] = np.where(possible, all_ways, -np.inf)
    terms[1, ::-1] = k + extra
    terms[2, ::-1] = np.where(possible, rest, 0)
    ways = look_up_factorials(draws, most) - look_up_factorials(rivals, most)
    ways -= look_up_factorials(draws - rivals, most)
    weights = np.stack([ways, rivals.astype(float), (draws - rivals).astype(float)])
    return TailSums(stairs, starts, weights, terms)


def _count_terms(stairs: Staircases) -> Ints:
    """Return (S + 1,) how many terms there are before each step; none where they are steep."""
    begin, steps = stairs.begin, stairs.steps
    some = steps > 0
    terms = np.diff(stairs.least, append=0) + 1
    terms[begin[1:][some] - 1] = 0  # from the last count of an input there is no step
    each = np.diff(np.concatenate([[0], np.cumsum(terms)])[begin])
    terms[np.repeat(each > STEEP * steps, steps)] = 0
    return np.concatenate([[0], np.cumsum(terms)])


class PointsOfInputs(NamedTuple):
    """Points (p_A, p_j), 0 < p_j <= 1 - p_A < 1, those of one input after those of another."""

    rows: Ints  # (R,) which input
    begin: Ints  # (R + 1,) where its points begin
    top: Floats  # (P,)
    rival: Floats  # (P,)


def sum_tails(sums: TailSums, points: PointsOfInputs, below: Floats, above: float) -> Floats:
    """Bound (P,) the tails' probabilities at the points from above.

    They are exact but for the rival's counts that are more deviations below (R,) or above n p_j:
    these are added whole.
    """
    costs = sums.costs()[points.rows]
    has_terms = np.diff(sums.starts[sums.stairs.begin])[points.rows] > 0
    out = np.empty(len(points.top))
    blocks = []
    ranges = zip(points.begin[:-1].tolist(), points.begin[1:].tolist(), strict=True)
    for at, (first, last) in enumerate(ranges):
        if has_terms[at]:
            size = max(1, BLOCK // int(costs[at]))
            blocks += [(at, a, min(a + size, last)) for a in range(first, last, size)]
        else:
            tail = take_tail(sums.stairs, int(points.rows[at]))
            here = points.top[first:last], points.rival[first:last]
            out[first:last] = tail_probability(tail, *here, float(below[at]), above)
    if blocks:
        _sum_blocks(sums, points, np.array(blocks).T, (below, above), out)
    return out


def take_tail(stairs: Staircases, row: int) -> StaircaseTail:
    """Return the staircase of one input alone, with its terms."""
    least = stairs.least[stairs.begin[row] : stairs.begin[row + 1]]
    rivals = stairs.first[row] + np.arange(len(least))
    return build_tail(rivals, least, int(stairs.draws[row]), log_factorial)


def _sum_blocks(
    sums: TailSums,
    points: PointsOfInputs,
    blocks: Ints,
    reaches: tuple[Floats, float],
    out: Floats,
) -> None:
    """Sum at some points of one input each, from the steps that matter to them."""
    at, start, stop = blocks
    stairs, row = sums.stairs, points.rows[at]
    n, begin, rival0 = stairs.draws[row], stairs.begin[row], stairs.first[row]
    used = np.concatenate([np.arange(a, z) for a, z in zip(start, stop, strict=True)])
    p_top, p_rival, size = points.top[used], points.rival[used], stop - start
    place = np.concatenate([[0], np.cumsum(size)])
    ends = (
        likely_range(np.minimum.reduceat(p_rival, place[:-1]), n, reaches[0][at])[0],
        likely_range(np.maximum.reduceat(p_rival, place[:-1]), n, reaches[1])[1],
    )
    first, last = (np.clip(end - rival0, 0, stairs.steps[row] - 1) for end in ends)
    b, c, k, n = (
        np.repeat(x.astype(float), size)
        for x in (rival0 + first, rival0 + last, stairs.least[begin + last], n)
    )
    q = p_top / (1 - p_rival)
    least = binomial_survival(k, n - c, q)
    below = np.where(b > 0, betaincc(np.maximum(b, 1.0), n - b + 1, p_rival), 0.0)
    above = np.where(c > 0, betainc(np.maximum(c, 1.0), n - c + 1, p_rival), 1.0)
    total = below + above * least  # all outcomes with fewer of the rival are in
    one = np.ones(len(q))
    for_terms = np.stack([one, np.log(q), np.log(np.maximum(1 - q, LEAST))], axis=1)
    for_weights = np.stack([one, np.log(p_rival), np.log1p(-p_rival)], axis=1)
    every = sums.terms.shape[1]
    for a, z, low, high in zip(place, place[1:], begin + first, begin + last, strict=False):
        if low == high:
            continue
        until = sums.starts[high]
        terms = for_terms[a:z] @ sums.terms[:, every - until : every - sums.starts[low]]
        np.cumsum(np.exp(terms, out=terms), axis=1, out=terms)
        survival = terms[:, until - sums.starts[low:high] - 1] + least[a:z, None]
        weights = for_weights[a:z] @ sums.weights[:, low:high]
        total[a:z] += np.einsum("ij,ij->i", np.exp(weights, out=weights), survival)
    out[used] = total


def likely_range(p: Floats, draws: Ints, reach: Floats | float) -> tuple[Ints, Ints]:
    """Return the counts within `reach` deviations of their mean, and a few more if small."""
    mean, far = draws * p, reach * np.sqrt(draws * p * (1 - p)) + np.square(reach) / 2
    most = np.minimum((mean + far).astype(np.int64) + 1, draws)
    return np.maximum((mean - far).astype(np.int64), 0), most
