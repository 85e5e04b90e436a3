"""Search the largest radius that a few points of its curve prove, for many inputs in step.

Every radius tried is a proof or a failure of one (bounds/joint/segments.py), so the search may aim
as it likes. As a normal quantile the largest probability is nearly linear in the radius: the first
try tells the second, which proves within a thousandth of the slack for most inputs.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from scipy.special import ndtr, ndtri

from simplicert.bounds import binomial
from simplicert.bounds.joint.buehler import SMALLEST, CaseColumns, describe_cases
from simplicert.bounds.joint.segments import TINY, CurvePoints, bound_curve, place_points
from simplicert.bounds.joint.staircases import SeenOutcomes, build_staircases
from simplicert.bounds.joint.sums import (
    PointsOfInputs,
    TailSums,
    likely_range,
    prepare_sums,
    sum_tails,
)
from simplicert.machine import available_cores
from simplicert.types import Floats, Ints

STEP, FIRST = 0.4, 1.2  # deviations between points of a curve: for a proof, to aim one

LEAST, MANY = 0.08, 2500  # deviations between points that cost little, and terms that are many

CUT = 1e-4  # share of the level that the counts cut off below may add

ABOVE = 3.6  # deviations of the rival's count above which the last step serves

AIM, ENOUGH = 4e-3, 1e-2  # of log P: how far below the level to aim, and where to stop

ROUNDS = 12  # radii tried for an input

TOGETHER, ROOM = 64, 64_000  # inputs searched in step; fewer if their deviations are larger

ALONE = 16  # inputs that are not divided among threads

MOST_THREADS = 4  # more would wait for the interpreter's lock


def segment_lower(wins: Ints, rivals: Ints, draws: Ints, a: Floats, region: float) -> Floats:
    """Return (N,) r with P(R < r) <= a, whatever p is; 0 where no positive radius is proved.

    The share `region` of a is spent on the region. At most Buehler's limit, which falls as the
    rival's count rises, so of many rivals only the strongest one matters.
    """
    order = np.lexsort((a, draws))  # so that inputs which share a table of scores come together
    cases = take_cases(describe_cases(wins, rivals, draws, a, region), order)
    threads, number = min(available_cores(), MOST_THREADS), len(order)
    size = max(1, min(TOGETHER, int(ROOM / np.sqrt(draws.max(initial=1)))))
    size = min(size, max(ALONE, -(-number // threads)))
    parts = [take_cases(cases, slice(at, at + size)) for at in range(0, number, size)]
    out = np.empty(number)
    out[order] = np.concatenate([np.empty(0), *_map_in_threads(parts, threads)])
    return out


def _map_in_threads(parts: list[CaseColumns], threads: int) -> list[Floats]:
    """Search each part; numpy and scipy release the interpreter's lock while they compute."""
    if min(threads, len(parts)) <= 1:
        return [search_radii(part) for part in parts]
    pool = ThreadPoolExecutor(max_workers=threads)
    try:
        return list(pool.map(search_radii, parts))
    finally:
        pool.shutdown(cancel_futures=True)  # so that an interruption does not wait for the rest


def search_radii(cases: CaseColumns) -> Floats:
    """Return the largest radius that was found and proved for each input; the pair's if none was.

    What is found for an input does not depend on the others.
    """
    best = cases.pair.copy()
    worth = np.flatnonzero((cases.level >= SMALLEST) & ~(cases.estimate <= cases.pair))
    some = take_cases(cases, worth)
    tails = make_curve_tails(some)
    stepped = np.flatnonzero(tails.stairs.steps)
    best[worth] = _search_tails(some, tails, stepped)
    return np.asarray(np.nextafter(best, 0.0))


def take_cases(cases: CaseColumns, rows: Ints | slice) -> CaseColumns:
    """Return some of the inputs."""
    return CaseColumns._make(column[rows] for column in cases)


def _search_tails(cases: CaseColumns, tails: TailSums, going: Ints) -> Floats:
    """Search the radii of the inputs `going`; return what is proved of all, at least the pair's."""
    best, low, high = cases.pair.copy(), cases.pair.copy(), cases.estimate.copy()
    goal = np.log(cases.level * binomial.SHRINK)
    aim = -ndtri(np.exp(goal - AIM))
    r = np.clip(cases.guess, low + 1e-3 * (high - low), high - 1e-3 * (high - low))
    tried, reached = np.full(len(r), np.nan), np.full(len(r), np.nan)
    apart = space_points(tails)
    for trial in range(ROUNDS):
        if not len(going):
            break
        steps = apart[going]
        here = steps if trial else np.full(len(going), FIRST)
        largest, lowered, seen = try_radii(take_cases(cases, going), tails, going, r[going], here)
        proved = largest <= goal[going]
        won, lost = going[proved], going[~proved]
        best[won] = np.maximum(best[won], (r[going] - lowered)[proved])
        low[won] = r[won]
        if trial:
            high[lost] = r[lost]
        else:  # about what more points would have proved
            largest = seen + steps**2 / 8
        found = -ndtri(np.minimum(np.exp(largest), 1 - 1e-9))
        new = _next_radii((r, tried, reached, cases.estimate, aim), going, found)
        tried[going], reached[going] = r[going], found
        between = (low[going] < new) & (new < high[going])
        r[going] = np.where(between, new, (low[going] + high[going]) / 2)
        near = proved & (goal[going] - largest < ENOUGH)
        going = going[~near & (high[going] - low[going] > 1e-6 * high[going])]
    return best


def _next_radii(state: tuple[Floats, ...], going: Ints, found: Floats) -> Floats:
    """Step to the radius where the quantile is aimed: by a secant, at first from the estimate."""
    r, tried, reached, estimate, aim = (values[going] for values in state)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        secant = r + (aim - found) * (r - tried) / (found - reached)
        first = estimate - (estimate - r) * aim / found
    return np.asarray(np.where(np.isnan(tried), first, secant))


def make_curve_tails(cases: CaseColumns) -> TailSums:
    """Collect the outcomes at least as good as the one seen, within reach of the region's p."""
    n, r, reach = cases.draws, np.maximum(cases.guess, cases.pair), reach_below(cases.level)
    end = np.minimum(cases.high, -r)
    rivals = (
        likely_range(ndtr(cases.low - 2 * r), n, reach)[0],
        likely_range(ndtr(end), n, ABOVE)[1],
    )
    tops = (
        likely_range(ndtr(cases.low), n, reach)[0],
        likely_range(ndtr(end + 2 * r), n, reach)[1],
    )
    stairs = build_staircases(
        SeenOutcomes(cases.wins, cases.rival, n, cases.level / 2),
        (np.minimum(tops[0], cases.wins - 1), np.maximum(tops[1], cases.wins)),
        (np.minimum(rivals[0], cases.rival), np.maximum(rivals[1], cases.rival)),
    )
    return prepare_sums(stairs)


def reach_below(level: Floats) -> Floats:
    """Return the deviations below which the rival's counts add next to nothing."""
    return np.asarray(-ndtri(CUT * level))


def space_points(tails: TailSums) -> Floats:
    """Return how far apart the points of a proof are: closer where terms are few."""
    return np.asarray(np.clip(STEP * np.sqrt(tails.costs() / MANY), LEAST, STEP))


def try_radii(
    cases: CaseColumns, tails: TailSums, rows: Ints, r: Floats, steps: Floats
) -> tuple[Floats, Floats, Floats]:
    """Bound (N,) log P on the curves of radii a little below r; say how little, and what P was.

    The inputs are the `rows` of the tails.
    """
    start = cases.low - 2 * r
    stop = np.minimum(cases.high, -r)
    none = start > stop  # the region holds no p with R <= r
    points = place_points(np.minimum(start, stop), stop, r, cases.draws, steps)
    logs, beyond = _evaluate_points(cases, tails, rows, points)
    found = bound_curve(points, logs, beyond, cases.draws)
    seen = np.where(none, np.log(TINY), np.maximum(logs.max(axis=1), beyond))
    return np.where(none, seen, found.largest), np.where(none, 0.0, found.lowered), seen


def _evaluate_points(
    cases: CaseColumns, tails: TailSums, rows: Ints, points: CurvePoints
) -> tuple[Floats, Floats]:
    """Return log P at the points, (N, M), and (N,) beyond the edges, -inf where there is none."""
    size, last = points.used + points.edge, points.used - 1
    begin = np.concatenate([[0], np.cumsum(size)])
    owner = np.repeat(np.arange(len(rows)), size)
    place = np.arange(begin[-1]) - begin[owner]
    at = owner, np.minimum(place, last[owner])
    p_rival = np.maximum(ndtr(points.rival[at]), TINY)
    # Beyond an edge, all of it for A: more of A and no more of j than anywhere there.
    p_top = np.where(place > last[owner], 1 - p_rival, ndtr(points.top[at]))
    p_top = np.minimum(p_top, 1 - p_rival)
    flat = PointsOfInputs(rows, begin, p_top, p_rival)
    found = np.log(np.maximum(sum_tails(tails, flat, reach_below(cases.level), ABOVE), TINY))
    logs = found[begin[:-1, None] + np.minimum(np.arange(points.top.shape[1]), last[:, None])]
    return logs, np.where(points.edge, found[begin[1:] - 1], -np.inf)
