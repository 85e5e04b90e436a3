"""Radii in l1 under derandomised splitting noise, at scale 1.

Inputs x and x' on the grid are told apart at as many of the M offsets as their distance in l1 has
steps (noises.splitting), so every class count changes by at most that, and a class keeps its lead
while twice the distance is below the difference of the counts: R = (E_0 - E_1) M / 2 steps, or
E_0 - E_1 at scale 1, where M is 510 (Levine and Feizi 2021). `certification` then goes down to a
whole number of steps: to one that is smaller, because from (E_0, E_1) alone a tie counts against
us. From a tally it is known who wins a tie (`bounds.exact`).
"""

import numpy as np

from simplicert.search import round_toward_zero
from simplicert.types import Floats

ULPS = 4 * np.finfo(float).eps

NEAR = 1e-6  # of a step: as near to a whole number, a radius is one that was rounded


def two_sided(e0: Floats, e1: Floats) -> Floats:
    """Return E_0 - E_1."""
    found = np.asarray(e0) - e1
    return round_toward_zero(found, ULPS * found)


def one_sided(e0: Floats, e1: Floats) -> Floats:
    """Return 2 E_0 - 1, 0 for E_0 <= 1/2: all other draws may be those of one rival."""
    e0 = np.asarray(e0)
    return two_sided(np.maximum(e0, 0.5), np.minimum(1 - e0, 0.5))


def whole_steps(radii: Floats, steps: int, *, ties_are_known: bool = False) -> Floats:
    """Return the largest whole numbers of steps below the radii, in units of the input.

    Where it is known who wins a tie, radii are whole numbers of steps already.
    """
    exact = np.asarray(radii) * steps
    whole = np.rint(exact) if ties_are_known else np.maximum(np.ceil(exact - NEAR) - 1, 0.0)
    return np.asarray(whole / steps)
