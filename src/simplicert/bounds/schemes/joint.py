"""The radius itself, bounded once: Buehler's exact limit instead of a pair of expectations.

Issued and wrong with probability at most a + 2 b = alpha for any number of classes: the limit
against one fixed rival at level a, which needs no correction for how many there are, and the gate
of the default scheme at b (docs/joint.md). Alpha is spent on `two_sided` alone: there is no
(E_0, E_1) for other mechanisms to read. Two classes: Theorem 1, as in the default scheme.
"""

import numpy as np

from simplicert.bounds import buehler
from simplicert.bounds.box import Box, ranked
from simplicert.bounds.limits import sign_test
from simplicert.bounds.schemes import gated
from simplicert.errors import require
from simplicert.mechanisms import two_sided
from simplicert.types import Bools, Floats, Ints, Tally

RADIUS, GATE = 0.9, 0.05  # shares of alpha: the limit, the gate (it counts twice)
MOST_DRAWS = 10**8  # beyond, the rounding of a probability is not small against its allowance


def margin(tally: Tally, alpha: Floats) -> Box:
    """Multinomial: a lower bound on the two-sided radius at sigma 1, from two counts."""
    if tally.classes == 2:  # noqa: PLR2004
        box = gated.one(tally, alpha)
        return without_pair(box, two_sided.radius(box.e0, box.e1))
    n = tally.draws
    require(
        bool((n <= MOST_DRAWS).all()),
        f"scheme joint takes at most {MOST_DRAWS} draws an input, got {n.max()}: use scheme gated",
    )
    assert tally.invalid is not None
    field = ranked(tally.counts, tally.invalid)
    gate = sign_test.passes(field.wins, field.rival, GATE * alpha)
    found = limits(field.wins, field.rival, n, RADIUS * alpha, gate)
    pair = np.full(len(tally), np.nan)
    box = Box(field.top, pair, pair, gate, field.wins - field.rival, field.spoiled)
    return without_pair(box, found)


def without_pair(box: Box, found: Floats) -> Box:
    """The box with its margin in place of E_0 and E_1."""
    nothing = np.full(len(found), np.nan)
    return box._replace(e0=nothing, e1=nothing, margin=found)


def limits(wins: Ints, rival: Ints, draws: Ints, level: Floats, needed: Bools) -> Floats:
    """Buehler's limit where `needed`, 0 elsewhere; the same counts are computed once."""
    out = np.zeros(len(wins))
    bits = level.view(np.int64)  # the same bits, the same level
    rows = np.column_stack([wins, rival, draws, bits])[needed]
    if len(rows):
        alike, same = np.unique(rows, axis=0, return_inverse=True)
        x, y, n, bits = alike.T.copy()
        out[needed] = buehler.lower(x, y, n, bits.view(np.float64))[same.ravel()]
    return out
