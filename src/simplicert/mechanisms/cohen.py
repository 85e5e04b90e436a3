"""Cohen et al. (2019) as used in practice: the one-sided radius, from the top class alone."""

import numpy as np

from simplicert.mechanisms.quantile import ULPS, normal_quantile
from simplicert.search import round_toward_zero
from simplicert.types import Floats


def radius(e0: Floats, e1: Floats) -> Floats:
    """L / sigma = Phi^{-1}(E_0), 0 for E_0 <= 1/2; paper eq. (Cohen_Bound). Infinite at E_0 = 1."""
    z0 = np.maximum(normal_quantile(e0), 0.0)
    # Twice two_sided's allowance: on the edge E_0 + E_1 = 1 the two radii are the same number.
    return round_toward_zero(z0, np.where(np.isinf(z0), 0.0, 2 * ULPS * z0))
