"""Radii in edits under deletion: every token is dropped with probability `rate`.

Drop each token of two sequences independently. An edit that touches one token goes unseen if that
token is dropped. So after r edits (tokens inserted, deleted or replaced) every probability has
changed by at most 1 - rate^r, and the top class stays while that is below half the gap
D = E_0 - E_1 (Huang et al. 2023). Edits of one kind alone are certified further: insertions up to
r < log(1 + D) / (-log rate), deletions up to r < log(1 - D) / log rate. Radii are whole numbers.
"""

from collections.abc import Callable

import numpy as np

from simplicert.types import Floats

MOST_EDITS = 10**6  # more are not counted: a rate so near to 1 leaves nothing to classify

RELATIVE = 1e-12  # of a quotient of logarithms; a whole number that is reached exactly goes down


def edits(e0: Floats, e1: Floats, rate: float) -> Floats:
    """Return the largest whole r with 1 - rate^r < (E_0 - E_1) / 2, whatever the edits."""
    return _whole_below(np.log1p(-(np.asarray(e0) - e1) / 2), np.log(rate))


def insertions(e0: Floats, e1: Floats, rate: float) -> Floats:
    """Return the largest whole r < log(1 + E_0 - E_1) / (-log rate): tokens are only inserted."""
    return _whole_below(-np.log1p(np.asarray(e0) - e1), np.log(rate))


def deletions(e0: Floats, e1: Floats, rate: float) -> Floats:
    """Return the largest whole r < log(1 - E_0 + E_1) / log rate: tokens are only deleted."""
    with np.errstate(divide="ignore"):
        return _whole_below(np.log1p(-(np.asarray(e0) - e1)), np.log(rate))


def one_sided(radius: Callable[..., Floats], e0: Floats, e1: Floats, rate: float) -> Floats:
    """Return one of these radii where nothing is known of E_1; 0 for E_0 <= 1/2."""
    e0 = np.asarray(e0)
    return np.asarray(radius(np.maximum(e0, 0.5), np.minimum(1 - e0, 0.5), rate))


def _whole_below(room: Floats, one: float) -> Floats:
    """Return the largest whole number strictly below room / one, both of them negative."""
    with np.errstate(over="ignore"):
        quotient = np.asarray(room / one) * (1 - RELATIVE)
    return np.asarray(np.clip(np.ceil(np.minimum(quotient, MOST_EDITS)) - 1, 0.0, None))
