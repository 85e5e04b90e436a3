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


def one_sided(e0: Floats, e1: Floats) -> Floats:
    """Return -log(2 (1 - E_0)), 0 for E_0 <= 1/2; Teng et al. 2020. Infinite at E_0 = 1."""
    with np.errstate(divide="ignore"):
        found = np.maximum(-np.log(2 * (1 - np.asarray(e0))), 0.0)
    return round_toward_zero(found, _rounding_error(found))


def pure_dp(e0: Floats, e1: Floats) -> Floats:
    """Return log(E_0 / E_1) / 2: noise of epsilon = L at distance L; Lecuyer et al. 2019."""
    with np.errstate(divide="ignore"):
        found = np.log1p((e0 - e1) / np.asarray(e1)) / 2
    return round_toward_zero(found, _rounding_error(found))


def teng(e0: Floats, e1: Floats) -> Floats:
    """Return the larger of pure_dp and -log(1 - E_0 + E_1); Teng et al. 2020."""
    with np.errstate(divide="ignore"):
        second = -np.log1p(-(e0 - np.asarray(e1)))
    return np.maximum(pure_dp(e0, e1), round_toward_zero(second, _rounding_error(second)))


def two_sided(e0: Floats, e1: Floats) -> Floats:
    """Return (H(E_0) - H(E_1)) / 2, the Neyman-Pearson limit; infinite at E_1 = 0."""
    rest = 1 - np.asarray(e0)
    with np.errstate(divide="ignore"):
        above = -(np.log(2 * rest) + np.log(2 * np.asarray(e1))) / 2
        below = np.log1p((e0 - e1) / np.asarray(e1)) / 2
    found = np.where(rest < 0.5, above, below)  # noqa: PLR2004
    return round_toward_zero(found, _rounding_error(found))


def _rounding_error(found: Floats) -> Floats:
    """Bound the rounding error of a logarithm or two; an infinite radius has none."""
    return np.where(np.isinf(found), 0.0, ULPS * (1 + np.abs(found)))
