"""Compute how much of alpha each input may spend at the look it has reached."""

import numpy as np

from simplicert.errors import MissingEvidence
from simplicert.types import Floats, Ints, Tally


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
