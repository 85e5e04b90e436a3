"""Scheme "gated", the default: the same draws select the class and bound it, after a sign test.

The sign test is the gate that makes this a theorem. Theorem 2 (docs/method.md): a certificate is
issued and wrong with probability at most a1 + a2 + 2 b = alpha, for any number of classes. With two
classes, or one bound: Theorem 1, at most a + b = alpha.
"""

from simplicert.bounds import binomial
from simplicert.bounds.box import Box, TopAndRival, clip_rival_bound, find_top_and_rival
from simplicert.bounds.sides import bound_both_sides, bound_one_side
from simplicert.bounds.softmax import ScoreLimit, read_votes
from simplicert.types import Floats, Ints, Tally

PAIR, GATE = 0.45, 0.05  # shares of alpha: each bound of a pair, the gate (it counts twice)

ONE, GUARD = 0.9, 0.1  # shares of alpha with a single bound


def gated_pair(tally: Tally, alpha: Floats) -> Box:
    """Bound both multinomial expectations; with two classes Theorem 1 is always better."""
    if tally.classes == 2:  # noqa: PLR2004
        return gated_one_sided(tally, alpha)
    best, n = find_top_and_rival(tally.counts, tally.invalid), tally.draws
    e0, q0 = binomial.clopper_pearson_lower(best.wins, n, PAIR * alpha)
    e1 = clip_rival_bound(binomial.clopper_pearson_upper(best.rival, n, PAIR * alpha), q0)
    gate = binomial.passes_sign_test(best.wins, best.rival, GATE * alpha)
    return Box(best.top, e0, e1, gate, best.wins - best.rival, best.spoiled)


def gated_one_sided(tally: Tally, alpha: Floats) -> Box:
    """Bound the multinomial E_0 alone, E_1 = 1 - E_0; Theorem 1, for any number of classes."""
    best, n = find_top_and_rival(tally.counts, tally.invalid), tally.draws
    e0, _ = binomial.clopper_pearson_lower(best.wins, n, ONE * alpha)
    return _majority_box(best, e0, n, alpha)


def gated_softmax(tally: Tally, alpha: Floats, limit: ScoreLimit) -> Box:
    """Select the softmax class by the categorical votes, and bound it by its scores."""
    best = find_top_and_rival(*read_votes(tally))
    if tally.classes == 2:  # noqa: PLR2004
        own = bound_one_side(tally, best.top, limit, ONE * alpha)
        return _majority_box(best, own.e0, tally.draws, alpha)._replace(bands=own.bands)
    known = bound_both_sides(tally, best.top, limit, PAIR * alpha)
    e1 = clip_rival_bound(known.e1, 1 - known.e0)
    gate = binomial.passes_sign_test(best.wins, best.rival, GATE * alpha)
    lead = best.wins - best.rival
    return Box(best.top, known.e0, e1, gate, lead, best.spoiled, known.bands)


def _majority_box(best: TopAndRival, e0: Floats, n: Ints, alpha: Floats) -> Box:
    """Make Theorem 1's box: its gate asks for a majority of all draws, invalid ones included."""
    gate = binomial.passes_sign_test(best.wins, n - best.wins, GUARD * alpha)
    left = 1 - e0
    return Box(best.top, e0, clip_rival_bound(left, left), gate, 2 * best.wins - n, best.spoiled)
