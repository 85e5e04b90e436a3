"""The best there is to see: all draws agree."""

from typing import Any

import numpy as np

from simplicert.types import FIXED_POINT, Tally
from simplicert.types.histogram import BINS


def all_agree(tally: Tally, draws: int) -> Tally:
    """One input, all of whose draws are of one class, with the sort of evidence that a tally has.

    What is not certified of it is certified of no input with so many draws.
    """
    first = np.zeros((1, tally.classes), np.int64)
    first[0, 0] = 1
    held: dict[str, Any] = {"counts": first * draws}
    for name in ("softmax_sums", "softmax_squares"):
        if getattr(tally, name) is not None:
            held[name] = first * (draws << FIXED_POINT)
    if tally.votes is not None:
        held["votes"] = first * draws
    if tally.pilot is not None:
        held["pilot"] = first * int(tally.pilot.sum(axis=1).max())
    if tally.leaders is not None:
        leaders = np.arange(tally.leaders.shape[1])[None]
        histograms = np.zeros((1, leaders.size + 1, BINS), np.int64)
        histograms[:, 1:, 0] = draws
        histograms[:, 0, -1] = draws
        held |= {"leaders": leaders, "histograms": histograms}
    return Tally(**held, sigma=tally.sigma, plan=tally.plan)
