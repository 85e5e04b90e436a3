"""Scheme "joint": bound the two-sided radius itself instead of a pair of expectations.

The limit is Buehler's exact one. A certificate is issued and wrong with probability at most
a + 2 b = alpha for any number of classes: the limit against one fixed rival at level a, which needs
no correction for how many there are, and the gate of the default scheme at b (docs/joint.md). Alpha
is spent on `two_sided` alone: there is no (E_0, E_1) for other mechanisms to read. With two
classes: Theorem 1, as in the default scheme.
"""

import numpy as np

from simplicert.bounds import binomial, gated
from simplicert.bounds.box import Box, find_top_and_rival
from simplicert.bounds.joint import buehler
from simplicert.errors import require
from simplicert.mechanisms import two_sided
from simplicert.types import Bools, Floats, Ints, Tally

RADIUS, GATE = 0.9, 0.05  # shares of alpha: the limit, the gate (it counts twice)

MOST_DRAWS = 10**8  # beyond, the rounding of a probability is not small against its allowance


def joint_margin(tally: Tally, alpha: Floats) -> Box:
    """Bound the two-sided radius at sigma 1 from below, by two counts (multinomial)."""
    if tally.classes == 2:  # noqa: PLR2004
        box = gated.gated_one_sided(tally, alpha)
        return _replace_pair_by_margin(box, two_sided.radius(box.e0, box.e1))
    n = tally.draws
    require(
        bool((n <= MOST_DRAWS).all()),
        f"scheme joint takes at most {MOST_DRAWS} draws per input, got {n.max()}: use scheme gated",
    )
    best = find_top_and_rival(tally.counts, tally.invalid)
    gate = binomial.passes_sign_test(best.wins, best.rival, GATE * alpha)
    found = _buehler_limits(best.wins, best.rival, n, RADIUS * alpha, gate)
    pair = np.full(len(tally), np.nan)
    box = Box(best.top, pair, pair, gate, best.wins - best.rival, best.spoiled)
    return _replace_pair_by_margin(box, found)


def _replace_pair_by_margin(box: Box, found: Floats) -> Box:
    """Return the box with its margin in place of E_0 and E_1."""
    nothing = np.full(len(found), np.nan)
    return box._replace(e0=nothing, e1=nothing, margin=found)


def _buehler_limits(wins: Ints, rival: Ints, draws: Ints, level: Floats, needed: Bools) -> Floats:
    """Compute Buehler's limit where `needed`, once for equal counts; 0 elsewhere."""
    out = np.zeros(len(wins))
    bits = level.view(np.int64)  # the same bits, the same level
    rows = np.column_stack([wins, rival, draws, bits])[needed]
    if len(rows):
        alike, same = np.unique(rows, axis=0, return_inverse=True)
        x, y, n, bits = alike.T.copy()
        out[needed] = buehler.buehler_lower(x, y, n, bits.view(np.float64))[same.ravel()]
    return out
