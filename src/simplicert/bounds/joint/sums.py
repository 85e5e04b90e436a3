"""Sum the probabilities of many inputs' staircases at points of their curves, in few passes.

The sum is that of bounds/joint/tail.py: over the rival's counts b, P(Bin(n, p_j) = b) times the
probability s_b that A has enough of the other draws. Logarithms of terms are linear in the
logarithms of p, so those of all points are one product of matrices; and as each s_b is the one of
b + 1 and a few more terms, all of them are one running sum from the last b downward.

What is small is done for all inputs at once, in flat arrays; what is left for one input is some
ten operations on tens of thousands of numbers, which other threads need not wait for.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import betaincc, gammaln

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

BLOCK = 1 << 16  # terms evaluated together: they stay in the cache, and BLAS in one thread

SERIES = 100.0  # from here on two terms of Stirling's series are enough: the next is 1e-13

TABULATED = 1 << 21  # factorials kept; of more draws they are computed one by one

HALF_LOG = 0.5 * np.log(2 * np.pi)

LogFactorials = Callable[[Ints], Floats]


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


def find_factorials(most: int) -> LogFactorials:
    """Return a function from counts up to `most` to log k!, by a table if it is not large."""
    if most >= TABULATED:
        return lambda counts: log_factorial(counts.astype(float))
    return _factorial_table(1 << max(most, 1).bit_length()).__getitem__


class TailSums(NamedTuple):
    """Staircases, with the logarithms of their terms as rows: a constant, and two powers.

    With the rival's count one lower, A has one more draw, and its threshold is lower by some
    counts: that is one `extra` term and as many `lower` ones.
    """

    stairs: Staircases
    weights: Floats  # (3, S) of P(Bin(n, p_j) = b)
    extra: Floats  # (3, S) of the step from b + 1 down to b; an input's last one is not used
    lower: Floats  # (3, T) of each count below an input's last threshold, down to its first
    step: Ints  # (T,) which step each of these belongs to
    starts: Ints  # (S + 1,) how many of these there are before each step
    terms: Ints  # (N,) number of both kinds; 0 where the steps are steep, and none are here

    def costs(self) -> Ints:
        """Return (N,) the number of terms that one point of each input needs."""
        return self.stairs.steps * np.where(self.terms > 0, 1, STEEP) + self.terms


def prepare_sums(stairs: Staircases) -> TailSums:
    """Prepare the terms of the staircases' probabilities; none where the steps are steep.

    s_b = s_(b+1) + q P(Bin(m - 1, q) = least_(b+1) - 1) + sum over k in least_b .. least_(b+1) - 1
    of P(Bin(m, q) = k), with m = n - b. All terms are positive, so nothing cancels.
    """
    begin, least, steps = stairs.begin, stairs.least, stairs.steps
    factorials = find_factorials(int(stairs.draws.max(initial=0)))
    owner = np.repeat(np.arange(len(steps)), steps)
    b = np.arange(len(least)) + (stairs.first - begin[:-1])[owner]
    m = stairs.draws[owner] - b
    of_m, next_least = factorials(m), np.empty_like(least)
    weights = _stack_terms(factorials(stairs.draws)[owner] - of_m, b, b, m, factorials)
    last = begin[1:][steps > 0] - 1  # from an input's last count there is no step
    next_least[:-1], next_least[last] = least[1:], least[last]
    rise = next_least - least
    terms = np.diff(np.concatenate([[0], np.cumsum(rise)])[begin]) + np.maximum(steps - 1, 0)
    terms[terms > STEEP * steps] = 0
    rise[(terms == 0)[owner]] = 0
    starts = np.concatenate([[0], np.cumsum(rise)])
    ways = np.append(of_m[1:], 0.0) - factorials(next_least - 1)  # the next m is one less
    extra = _stack_terms(ways, rest := m - next_least, next_least, rest, factorials)
    step = np.repeat(np.arange(len(least)), rise)
    k = np.arange(len(step)) + (least - starts[:-1])[step]
    ways = of_m[step] - factorials(k)
    lower = _stack_terms(ways, rest := m[step] - k, k, rest, factorials)
    return TailSums(stairs, weights, extra, lower, step, starts, terms)


def _stack_terms(
    ways: Floats, chosen: Ints, hits: Ints, misses: Ints, factorials: LogFactorials
) -> Floats:
    """Return (3, T) the constant ways - log chosen!, and both powers; -inf where a power is < 0."""
    out = np.empty((3, len(ways)))
    out[1], out[2] = hits, misses
    if misses.min(initial=0) >= 0:
        np.subtract(ways, factorials(chosen), out=out[0])
    else:
        out[0] = np.where(misses >= 0, ways - factorials(np.maximum(chosen, 0)), -np.inf)
        np.maximum(out[2], 0.0, out=out[2])
    return out


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
    costs, has_terms = sums.costs()[points.rows], sums.terms[points.rows] > 0
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
    one = np.ones(len(q))
    of_terms = np.stack([one, np.log(q), np.log(np.maximum(1 - q, LEAST))], axis=1)
    of_weights = np.stack([one, np.log(p_rival), np.log1p(-p_rival)], axis=1)
    # All outcomes with fewer of the rival are in; with more, at least those of the last count.
    total = below + (1 - below) * least
    for a, z, low, high in zip(place, place[1:], begin + first, begin + last, strict=False):
        if low < high:
            total[a:z] += _sum_steps(sums, slice(low, high), of_terms[a:z], of_weights[a:z])
    out[used] = total


def _sum_steps(sums: TailSums, steps: slice, of_terms: Floats, of_weights: Floats) -> Floats:
    """Sum the weights of some steps, each times all terms from its count on.

    In the other order: each term times the weights of all counts up to its own.
    """
    so_far = of_weights @ sums.weights[:, steps]
    np.cumsum(np.exp(so_far, out=so_far), axis=1, out=so_far)
    extra = of_terms @ sums.extra[:, steps]
    total = np.einsum("ij,ij->i", np.exp(extra, out=extra), so_far)
    low = slice(sums.starts[steps.start], sums.starts[steps.stop])
    lower = of_terms @ sums.lower[:, low]
    each = so_far.take(sums.step[low] - steps.start, axis=1)
    total += np.einsum("ij,ij->i", np.exp(lower, out=lower), each)
    return np.asarray(total)


def likely_range(p: Floats, draws: Ints, reach: Floats | float) -> tuple[Ints, Ints]:
    """Return the counts within `reach` deviations of their mean, and a few more if small."""
    mean, far = draws * p, reach * np.sqrt(draws * p * (1 - p)) + np.square(reach) / 2
    most = np.minimum((mean + far).astype(np.int64) + 1, draws)
    return np.maximum((mean - far).astype(np.int64), 0), most
