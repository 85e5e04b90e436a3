"""The default: class and bounds from the same draws, with a gate that makes it a theorem.

Theorem 2 (docs/method.md): issued and wrong with probability at most a1 + a2 + 2 b = alpha, for
any number of classes. Two classes, or one bound: Theorem 1, at most a + b = alpha.
"""

from simplicert.bounds.box import Box, Field, clipped, ranked
from simplicert.bounds.limits import clopper_pearson, sign_test
from simplicert.bounds.sides import both_sides, one_side
from simplicert.bounds.softmax import Limit, votes_of
from simplicert.types import Floats, Ints, Tally

PAIR, GATE = 0.45, 0.05  # shares of alpha: each bound of a pair, the gate (it counts twice)
ONE, GUARD = 0.9, 0.1  # shares of alpha with a single bound


def pair(tally: Tally, alpha: Floats) -> Box:
    """Multinomial, both expectations bounded; with two classes Theorem 1 is always better."""
    if tally.classes == 2:  # noqa: PLR2004
        return one(tally, alpha)
    assert tally.invalid is not None
    field, n = ranked(tally.counts, tally.invalid), tally.draws
    e0, q0 = clopper_pearson.lower(field.wins, n, PAIR * alpha)
    e1 = clipped(clopper_pearson.upper(field.rival, n, PAIR * alpha), q0)
    gate = sign_test.passes(field.wins, field.rival, GATE * alpha)
    return Box(field.top, e0, e1, gate, field.wins - field.rival, field.spoiled)


def one(tally: Tally, alpha: Floats) -> Box:
    """Multinomial, E_0 bounded and E_1 = 1 - E_0; Theorem 1, for any number of classes."""
    assert tally.invalid is not None
    field, n = ranked(tally.counts, tally.invalid), tally.draws
    e0, _ = clopper_pearson.lower(field.wins, n, ONE * alpha)
    return majority(field, e0, n, alpha)


def softmax(tally: Tally, alpha: Floats, limit: Limit) -> Box:
    """Softmax: the categorical votes select the class, its scores bound it."""
    field = ranked(*votes_of(tally))
    if tally.classes == 2:  # noqa: PLR2004
        own = one_side(tally, field.top, limit, ONE * alpha)
        return majority(field, own.e0, tally.draws, alpha)._replace(bands=own.bands)
    known = both_sides(tally, field.top, limit, PAIR * alpha)
    e1 = clipped(known.e1, 1 - known.e0)
    gate = sign_test.passes(field.wins, field.rival, GATE * alpha)
    lead = field.wins - field.rival
    return Box(field.top, known.e0, e1, gate, lead, field.spoiled, known.bands)


def majority(field: Field, e0: Floats, n: Ints, alpha: Floats) -> Box:
    """Theorem 1's box: the gate asks for a majority of all draws, invalid ones included."""
    gate = sign_test.passes(field.wins, n - field.wins, GUARD * alpha)
    left = 1 - e0
    return Box(field.top, e0, clipped(left, left), gate, 2 * field.wins - n, field.spoiled)
