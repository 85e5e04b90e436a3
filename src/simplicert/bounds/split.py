"""Scheme "split": separate pilot draws select the class, fresh draws bound it.

This is Cohen's scheme, paper Algorithm 3. Theorem 3 (docs/method.md): given the pilot's class, its
strongest rival is fixed too, so no gate and no correction for the number of classes is needed.
`top` is the pilot's choice.
"""

import numpy as np

from simplicert.bounds import binomial
from simplicert.bounds.box import Box, clip_rival_bound, find_top_and_rival
from simplicert.bounds.sides import bound_both_sides, bound_one_side
from simplicert.bounds.softmax import ScoreLimit
from simplicert.errors import MissingEvidence
from simplicert.types import Floats, Ints, Tally

HALF = 0.5  # share of alpha for each bound of a pair


def split_pair(tally: Tally, alpha: Floats) -> Box:
    """Bound both multinomial expectations; with two classes one bound says it all."""
    if tally.classes == 2:  # noqa: PLR2004
        return split_one_sided(tally, alpha)
    return _bound_pilot_class(tally, HALF * alpha, with_rival=True)


def split_one_sided(tally: Tally, alpha: Floats) -> Box:
    """Bound the multinomial E_0 with all of alpha, E_1 = 1 - E_0: Algorithm 3 itself."""
    return _bound_pilot_class(tally, alpha, with_rival=False)


def split_softmax(tally: Tally, alpha: Floats, limit: ScoreLimit) -> Box:
    """Bound the pilot's class (softmax) by the scores of the fresh draws."""
    top, always = _pilot_choice(tally), np.ones(len(tally), bool)
    if tally.classes == 2:  # noqa: PLR2004
        known = bound_one_side(tally, top, limit, alpha)
    else:
        known = bound_both_sides(tally, top, limit, HALF * alpha)
    e1 = clip_rival_bound(known.e1, 1 - known.e0)
    return Box(top, known.e0, e1, always, known.lead, known.spoiled, known.bands)


def _bound_pilot_class(tally: Tally, tail: Floats, *, with_rival: bool) -> Box:
    """Bound the pilot's class, and its rival, by the fresh draws."""
    best, n = find_top_and_rival(tally.counts, tally.invalid, _pilot_choice(tally)), tally.draws
    e0, q0 = binomial.clopper_pearson_lower(best.wins, n, tail)
    left = q0 if with_rival else 1 - e0
    e1 = binomial.clopper_pearson_upper(best.rival, n, tail) if with_rival else left
    always = np.ones(len(tally), bool)
    return Box(
        best.top,
        e0,
        clip_rival_bound(e1, left),
        always,
        best.wins - best.rival,
        best.spoiled,
    )


def _pilot_choice(tally: Tally) -> Ints:
    """Return the class most frequent in the pilot's separate draws."""
    if tally.pilot is None:
        raise MissingEvidence(
            "scheme 'split' selects the class from separate draws, and this tally has no pilot: "
            "sample with a pilot, or use scheme 'gated'"
        )
    empty = np.flatnonzero(tally.pilot.sum(axis=1) == 0)
    if empty.size:
        raise MissingEvidence(f"the pilot of input {tally.inputs[empty[0]]} holds no draws")
    return np.asarray(tally.pilot.argmax(axis=1))
