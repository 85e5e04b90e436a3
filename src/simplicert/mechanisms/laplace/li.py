"""Li et al. (2018) under Laplace noise: the radius from the Renyi divergence of two Laplaces.

For every order w > 1 the divergence of Laplace noise of scale 1 from itself at distance L is

    D_w(L) = log(w / (2w - 1) e^((w - 1) L) + (w - 1) / (2w - 1) e^(-w L)) / (w - 1),

and L is certified if D_w(L) <= -log(1 - E_0 - E_1 + 2 M), M the power mean of E_0 and E_1 with
exponent 1 - w (paper eq. (Li_Bound)). D_w rises with L, so each order has its largest L.
"""

import numpy as np

from simplicert.mechanisms.li import ORDERS, log_overlap
from simplicert.search import round_toward_zero
from simplicert.types import Floats

SMALLEST = 1e-300  # a smaller E_1 is raised to it: safe, and changes no digit of the radius
CELLS, HALVINGS = 39, 30  # where the best order is looked for, and how finely
NEWTON_STEPS = 14  # from above, on a convex function; with 8, radii below 2e-5 were lost
RELATIVE, ABSOLUTE = 1e-11, 1e-13  # taken off the root, where the inequality is checked to hold
GOLDEN = (np.sqrt(5) - 1) / 2


def radius(e0: Floats, e1: Floats) -> Floats:
    """L at scale 1 for E_1 < E_0, E_0 + E_1 <= 1; every order gives a true radius, the best counts.

    Finite at E_1 = 0 unless E_0 = 1.
    """
    e0 = np.asarray(e0, dtype=float)
    infinite = e0 >= 1
    e0 = np.where(infinite, 0.5, e0)
    e1 = np.minimum(np.maximum(e1, SMALLEST), e0)
    grid = np.linspace(*ORDERS, CELLS + 1)
    at = np.argmax([_largest_distance(np.full(e0.shape, o), e0, e1) for o in grid], axis=0)
    low, high = grid[np.maximum(at - 1, 0)], grid[np.minimum(at + 1, CELLS)]
    for _ in range(HALVINGS):
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        better = _largest_distance(left, e0, e1) >= _largest_distance(right, e0, e1)
        low, high = np.where(better, low, left), np.where(better, right, high)
    best = np.maximum(_proved_distance(low, e0, e1), _proved_distance(grid[at], e0, e1))
    return np.where(infinite, np.inf, best)


def _proved_distance(order: Floats, e0: Floats, e1: Floats) -> Floats:
    """Return a distance a little below the root, where the inequality was seen to hold; else 0."""
    found = _largest_distance(order, e0, e1)
    lowered = round_toward_zero(found, RELATIVE * found + ABSOLUTE)
    return np.where(_excess(lowered, order, e0, e1) < 0, lowered, 0.0)


def _largest_distance(order: Floats, e0: Floats, e1: Floats) -> Floats:
    """Return about the largest L of the order w = 1 + e^order, by Newton's method from above."""
    t = np.exp(order)
    room = -log_overlap(t, e0, e1)[0]
    # Two bounds on the root: the second exponential is positive, and D_w >= D_1 >= L^2 / 3 for
    # L <= 1.
    found = room + np.log1p(t / (1 + t)) / t
    found = np.where(room < 1 / 3, np.minimum(found, np.sqrt(3 * np.maximum(room, 0.0))), found)
    for _ in range(NEWTON_STEPS):
        excess, slope = _divergence(found, t)
        step = (excess - room) / np.where(slope > 0, slope, 1.0)
        found = np.maximum(found - np.maximum(step, 0.0), 0.0)
    return np.asarray(found)


def _excess(distance: Floats, order: Floats, e0: Floats, e1: Floats) -> Floats:
    """Return D_w(L) less what it may be: negative where L is certified."""
    t = np.exp(order)
    return np.asarray(_divergence(distance, t)[0] + log_overlap(t, e0, e1)[0])


def _divergence(distance: Floats, t: Floats) -> tuple[Floats, Floats]:
    """Return D_w(L) at w = 1 + t and its derivative in L, with no digit lost at small t or L."""
    share = t / (1 + 2 * t)
    fallen = np.expm1(-(1 + 2 * t) * distance)
    total = 1 + share * fallen
    slope = 1 - (1 + fallen) / total  # both exponentials' shares, divided by t
    return distance + np.log1p(share * fallen) / t, slope
