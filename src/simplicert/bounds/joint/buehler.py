"""Compute an exact lower limit on the two-sided radius, from two counts (Buehler 1957).

For the top class A and one rival j let R = (Phi^{-1}(p_A) - Phi^{-1}(p_j)) / 2, and order outcomes
by the pair's radius T (bounds/joint/tail.py). A radius r is proved at level a if every p with
R(p) <= r is rejected: either p lies outside a region that holds the true p except with probability
beta, or it does at least as well as was seen with probability at most a - beta. docs/joint.md has
the argument.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from simplicert.bounds import binomial
from simplicert.bounds.joint.tail import (
    StaircaseTail,
    build_staircase,
    build_tail,
    likely_counts,
    tail_probability,
)
from simplicert.machine import available_cores
from simplicert.mechanisms import two_sided
from simplicert.mechanisms.quantile import normal_quantile
from simplicert.types import Floats, Ints

CUT = 1e-6  # share of the level: ends of a distribution below it are added as a whole

OUTWARD = 1e-12  # by which the region is widened: the rounding of a normal quantile, with room

SMALLEST = 1e-280  # a smaller level leaves no digits for the probabilities below it

NODES = 33  # points of the boundary at which a radius is first tried

STEPS = 12  # steps of the search for a radius worth proving

STEEP, BEYOND = 0.5, 2.5  # deviations: a steep step of the staircase, and a point beyond it

TRIES, ROUNDS = 6, 5  # proofs tried, and how often failing cells are halved in each

MOST, WORK = 1024, 1 << 24  # cells that are always tried; more if these are not too many terms

HEADROOM = (1e-3, 2e-2)  # how far below the level the boundary stays, by the cost of a cell

COST = 1e-5  # headroom for each term: few terms make many cells cheap

TINY = np.finfo(float).tiny  # keeps logarithms and quantiles finite


class BuehlerCase(NamedTuple):
    """One input: its counts, the level it may spend, and where to search."""

    draws: int
    wins: int
    rival: int
    level: float  # a - beta
    low: float  # Phi^{-1} of the smallest p_A of the region
    high: float  # Phi^{-1} of its largest p_j
    pair: float  # T of what was seen, rounded down: it is proved, so never go below it
    guess: float  # the radius by the normal approximation
    estimate: float  # R at the observed frequencies


class CaseColumns(NamedTuple):
    """Many inputs: a column for each field of `BuehlerCase`."""

    draws: Ints
    wins: Ints
    rival: Ints
    level: Floats
    low: Floats
    high: Floats
    pair: Floats
    guess: Floats
    estimate: Floats


def buehler_lower(wins: Ints, rivals: Ints, draws: Ints, a: Floats, region: float) -> Floats:
    """Return (N,) r with P(R < r) <= a, whatever p is; 0 where no positive radius is proved.

    The share `region` of a is spent on the region. The limit falls as the rival's count rises, so
    of many rivals only the strongest one matters.
    """
    made = list(make_cases(wins, rivals, draws, a, region))
    pool = ThreadPoolExecutor(max_workers=available_cores())  # numpy and scipy release the lock
    try:
        return np.fromiter(pool.map(bound_radius, made), float, len(made))
    finally:
        pool.shutdown(cancel_futures=True)  # so that an interruption does not wait for the rest


def make_cases(
    wins: Ints, rivals: Ints, draws: Ints, a: Floats, region: float
) -> Iterator[BuehlerCase]:
    """Yield what the search needs for each input."""
    columns = describe_cases(wins, rivals, draws, a, region)
    return (BuehlerCase(*row) for row in zip(*(column.tolist() for column in columns), strict=True))


def describe_cases(wins: Ints, rivals: Ints, draws: Ints, a: Floats, region: float) -> CaseColumns:
    """Compute for all inputs at once what each one's search needs.

    The share `region` of a is for the region, the rest for the test.
    """
    beta = region * a  # outside the region p is rejected (Berger and Boos 1994)
    level = a - beta
    own, _ = binomial.clopper_pearson_lower(wins, draws, beta / 2)
    other = binomial.clopper_pearson_upper(rivals, draws, beta / 2)
    e0, q0 = binomial.clopper_pearson_lower(wins, draws, level / 2)
    e1 = binomial.clopper_pearson_upper(rivals, draws, level / 2)
    low, high = normal_quantile(np.maximum(own, TINY)), normal_quantile(other)
    at_top, at_rival = (normal_quantile((count + 0.5) / (draws + 1)) for count in (wins, rivals))
    top, rival = at_top - normal_quantile(np.maximum(e0, TINY)), normal_quantile(e1) - at_rival
    # Half-widths add up like deviations, the two counts being correlated.
    odds = [(count + 0.5) / (draws - count + 0.5) for count in (wins, rivals)]
    width = np.sqrt(top**2 + rival**2 + 2 * np.minimum(np.sqrt(odds[0] * odds[1]), 1) * top * rival)
    guess = (at_top - at_rival - width * ndtri(level) / ndtri(level / 2)) / 2
    pair = np.where(e0 > e1, two_sided.radius(e0, np.minimum(e1, q0)), 0.0)
    return CaseColumns(
        *(draws, wins, rivals, level),
        *(low - OUTWARD * (1 + np.abs(low)), high + OUTWARD * (1 + np.abs(high))),
        *(np.asarray(pair), guess, (at_top - at_rival) / 2),
    )


def bound_radius(case: BuehlerCase) -> float:
    """Return the largest radius that was found and proved by cells; the pair's if none was."""
    best = case.pair
    if case.level < SMALLEST or case.estimate <= best:
        return best
    reach = -float(ndtri(CUT * case.level))
    tail = make_case_tail(case, reach)
    if tail is None:
        return best
    room = float(np.clip(COST * tail.cost, *HEADROOM))
    r = _propose_radius(case, tail, reach, room)
    step = room * (case.estimate - r) / max(ndtri(case.level) ** 2, 1.0)
    for _ in range(TRIES):
        if r <= best:
            break
        if proves_radius(case, tail, reach, r):
            return float(np.nextafter(r, 0.0))
        r, step = r - step, 4 * step
    return best


def make_case_tail(case: BuehlerCase, reach: float) -> StaircaseTail | None:
    """Collect the outcomes at least as good as the one seen, within reach of the region's p."""
    n, r = case.draws, max(case.guess, case.pair)
    fewest, most = ndtr(case.low - 2 * r), ndtr(case.high)
    rivals = likely_counts(fewest, n, reach)[0], likely_counts(most, n, reach)[1]
    tops = (
        likely_counts(ndtr(case.low), n, reach)[0],
        likely_counts(ndtr(largest_rival_quantile(case, r) + 2 * r), n, reach)[1],
    )
    b, least = build_staircase(
        (case.wins, case.rival),
        n,
        case.level / 2,
        (min(tops[0], case.wins - 1), max(tops[1], case.wins)),
        (min(rivals[0], case.rival), max(rivals[1], case.rival)),
    )
    return build_tail(b, least, n) if len(b) else None


def largest_rival_quantile(case: BuehlerCase, r: float) -> float:
    """Return the largest Phi^{-1}(p_j) needed: beyond -r, p_A <= 1 - p_j falls as p_j rises."""
    return min(case.high, -r)


def _propose_radius(case: BuehlerCase, tail: StaircaseTail, reach: float, room: float) -> float:
    """Propose a radius at which the boundary's largest probability is about `room` below the level.

    As a normal quantile that probability is nearly linear in r.
    """
    wanted = -ndtri(case.level * np.exp(-room))
    low, high = case.pair, case.estimate
    r = float(np.clip(case.guess, low + 1e-3 * (high - low), high - 1e-3 * (high - low)))
    before: tuple[float, float] | None = None
    for _ in range(STEPS):
        largest = boundary_probabilities(case, tail, reach, r)[1].max(initial=TINY)
        found = -ndtri(min(largest, 1 - CUT))
        if abs(found - wanted) < room / 30 or high - low < 1e-6 * high:
            break
        low, high = (r, high) if found > wanted else (low, r)
        rate = max(wanted, 1.0) / (r - case.estimate)
        if before is not None and found != before[1]:
            rate = (found - before[1]) / (r - before[0])
        before = r, found
        r += (wanted - found) / rate
        if not low < r < high:
            r = (low + high) / 2
    return r


def boundary_probabilities(
    case: BuehlerCase, tail: StaircaseTail, reach: float, r: float
) -> tuple[Floats, Floats]:
    """Return points Phi^{-1}(p_j) of the curve R = r inside the region, and P(T >= t) there.

    Where a count of the rival costs the top class more than a deviation, the probability jumps
    as p_A passes each step of the staircase: then there are points just beyond the steps too.
    """
    start, stop = case.low - 2 * r, largest_rival_quantile(case, r)
    if start > stop:  # the region holds no p with R <= r
        return np.empty(0), np.empty(0)
    x = np.linspace(start, stop, NODES)
    spread = np.sqrt(case.wins * (case.draws - case.wins) / case.draws + 1)
    if np.ptp(tail.least) > STEEP * spread * len(tail.least):
        passed = (tail.least + BEYOND * spread) / case.draws
        steps = normal_quantile(passed[passed < 1]) - 2 * r
        x = np.union1d(x, steps[(start < steps) & (steps < stop)])
    return x, _tail_at_quantiles(tail, reach, x, x + 2 * r)


def _tail_at_quantiles(tail: StaircaseTail, reach: float, rival: Floats, top: Floats) -> Floats:
    """Return P(T >= t) at p_j = Phi(rival), p_A the smaller of Phi(top) and 1 - p_j."""
    p = np.maximum(ndtr(rival), TINY)
    return tail_probability(tail, np.minimum(ndtr(top), 1 - p), p, reach)


def proves_radius(case: BuehlerCase, tail: StaircaseTail, reach: float, r: float) -> bool:
    """Whether a cover of cells proves that no p of the region with R(p) <= r is acceptable.

    The probability rises with p_A and falls with p_j. So for p_j in a cell [l, h] it is at most
    that at p_j = l and the p_A of the curve at h: rigorous for any cells, tight for small ones.
    """
    x, values = boundary_probabilities(case, tail, reach, r)
    allowed = case.level * binomial.SHRINK
    if not len(x):
        return True
    if values.max() > allowed:
        return False
    edges = space_cells(tail, reach, r, x, values, allowed)
    left, right = edges[:-1], edges[1:]
    most = max(MOST, WORK // max(tail.cost, 1 << 8))
    for _ in range(ROUNDS):
        if len(left) > most:
            break
        failing = ~(_tail_at_quantiles(tail, reach, left, right + 2 * r) <= allowed)
        if not failing.any():
            return True
        middle = (left[failing] + right[failing]) / 2
        left = np.concatenate([left[failing], middle])
        right = np.concatenate([middle, right[failing]])
    return False


def space_cells(
    tail: StaircaseTail, reach: float, r: float, x: Floats, values: Floats, allowed: float
) -> Floats:
    """Return edges of cells, each about as wide as the distance to the level allows there."""
    small = (x[-1] - x[0]) / (8 * NODES)
    if small == 0:
        return x[[0, -1]]
    logs = np.log(np.maximum(values, TINY))
    slope = np.log(np.maximum(_tail_at_quantiles(tail, reach, x - small, x + 2 * r), TINY)) - logs
    room = np.maximum(np.log(allowed) - logs, 1e-6)
    density = np.maximum(slope, 0.0) / (small * room)
    each = np.maximum(density[:-1], density[1:]) * np.diff(x) * 1.1 + 1 / NODES
    passed = np.concatenate([[0.0], np.cumsum(each)])
    number = int(min(np.ceil(passed[-1]), WORK >> 8)) + 1
    edges = np.interp(np.linspace(0, passed[-1], number + 1), passed, x)
    edges[[0, -1]] = x[[0, -1]]
    return edges
