"""Compute the normal quantile of an expectation, with an error bound that the radii subtract."""

import numpy as np
from scipy.special import ndtri

from simplicert.types import Floats

# scipy's ndtri errs by at most a few units in the last place, relative to its value (measured
# against 60-digit arithmetic in tests/mechanisms/test_quantile.py). We allow eighteen.
ULPS = 18 * np.finfo(float).eps


def normal_quantile(e: Floats) -> Floats:
    """Return Phi^{-1}(e), accurate near 1 too: there 1 - e is exact in floats (Sterbenz)."""
    e = np.asarray(e, dtype=float)
    high = e > 0.5  # noqa: PLR2004
    z = ndtri(np.where(high, 1 - e, e))
    return np.asarray(np.where(high, -z, z))
