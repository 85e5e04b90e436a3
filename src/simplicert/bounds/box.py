"""Box: what a scheme proves of each input, before anything that is not proved is hidden.

Also `alpha_at_look` and `look_history`: how much of alpha each input's look may spend.
"""

from typing import NamedTuple

import numpy as np

from simplicert.errors import MissingEvidence
from simplicert.types import Bools, Floats, Ints, ScoreBands, Tally


def alpha_at_look(tally: Tally, alpha: float) -> Floats:
    """Return (N,) each input's alpha: all of it without a plan, else its look's share.

    The whole scheme runs at the look's share, so that any stopping rule on planned looks is
    covered by the sum of the shares. Between looks nothing may be bounded.
    """
    if tally.plan is None:
        return np.full(len(tally), alpha)
    assert tally.looks is not None
    between = np.flatnonzero(tally.looks == 0)
    if between.size:
        row = between[0]
        raise MissingEvidence(
            f"input {tally.inputs[row]} holds {tally.draws[row]} draws, and its plan looks at "
            f"{', '.join(str(n) for n in tally.plan.looks)}: it can be bounded at a look only"
        )
    return alpha * np.array(tally.plan.weights)[tally.looks - 1]


def look_history(tally: Tally, alpha: float) -> dict[str, Ints | Floats]:
    """Return the looks taken and the alpha they spent, if the plan has more than one look."""
    if tally.plan is None or len(tally.plan.looks) == 1:
        return {}
    assert tally.looks is not None
    return {"looks": tally.looks, "spent": alpha * np.cumsum(tally.plan.weights)[tally.looks - 1]}


ROWS = 4096  # rows of a table of counts copied at a time

TINY = np.finfo(float).tiny  # least upper bound: one of 0 would promise an infinite radius


class Box(NamedTuple):
    """E_0 <= p_top, p_j <= E_1 for every other j: valid where e0 > e1 and the gate was passed.

    Of a scheme that bounds the two-sided radius itself, `margin` > 0 decides in place of e0 > e1.
    """

    top: Ints  # (N,)
    e0: Floats  # (N,)
    e1: Floats  # (N,)
    gate: Bools  # (N,)
    lead: Ints  # (N,) count of the top class less that of its strongest rival
    spoiled: Bools  # (N,) more draws had no class than the top one, or as many
    bands: ScoreBands | None = None  # of the scores, where histograms were kept
    margin: Floats | None = None  # (N,) of a scheme that bounds the two-sided radius itself
    has_pair: bool = True  # False where a margin was bounded alone: e0, e1 are then NaN

    @property
    def overlap(self) -> Bools:
        """(N,) where E_0 is not above E_1; or the gate was passed and no margin was proved."""
        if self.margin is None:
            return ~(self.e0 > self.e1)
        return self.gate & ~(self.margin > 0)


class TopAndRival(NamedTuple):
    """The top class and its strongest rival; the invalid draws count as one rival."""

    top: Ints  # (N,)
    wins: Ints  # (N,) count of the top class
    rival: Ints  # (N,) count of the strongest rival
    spoiled: Bools  # (N,) as in Box


def find_top_and_rival(counts: Ints, invalid: Ints, top: Ints | None = None) -> TopAndRival:
    """Find the most frequent class (the lowest on a tie), or take `top`, and count its rival."""
    rows = np.arange(len(counts))
    if top is None:
        top = counts.argmax(axis=1)
    wins = counts[rows, top]
    rival = np.maximum(largest_other(counts, top), invalid)
    return TopAndRival(top, wins, rival, (invalid >= rival) & (invalid >= wins))


def largest_other(values: Ints, top: Ints) -> Ints:
    """Return each row's largest value outside the top column; a few thousand rows at a time."""
    out = np.empty(len(values), values.dtype)
    for start in range(0, len(values), ROWS):
        block = np.array(values[start : start + ROWS])
        block[np.arange(len(block)), top[start : start + ROWS]] = -1
        out[start : start + ROWS] = block.max(axis=1)
    return out


def clip_rival_bound(e1: Floats, q0: Floats) -> Floats:
    """Lower E_1 to 1 - E_0 (`q0`), which p_top >= E_0 implies, but never to 0."""
    return np.maximum(np.minimum(e1, q0), TINY)


def certificate_reasons(box: Box) -> np.ndarray:
    """Say in one word why each input is certified or abstains."""
    return np.select(
        [~box.overlap & box.gate, box.spoiled, box.lead == 0, box.overlap],
        ["certified", "invalid", "tie", "overlap"],
        "gate",
    )
