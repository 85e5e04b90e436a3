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
    gap = np.asarray(e0) - e1
    # Near a gap of 1 the rounding of the gap would be most of what it leaves.
    left = (1 - np.asarray(e0)) + e1
    with np.errstate(divide="ignore"):
        room = np.where(gap < 0.5, np.log1p(-gap), np.log(left))  # noqa: PLR2004
        return _whole_below(room, np.log(rate))


def one_sided(radius: Callable[..., Floats], e0: Floats, e1: Floats, rate: float) -> Floats:
    """Return one of these radii where nothing is known of E_1; 0 for E_0 <= 1/2."""
    e0 = np.asarray(e0)
    return np.asarray(radius(np.maximum(e0, 0.5), np.minimum(1 - e0, 0.5), rate))


def change(distance: Floats, rate: float) -> Floats:
    """Return the most that a probability changes by so many edits of any kind, rounded up."""
    return np.asarray(np.minimum(-np.expm1(_log_unseen(distance, rate)), 1.0))


def least_after_insertions(p: Floats, distance: Floats, rate: float) -> Floats:
    """Return rate^r p, rounded down: with probability rate^r no inserted token is seen."""
    return np.asarray(np.exp(_log_unseen(distance, rate)) * p * (1 - RELATIVE))


def largest_after_insertions(p: Floats, distance: Floats, rate: float) -> Floats:
    """Return 1 - rate^r (1 - p), rounded up: where a token is seen the class may be any."""
    unseen = np.exp(_log_unseen(distance, rate))
    return np.asarray(np.minimum((1 - unseen * (1 - np.asarray(p))) * (1 + RELATIVE), 1.0))


def least_after_deletions(p: Floats, distance: Floats, rate: float) -> Floats:
    """Return 1 - (1 - p) / rate^r, rounded down: the tokens were seen, and mattered most."""
    lost = largest_after_deletions(1 - np.asarray(p), distance, rate)
    return np.asarray(np.maximum(np.nextafter(1 - lost, -np.inf), 0.0))


def largest_after_deletions(p: Floats, distance: Floats, rate: float) -> Floats:
    """Return p / rate^r, rounded up: x is x' with r tokens inserted."""
    grown = np.asarray(p) * np.exp(-_log_unseen(distance, rate)) * (1 + RELATIVE)
    return np.asarray(np.minimum(grown, 1.0))


def _log_unseen(distance: Floats, rate: float) -> Floats:
    """Return r log(rate), rounded down: the log of the probability that no edit is seen."""
    edits_made = np.ceil(np.asarray(distance, dtype=float))
    return np.asarray(edits_made * np.log(rate) * (1 + RELATIVE))


def _whole_below(room: Floats, one: float) -> Floats:
    """Return the largest whole number strictly below room / one, both of them negative."""
    with np.errstate(over="ignore"):
        quotient = np.asarray(room / one) * (1 - RELATIVE)
    return np.asarray(np.clip(np.ceil(np.minimum(quotient, MOST_EDITS)) - 1, 0.0, None))
