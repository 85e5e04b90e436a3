"""Scheme "joint": bound the two-sided radius itself, and beside it a pair of expectations.

The limit on the radius is Buehler's exact one. Part of its level buys a region that holds the true
probabilities, and the corner of that region is a pair (E_0, E_1) on the same event, for nothing. A
certificate is issued and anything in it wrong with probability at most a + 2 b = alpha for any
number of classes: radius and pair against one fixed rival at level a, which needs no correction for
how many there are, and the gate of the default scheme at b (docs/joint.md). The margin decides what
is issued. With two classes: Theorem 1, as in the default scheme.
"""

from collections.abc import Callable

import numpy as np

from simplicert.bounds import binomial, gated
from simplicert.bounds.box import Box, TopAndRival, clip_rival_bound, find_top_and_rival
from simplicert.bounds.joint.buehler import buehler_lower
from simplicert.bounds.joint.search import segment_lower
from simplicert.errors import require
from simplicert.mechanisms import two_sided
from simplicert.types import Bools, Floats, Ints, Tally

RADIUS, GATE = 0.9, 0.05  # shares of alpha: the limit, the gate (it counts twice)

REGION = 0.1  # share of the limit's level for the region, whose corner is the pair

ALONE, REGION_ALONE = "buehler", 0.02  # the method of earlier runs, which gave no pair

Limit = Callable[[Ints, Ints, Ints, Floats, float], Floats]

MOST_DRAWS = 10**8  # beyond, the rounding of a probability is not small against its allowance


def joint_pair(tally: Tally, alpha: Floats) -> Box:
    """Bound the two-sided radius at sigma 1 from below, and both expectations (multinomial)."""
    if tally.classes == 2:  # noqa: PLR2004
        return _majority_margin(tally, alpha)
    best = _find_top_and_rival(tally)
    gate = binomial.passes_sign_test(best.wins, best.rival, GATE * alpha)
    level = RADIUS * alpha
    found = _limit_once(segment_lower, best, tally.draws, level, gate, REGION)
    e0, e1 = _region_corner(best, tally.draws, REGION * level / 2)
    return Box(best.top, e0, e1, gate, best.wins - best.rival, best.spoiled, margin=found)


def joint_margin(tally: Tally, alpha: Floats) -> Box:
    """Bound the two-sided radius alone, as earlier versions did: their runs stay what they were."""
    if tally.classes == 2:  # noqa: PLR2004
        box = _majority_margin(tally, alpha)
    else:
        best = _find_top_and_rival(tally)
        gate = binomial.passes_sign_test(best.wins, best.rival, GATE * alpha)
        level = RADIUS * alpha
        found = _limit_once(buehler_lower, best, tally.draws, level, gate, REGION_ALONE)
        lead = best.wins - best.rival
        box = Box(best.top, found, found, gate, lead, best.spoiled, margin=found)
    nothing = np.full(len(tally), np.nan)
    return box._replace(e0=nothing, e1=nothing, has_pair=False)


def _majority_margin(tally: Tally, alpha: Floats) -> Box:
    """Bound E_0 alone, by Theorem 1; the margin is the radius that it gives."""
    box = gated.gated_one_sided(tally, alpha)
    return box._replace(margin=two_sided.radius(box.e0, box.e1))


def _find_top_and_rival(tally: Tally) -> TopAndRival:
    """Find the two counts that decide; refuse more draws than can be summed exactly enough."""
    n = tally.draws
    require(
        bool((n <= MOST_DRAWS).all()),
        f"scheme joint takes at most {MOST_DRAWS} draws per input, got {n.max()}: use scheme gated",
    )
    return find_top_and_rival(tally.counts, tally.invalid)


def _region_corner(best: TopAndRival, draws: Ints, tail: Floats) -> tuple[Floats, Floats]:
    """Return the pair: the least p_A and the largest p_j of the region that holds the true p."""
    e0, q0 = binomial.clopper_pearson_lower(best.wins, draws, tail)
    e1 = binomial.clopper_pearson_upper(best.rival, draws, tail)
    return e0, clip_rival_bound(e1, q0)


def _limit_once(
    limit: Limit, best: TopAndRival, draws: Ints, level: Floats, needed: Bools, region: float
) -> Floats:
    """Compute the limit where `needed`, once for equal counts; 0 elsewhere."""
    out = np.zeros(len(draws))
    bits = level.view(np.int64)  # the same bits, the same level
    rows = np.column_stack([best.wins, best.rival, draws, bits])[needed]
    if len(rows):
        alike, same = np.unique(rows, axis=0, return_inverse=True)
        x, y, n, bits = alike.T.copy()
        out[needed] = limit(x, y, n, bits.view(np.float64), region)[same.ravel()]
    return out
