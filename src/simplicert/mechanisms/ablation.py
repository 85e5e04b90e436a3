"""Radii in l0 under ablation: the smoothed classifier sees `keep` features out of `size`.

A change of r features goes unseen unless one of them is kept, which has the probability

    Delta(r) = 1 - C(size - r, keep) / C(size, keep).

Every probability changes by at most that, and the top class stays while Delta(r) is below half the
gap E_0 - E_1 (Levine and Feizi 2020). Radii are whole numbers of features. That an absent feature
is marked, and cannot be mistaken for any value of a present one, is what the proof rests on.
"""

import numpy as np

from simplicert.types import Floats

# Each of the r factors of the product below rounds twice.
ULPS = 3 * np.finfo(float).eps


def two_sided(e0: Floats, e1: Floats, size: int, keep: int) -> Floats:
    """Return the largest whole r with Delta(r) < (E_0 - E_1) / 2; ties count against us."""
    half = np.nextafter((np.asarray(e0) - e1) / 2, 0.0)
    # Delta never falls: the number of r from 1 on at which it is below half the gap is the radius.
    return np.searchsorted(change_limits(size, keep)[1:], half, side="left").astype(float)


def one_sided(e0: Floats, e1: Floats, size: int, keep: int) -> Floats:
    """Return the largest whole r with Delta(r) < E_0 - 1/2: nothing is known of E_1."""
    e0 = np.asarray(e0)
    return two_sided(np.maximum(e0, 0.5), np.minimum(1 - e0, 0.5), size, keep)


def change(distance: Floats, size: int, keep: int) -> Floats:
    """Return the most that a probability changes if so many features do, rounded up."""
    features = np.clip(np.ceil(np.asarray(distance)), 0, size).astype(np.int64)
    return np.asarray(change_limits(size, keep)[features])


def change_limits(size: int, keep: int) -> Floats:
    """Return Delta(r) for r = 0, ..., size, rounded up.

    The share of choices that miss r features is the product of (size - keep - i) / (size - i) over
    i < r. Its logarithm would lose digits; the product loses one in the last place per factor.
    """
    at = np.arange(size)
    factors = np.maximum(size - keep - at, 0) / (size - at)
    missed = np.concatenate([[1.0], np.cumprod(factors)])
    seen = 1 - missed * (1 - ULPS * np.arange(size + 1)) + np.finfo(float).eps
    return np.maximum.accumulate(np.minimum(seen, 1.0))
