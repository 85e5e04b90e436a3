"""The paper's improved differential-privacy radius (analytic Gaussian mechanism)."""

import numpy as np
from scipy.special import log_ndtr, ndtr

from simplicert.mechanisms import improved_dp_start
from simplicert.mechanisms.quantile import quantile
from simplicert.search import last_below, toward_zero
from simplicert.types import Floats

SMALLEST = 1e-300  # a smaller E_1 is raised to it: safe, and no exponential underflows
STEPS, MORE_STEPS = 3, 30  # Newton steps for all points; further ones for those still moving
SETTLED = 1e-5  # a smaller last step in (u, v) moves the radius by about its square
RELATIVE, ABSOLUTE = 1e-11, 2e-14  # what is given away so that the final check passes at once
ROUNDING = 16 * np.finfo(float).eps  # error of each term of `spent`, relative to the term's size


def radius(e0: Floats, e1: Floats) -> Floats:
    """L / sigma for E_1 < E_0, E_0 + E_1 <= 1; paper eq. (NewDP), with sensitivity 1.

    At a fixed epsilon the second constraint of (NewDP) allows
        delta = (E_0 - e^{2 epsilon} E_1) / (1 + e^epsilon),
    and the first says how far that delta reaches. Every epsilon >= 0 gives a true radius. Newton
    proposes the best epsilon and its radius; what is returned was then checked against (NewDP)
    with room for rounding. Infinite at E_1 = 0.
    """
    infinite = np.asarray(e1) == 0
    e0, e1 = np.broadcast_arrays(np.asarray(e0, dtype=float), np.maximum(e1, SMALLEST))
    u, v = optimum(e0, e1)
    largest = np.maximum(np.log1p((e0 - e1) / e1) / 2, 0.0)
    epsilon = np.clip((v - u) * (v + u) / 2, 0.0, largest)
    shift = polished(np.maximum(u - v, 0.0), epsilon, e0, e1)
    scale = 1 + np.abs(quantile(e0)) + np.abs(quantile(e1))
    shift = toward_zero(shift, RELATIVE * shift + ABSOLUTE * scale)
    refused = ~(upper_spent(shift, epsilon, e1) <= e0)
    if refused.any():
        shift[refused] = fallback(shift[refused], epsilon[refused], e0[refused], e1[refused])
    return np.where(infinite, np.inf, shift)


def optimum(e0: Floats, e1: Floats) -> tuple[Floats, Floats]:
    """Newton's (u, v) with u = L/2 - epsilon/L and v = -L/2 - epsilon/L at the best epsilon."""
    u, v = improved_dp_start.start(quantile(e0), quantile(e1))
    for _ in range(STEPS):
        u, v, moved = improved_dp_start.step(u, v, e0, e1)
    for _ in range(MORE_STEPS):
        moving = np.flatnonzero(moved > SETTLED)
        if not moving.size:
            break
        at = np.unravel_index(moving, u.shape)
        u[at], v[at], moved[at] = improved_dp_start.step(u[at], v[at], e0[at], e1[at])
    return u, v


def polished(shift: Floats, epsilon: Floats, e0: Floats, e1: Floats) -> Floats:
    """One Newton step in L at a fixed epsilon: the first constraint of (NewDP) with equality."""
    with np.errstate(divide="ignore", invalid="ignore"):
        u = shift / 2 - epsilon / shift
        rate = (1 + np.exp(epsilon)) * np.exp(-u * u / 2) / np.sqrt(2 * np.pi)
        better = shift - (spent(shift, epsilon, e1)[0] - e0) / rate
    return np.where((better > 0) & (better < 2 * shift), better, shift)


def spent(shift: Floats, epsilon: Floats, e1: Floats) -> tuple[Floats, Floats]:
    """(1 + e^epsilon) delta(L, epsilon) + e^{2 epsilon} E_1, and a bound on its rounding error.

    (L, epsilon) is feasible for (NewDP) when this is at most E_0. Increasing in L.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        tilt = np.where(shift > 0, epsilon / shift, np.inf)
        u, v = shift / 2 - tilt, -shift / 2 - tilt
        top, tail = ndtr(u), np.exp(epsilon + log_ndtr(v))
        rest = np.exp(2 * epsilon) * e1
        total = (1 + np.exp(epsilon)) * (top - tail) + rest
        # ndtr(u) errs by u^2 units where u itself was rounded; exp(x) by x units.
        units = (1 + np.exp(epsilon)) * (top * (2 + u * u) + tail * (2 + v * v + epsilon))
        error = ROUNDING * np.where(np.isfinite(u), units, 0.0) + ROUNDING * rest * (2 + epsilon)
    return total, error


def upper_spent(shift: Floats, epsilon: Floats, e1: Floats) -> Floats:
    """`spent` with its rounding error on the safe side."""
    total, error = spent(shift, epsilon, e1)
    return total + error


def fallback(shift: Floats, epsilon: Floats, e0: Floats, e1: Floats) -> Floats:
    """The largest L found by bisection at this epsilon: for the rare point that Newton overshot."""
    high = np.where(np.isfinite(shift), shift, 0.0)
    return last_below(lambda x: upper_spent(x, epsilon, e1), e0, np.zeros_like(high), high)
