"""The paper's improved differential-privacy radius (analytic Gaussian mechanism)."""

import numpy as np
from scipy.special import expit

from simplicert.mechanisms.quantile import ULPS, normal_quantile
from simplicert.search import find_turning_point, round_toward_zero
from simplicert.types import Floats

SMALLEST = 1e-300  # a smaller E_1 is raised to it: safe, and no exponential underflows

INSIDE = 1e-7  # share of epsilon's range left out at 0, where the slope vanishes if E_0 + E_1 = 1


def radius(e0: Floats, e1: Floats) -> Floats:
    """L / sigma for E_1 < E_0, E_0 + E_1 <= 1; paper eq. (NewDP), with sensitivity 1.

    The constrained maximum of (NewDP) is the largest value, over y in [1/2, 1), of
        Phi^{-1}(E_0 - (E_0 - E_1) y^2) - Phi^{-1}(E_1 + (E_0 - E_1) (1 - y)^2),
    reached at y = e^epsilon / (1 + e^epsilon): docs/method.md has the proof. So the value at any y
    is at most the true radius, no constraint is left to check, and the best one found counts.
    Infinite at E_1 = 0.
    """
    infinite = np.asarray(e1) == 0
    e1 = np.minimum(np.maximum(e1, SMALLEST), e0)
    largest = np.log1p((e0 - e1) / e1) / 2  # beyond it no delta is left
    u, v = quantile_pair(
        find_turning_point(epsilon_slope, INSIDE * largest, largest, (e0, e1)), e0, e1
    )
    return np.where(
        infinite, np.inf, round_toward_zero(u - v, 4 * ULPS * (1 + np.abs(u) + np.abs(v)))
    )


def quantile_pair(epsilon: Floats, e0: Floats, e1: Floats) -> tuple[Floats, Floats]:
    """Return both quantiles at one epsilon: L/2 - epsilon/L and -L/2 - epsilon/L at the best."""
    rest = expit(-epsilon)  # 1 - y
    return (
        normal_quantile(e1 + (e0 - e1) * rest * (2 - rest)),
        normal_quantile(e1 + (e0 - e1) * rest * rest),
    )


def epsilon_slope(epsilon: Floats, e0: Floats, e1: Floats) -> Floats:
    """Return the derivative's sign in epsilon: it vanishes where e^epsilon = phi(u) / phi(v)."""
    u, v = quantile_pair(epsilon, e0, e1)
    return (v - u) * (v + u) / 2 - epsilon
