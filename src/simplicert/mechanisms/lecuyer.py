"""Lecuyer et al. (2019): the radius from the classical Gaussian mechanism of privacy."""

import numpy as np

from simplicert.mechanisms.quantile import ULPS, normal_quantile
from simplicert.search import find_turning_point, round_toward_zero
from simplicert.types import Floats

LARGEST_EPSILON = 1.0  # the classical mechanism is proved for epsilon <= 1 only

INSIDE = (1e-9, 1 - 1e-12)  # share of the permitted range of epsilon that is searched

TINY = np.finfo(float).tiny  # keeps logarithms finite

LEAST = 1e-20  # a delta below this share of E_0 is rounding: the slope is then steeply negative

RELATIVE = 1e-12  # rounding error of one evaluation, with room


def radius(e0: Floats, e1: Floats) -> Floats:
    """L / sigma for 0 <= E_1 < E_0; paper eq. (Lecuyer_bound), max over epsilon in (0, 1].

    Every epsilon with E_0 > e^{2 epsilon} E_1 gives a true radius; the best one found counts.
    """
    with np.errstate(divide="ignore", over="ignore"):
        ratio = np.log1p((e0 - e1) / e1) / 2
    top = np.minimum(ratio, LARGEST_EPSILON)
    low, high = (np.full(np.shape(e0), end) for end in INSIDE)
    share = find_turning_point(_share_slope, low, high, (top, e0, e1))
    found = _radius_at_epsilon(share * top, e0, e1)
    # A turning point outside (0, 1] leaves the end itself, which the search's interval leaves out.
    at_end = np.where(ratio > LARGEST_EPSILON, _radius_at_epsilon(top, e0, e1), 0.0)
    best = np.maximum(found, at_end)
    # Near a tie the quantiles of two_sided cancel; this stays below it there too.
    error = RELATIVE * best + 8 * ULPS * (1 + np.abs(normal_quantile(e0)))
    return round_toward_zero(best, error)


def _radius_at_epsilon(epsilon: Floats, e0: Floats, e1: Floats) -> Floats:
    """Return the radius at one epsilon; 0 where that epsilon leaves no delta."""
    left = (e0 - e1) - np.expm1(2 * epsilon) * e1
    cost = np.log(1.25 * (1 + np.exp(epsilon))) - np.log(np.where(left > 0, left, 1.0))
    return np.where(left > 0, epsilon / np.sqrt(2 * cost), 0.0)


def _share_slope(share: Floats, top: Floats, e0: Floats, e1: Floats) -> Floats:
    """Return a number with the sign of d(radius)/d(epsilon) at epsilon = share * top."""
    epsilon = share * top
    left = np.maximum((e0 - e1) - np.expm1(2 * epsilon) * e1, np.maximum(LEAST * e0, TINY))
    used = np.exp(2 * epsilon) * e1 / left
    cost = np.log(1.25 * (1 + np.exp(epsilon))) - np.log(left)
    return 2 * cost - epsilon * (1 / (1 + np.exp(-epsilon)) + 2 * used)
