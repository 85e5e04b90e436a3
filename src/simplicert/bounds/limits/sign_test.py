"""The test behind selection: did the winner beat a rival by more than a fair coin would?"""

import numpy as np
from scipy.special import betainc

from simplicert.bounds.limits.clopper_pearson import SHRINK
from simplicert.types import Bools, Floats, Ints


def tail(wins: Ints, losses: Ints) -> Floats:
    """P(Bin(wins + losses, 1/2) >= wins)."""
    x, y = np.asarray(wins, dtype=float), np.asarray(losses, dtype=float)
    return np.where(x > 0, betainc(np.maximum(x, 1.0), y + 1, 0.5), 1.0)


def passes(wins: Ints, losses: Ints, level: Floats) -> Bools:
    """Whether that probability is at most the level, with room for rounding; NaN does not pass."""
    return np.asarray(tail(wins, losses) <= SHRINK * level)
