"""Li et al. (2018): the radius from the Renyi divergence of two shifted Gaussians."""

import numpy as np

from simplicert.search import find_turning_point, round_toward_zero
from simplicert.types import Floats

# log(omega - 1) searched. Every omega gives a true radius, so the ends cost radius, not truth. The
# lower one is that of our 40-digit reference radii; the supremum over all omega > 1 is larger by
# less than a factor 1 + 6.2e-5 (docs/method.md).
ORDERS = (-9.0, 30.0)

SMALLEST = 1e-300  # a smaller E_1 is raised to it: safe, and changes no digit of the radius

RELATIVE, ABSOLUTE = 1e-12, 1e-14  # rounding error of one evaluation, with room


def radius(e0: Floats, e1: Floats) -> Floats:
    """L / sigma for E_1 < E_0, E_0 + E_1 <= 1; paper eq. (Li_Bound), sup over omega > 1.

    Finite at E_1 = 0 unless E_0 = 1.
    """
    infinite = np.asarray(e0) >= 1
    e0 = np.where(infinite, 0.5, e0)
    e1 = np.minimum(np.maximum(e1, SMALLEST), e0)
    low, high = (np.full(np.shape(e0), end) for end in ORDERS)
    best = np.sqrt(
        np.maximum(
            _squared_radius(find_turning_point(_order_slope, low, high, (e0, e1)), e0, e1), 0.0
        )
    )
    return np.where(infinite, np.inf, round_toward_zero(best, RELATIVE * best + ABSOLUTE))


def _squared_radius(order: Floats, e0: Floats, e1: Floats) -> Floats:
    """Return (L / sigma)^2 at omega = 1 + e^order."""
    w = np.exp(order)
    return -2 / (1 + w) * log_overlap(w, e0, e1)[0]


def _order_slope(order: Floats, e0: Floats, e1: Floats) -> Floats:
    """Return a number with the sign of d(L^2)/d(omega): positive while a larger omega helps."""
    w = np.exp(order)
    log, rate = log_overlap(w, e0, e1)
    return log - (1 + w) * rate


def log_overlap(w: Floats, e0: Floats, e1: Floats) -> tuple[Floats, Floats]:
    """Return log(1 - E_0 - E_1 + 2 M) and its derivative in w, M the power mean of exponent -w.

    In logs, as powers overflow: log(M / E_1) = l/2 - log cosh(w l / 2) / w, l = log(E_0 / E_1).
    """
    half = np.log1p((e0 - e1) / e1) / 2
    bend = _log_cosh(w * half) / w
    rise = half - bend
    fall = (bend - half * np.tanh(w * half)) / w
    mean = e1 * np.exp(rise)
    overlap = (1 - e0) - e1 + 2 * mean  # no digit is lost near E_0 = 1, where 1 - E_0 is exact
    gap = (e0 - e1) - 2 * e1 * np.expm1(rise)  # 1 - overlap, no digit lost near ties
    log = np.where(gap < 0.5, np.log1p(-gap), np.log(overlap))  # noqa: PLR2004
    return log, 2 * mean * fall / overlap


def _log_cosh(x: Floats) -> Floats:
    """Return log cosh x for x >= 0, without overflow and without losing the digits of small x."""
    small = np.log1p(2 * np.sinh(np.minimum(x, 1) / 2) ** 2)
    return np.asarray(np.where(x < 1, small, x - np.log(2) + np.log1p(np.exp(-2 * x))))
