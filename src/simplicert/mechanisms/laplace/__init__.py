"""Radii in l1 under Laplace noise, at scale 1: from the published ones to the limit.

The distribution function of the noise on one axis has the quantiles H(p) = log(2 p) up to p = 1/2
and -log(2 (1 - p)) beyond. One axis is the worst direction of a change in l1, and half-lines are
the worst sets, so (H(E_0) - H(E_1)) / 2 is the largest radius that is true from the pair
(docs/threats.md). Every other formula of this folder is below it.
"""

import numpy as np

from simplicert.search import round_toward_zero
from simplicert.types import Floats

# One logarithm of a product of exact numbers errs by its last place, plus that of the product.
ULPS = 4 * np.finfo(float).eps

WIDE = 16 * np.finfo(float).eps  # of an exponential, on any processor, and a product of it

SMALLEST = 1e-300  # E_0 over a smaller E_1 may be too large for a float


def one_sided(e0: Floats, e1: Floats) -> Floats:
    """Return -log(2 (1 - E_0)), 0 for E_0 <= 1/2; Teng et al. 2020. Infinite at E_0 = 1."""
    with np.errstate(divide="ignore"):
        found = np.maximum(-np.log(2 * (1 - np.asarray(e0))), 0.0)
    return round_toward_zero(found, _rounding_error(found))


def pure_dp(e0: Floats, e1: Floats) -> Floats:
    """Return log(E_0 / E_1) / 2: noise of epsilon = L at distance L; Lecuyer et al. 2019."""
    found = _log_ratio(e0, e1) / 2
    return round_toward_zero(found, _rounding_error(found))


def teng(e0: Floats, e1: Floats) -> Floats:
    """Return the larger of pure_dp and -log(1 - E_0 + E_1); Teng et al. 2020."""
    gap = e0 - np.asarray(e1)
    # Near a gap of 1 the rounding of the gap would be most of what it leaves.
    with np.errstate(divide="ignore"):
        second = -np.where(gap < 0.5, np.log1p(-gap), np.log((1 - np.asarray(e0)) + e1))  # noqa: PLR2004
    return np.maximum(pure_dp(e0, e1), round_toward_zero(second, _rounding_error(second)))


def two_sided(e0: Floats, e1: Floats) -> Floats:
    """Return (H(E_0) - H(E_1)) / 2, the Neyman-Pearson limit; infinite at E_1 = 0."""
    rest = 1 - np.asarray(e0)
    with np.errstate(divide="ignore"):
        above = -(np.log(2 * rest) + np.log(2 * np.asarray(e1))) / 2
    below = _log_ratio(e0, e1) / 2
    found = np.where(rest < 0.5, above, below)  # noqa: PLR2004
    return round_toward_zero(found, _rounding_error(found))


def least_probability(p: Floats, distance: Floats) -> Floats:
    """Return H^{-1}(H(p) - r), rounded down: what a class of p has left at distance r."""
    p, rest = np.asarray(p, dtype=float), 1 - np.asarray(p, dtype=float)
    shrink = np.exp(-np.asarray(distance, dtype=float))
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        grown = rest / shrink * (1 + WIDE)
        # Above 1/2 what is left of 1 grows by e^r until it is 1/2; from there on p shrinks.
        above = np.where(grown <= 0.5, 1 - grown, shrink / (4 * rest))  # noqa: PLR2004
    found = np.where(rest < 0.5, above, p * shrink)  # noqa: PLR2004
    found = np.nextafter(found * (1 - WIDE), 0.0)  # a subnormal number has few digits
    return np.asarray(np.where(rest == 0, 1.0, np.clip(found, 0.0, 1.0)))


def largest_probability(p: Floats, distance: Floats) -> Floats:
    """Return H^{-1}(H(p) + r), rounded up: what a class of p may have at distance r."""
    p, shrink = np.asarray(p, dtype=float), np.exp(-np.asarray(distance, dtype=float))
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        grown = p / shrink * (1 + WIDE)
        beyond = 1 - shrink / (4 * p) * (1 - WIDE)
    found = np.where(grown <= 0.5, grown, beyond)  # noqa: PLR2004
    found = np.where(p > 0.5, 1 - (1 - p) * shrink * (1 - WIDE), found)  # noqa: PLR2004
    found = np.nextafter(found * (1 + WIDE), np.inf)
    return np.asarray(np.where(p == 0, 0.0, np.clip(found, 0.0, 1.0)))


def _log_ratio(e0: Floats, e1: Floats) -> Floats:
    """Return log(E_0 / E_1), infinite at E_1 = 0 alone."""
    e1 = np.asarray(e1)
    held = np.maximum(e1, SMALLEST)
    with np.errstate(divide="ignore"):
        tiny = np.log(e0) - np.log(e1)
    return np.where(e1 < SMALLEST, tiny, np.log1p((e0 - held) / held))


def _rounding_error(found: Floats) -> Floats:
    """Bound the rounding error of a logarithm or two; an infinite radius has none."""
    return np.where(np.isinf(found), 0.0, ULPS * (1 + np.abs(found)))
