"""Radii under uniform noise on [-1, 1] in every feature, in l1 and in linf.

Two shifted cubes differ in volume only, so everything follows from the share of the cube that a
shift leaves outside: at most L / 2 in l1, and 1 - (1 - L / 2)^d in linf. Every probability changes
by at most that, and the top class stays while it is below half the gap E_0 - E_1
(Lee et al. 2019, Yang et al. 2020). Both are tight: the sets outside are the worst.
"""

import numpy as np

from simplicert.search import round_toward_zero
from simplicert.types import Floats

ULPS = 4 * np.finfo(float).eps


def two_sided_l1(e0: Floats, e1: Floats) -> Floats:
    """Return E_0 - E_1, the Neyman-Pearson limit in l1 at scale 1."""
    found = np.asarray(e0) - e1
    return round_toward_zero(found, ULPS * found)


def one_sided_l1(e0: Floats, e1: Floats) -> Floats:
    """Return 2 E_0 - 1, 0 for E_0 <= 1/2: what remains where nothing is known of E_1."""
    found = np.maximum(np.asarray(e0) - (1 - np.asarray(e0)), 0.0)
    return round_toward_zero(found, ULPS * found)


def two_sided_linf(e0: Floats, e1: Floats, size: int) -> Floats:
    """Return 2 (1 - (1 - (E_0 - E_1) / 2)^(1/d)), the limit in linf at scale 1."""
    found = -2 * np.expm1(np.log1p(-(np.asarray(e0) - e1) / 2) / size)
    return round_toward_zero(found, 2 * ULPS * found)


def one_sided_linf(e0: Floats, e1: Floats, size: int) -> Floats:
    """Return the same with 1 - E_0 in the place of E_1, 0 for E_0 <= 1/2."""
    e0 = np.asarray(e0)
    return two_sided_linf(np.maximum(e0, 0.5), np.minimum(1 - e0, 0.5), size)


def change_l1(distance: Floats) -> Floats:
    """Return the most that a probability changes within this distance in l1, rounded up."""
    return np.asarray(np.minimum(np.asarray(distance) / 2 * (1 + ULPS), 1.0))


def change_linf(distance: Floats, size: int) -> Floats:
    """Return the most that a probability changes within this distance in linf, rounded up."""
    half = np.minimum(np.asarray(distance) / 2, 1.0)
    with np.errstate(divide="ignore"):
        found = -np.expm1(size * np.log1p(-half))
    return np.asarray(np.minimum(found * (1 + 4 * ULPS), 1.0))
