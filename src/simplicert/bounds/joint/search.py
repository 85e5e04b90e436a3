"""Search the largest radius that a few points of its curve prove, for many inputs in step.

Every radius tried is a proof or a failure of one (bounds/joint/segments.py), so the search may aim
as it likes. As a normal quantile the largest probability is nearly linear in the radius: the first
try tells the second, which proves within a thousandth of the slack for most inputs.
"""

import numpy as np
from scipy.special import ndtr, ndtri

from simplicert.bounds import binomial
from simplicert.bounds.joint.buehler import SMALLEST, BuehlerCase, make_cases
from simplicert.bounds.joint.scores import CHEBYSHEV
from simplicert.bounds.joint.segments import TINY, CurvePoints, bound_curve, place_points
from simplicert.bounds.joint.sums import TailSums, prepare_sums, sum_tail
from simplicert.bounds.joint.tail import build_staircase, likely_counts
from simplicert.types import Floats, Ints

STEP, FIRST = 0.4, 1.2  # deviations between points of a curve: for a proof, to aim one

LEAST, MANY = 0.08, 2500  # deviations between points that cost little, and terms that are many

CUT = 1e-4  # share of the level that the counts cut off below may add

ABOVE = 3.6  # deviations of the rival's count above which the last step serves

AIM, ENOUGH = 4e-3, 1e-2  # of log P: how far below the level to aim, and where to stop

ROUNDS = 12  # radii tried for an input

TOGETHER, ROOM = 64, 64_000  # inputs searched in step; fewer if their deviations are larger


def segment_lower(wins: Ints, rivals: Ints, draws: Ints, a: Floats, region: float) -> Floats:
    """Return (N,) r with P(R < r) <= a, whatever p is; 0 where no positive radius is proved.

    The share `region` of a is spent on the region. At most Buehler's limit, which falls as the
    rival's count rises, so of many rivals only the strongest one matters.
    """
    made = list(make_cases(wins, rivals, draws, a, region))
    size = max(1, min(TOGETHER, int(ROOM / np.sqrt(draws.max(initial=1)))))
    parts = [made[at : at + size] for at in range(0, len(made), size)]
    # Not in threads: hundreds of small operations an input wait for the interpreter's lock, and
    # two threads were slower than one at every number of draws.
    return np.concatenate([np.empty(0), *map(search_radii, parts)])


def search_radii(cases: list[BuehlerCase]) -> Floats:
    """Return the largest radius that was found and proved for each input; the pair's if none was.

    What is found for an input does not depend on the others.
    """
    best, estimate, guess, level = (
        np.array([getattr(case, name) for case in cases])
        for name in ("pair", "estimate", "guess", "level")
    )
    tails = [make_curve_tail(case) for case in cases]
    low, high = best.copy(), estimate.copy()
    goal = np.log(level * binomial.SHRINK)
    aim = -ndtri(np.exp(goal - AIM))
    r = np.clip(guess, low + 1e-3 * (high - low), high - 1e-3 * (high - low))
    tried, reached = np.full(len(cases), np.nan), np.full(len(cases), np.nan)
    going = np.flatnonzero([bool(tail) for tail in tails])
    for trial in range(ROUNDS):
        if not len(going):
            break
        some = [tail for i in going if (tail := tails[i]) is not None]
        steps = space_points(some)
        here = steps if trial else np.full(len(some), FIRST)
        largest, lowered, seen = try_radii([cases[i] for i in going], some, r[going], here)
        proved = largest <= goal[going]
        won, lost = going[proved], going[~proved]
        best[won] = np.maximum(best[won], (r[going] - lowered)[proved])
        low[won] = r[won]
        if trial:
            high[lost] = r[lost]
        else:  # about what more points would have proved
            largest = seen + steps**2 / 8
        found = -ndtri(np.minimum(np.exp(largest), 1 - 1e-9))
        new = _next_radii((r, tried, reached, estimate, aim), going, found)
        tried[going], reached[going] = r[going], found
        between = (low[going] < new) & (new < high[going])
        r[going] = np.where(between, new, (low[going] + high[going]) / 2)
        near = proved & (goal[going] - largest < ENOUGH)
        going = going[~near & (high[going] - low[going] > 1e-6 * high[going])]
    return np.asarray(np.nextafter(best, 0.0))


def _next_radii(state: tuple[Floats, ...], going: Ints, found: Floats) -> Floats:
    """Step to the radius where the quantile is aimed: by a secant, at first from the estimate."""
    r, tried, reached, estimate, aim = (values[going] for values in state)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        secant = r + (aim - found) * (r - tried) / (found - reached)
        first = estimate - (estimate - r) * aim / found
    return np.asarray(np.where(np.isnan(tried), first, secant))


def make_curve_tail(case: BuehlerCase) -> TailSums | None:
    """Collect the outcomes at least as good as the one seen; None where nothing is to be gained."""
    if case.level < SMALLEST or case.estimate <= case.pair:
        return None
    n, r, reach = case.draws, max(case.guess, case.pair), reach_below(case)
    end = min(case.high, -r)
    fewest, most = ndtr([case.low - 2 * r, case.low]), ndtr([end, end + 2 * r])
    rivals = likely_counts(fewest[0], n, reach)[0], likely_counts(most[0], n, ABOVE)[1]
    tops = likely_counts(fewest[1], n, reach)[0], likely_counts(most[1], n, reach)[1]
    b, least = build_staircase(
        (case.wins, case.rival),
        n,
        case.level / 2,
        (min(tops[0], case.wins - 1), max(tops[1], case.wins)),
        (min(rivals[0], case.rival), max(rivals[1], case.rival)),
        scores=CHEBYSHEV,
    )
    return prepare_sums(b, least, n) if len(b) else None


def reach_below(case: BuehlerCase) -> float:
    """Return the deviations below which the rival's counts add next to nothing."""
    return -float(ndtri(CUT * case.level))


def space_points(tails: list[TailSums]) -> Floats:
    """Return how far apart the points of a proof are: closer where terms are few."""
    costs = np.array([tail.tail.cost for tail in tails])
    return np.asarray(np.clip(STEP * np.sqrt(costs / MANY), LEAST, STEP))


def try_radii(
    cases: list[BuehlerCase], tails: list[TailSums], r: Floats, steps: Floats
) -> tuple[Floats, Floats, Floats]:
    """Bound (N,) log P on the curves of radii a little below r; say how little, and what P was."""
    draws = np.array([case.draws for case in cases])
    start = np.array([case.low for case in cases]) - 2 * r
    stop = np.minimum([case.high for case in cases], -r)
    none = start > stop  # the region holds no p with R <= r
    points = place_points(np.minimum(start, stop), stop, r, draws, steps)
    logs, beyond = _evaluate_points(cases, tails, points)
    found = bound_curve(points, logs, beyond, draws)
    seen = np.where(none, np.log(TINY), np.maximum(logs.max(axis=1), beyond))
    return np.where(none, seen, found.largest), np.where(none, 0.0, found.lowered), seen


def _evaluate_points(
    cases: list[BuehlerCase], tails: list[TailSums], points: CurvePoints
) -> tuple[Floats, Floats]:
    """Return log P at the points, (N, M), and (N,) beyond the edges, -inf where there is none."""
    p_rival, p_top = np.maximum(ndtr(points.rival), TINY), ndtr(points.top)
    logs, beyond = np.empty(p_rival.shape), np.full(len(cases), -np.inf)
    for row, (case, tail, used, edge) in enumerate(
        zip(cases, tails, points.used.tolist(), points.edge.tolist(), strict=True)
    ):
        rival, top = p_rival[row, :used], p_top[row, :used]
        if edge:  # all of it for A: more of A and no more of j than anywhere beyond
            rival, top = np.append(rival, rival[-1]), np.append(top, 1 - rival[-1])
        found = sum_tail(tail, np.minimum(top, 1 - rival), rival, reach_below(case), ABOVE)
        found = np.log(np.maximum(found, TINY))
        logs[row, :used], logs[row, used:] = found[:used], found[used - 1]
        if edge:
            beyond[row] = found[-1]
    return logs, beyond
