"""The paper's improved differential-privacy radius (NewDP) with Laplace noise's exact delta.

Laplace noise of scale 1 at distance L is (epsilon, delta)-private with delta exactly
1 - exp((epsilon - L) / 2) for epsilon <= L (and 0 beyond). Certified is every L for which some
epsilon leaves E_0 > e^(2 epsilon) E_1 + (1 + e^epsilon) delta. Solved for L, that is

    L = epsilon - 2 log(1 - g),    g = (E_0 - e^(2 epsilon) E_1) / (1 + e^epsilon),

true for each epsilon in [0, log(E_0 / E_1) / 2]. At the upper end g = 0, and L is pure privacy's.
"""

import numpy as np

from simplicert.search import round_toward_zero
from simplicert.types import Floats

STEPS = 16  # cells of epsilon's range in which the best point is looked for
HALVINGS = 40  # of the cells around it
ERROR = 16 * np.finfo(float).eps  # of one evaluation, relative to 1 + L

SMALLEST = 1e-300  # a smaller E_1 is raised to it: safe, and no exponential overflows


def radius(e0: Floats, e1: Floats) -> Floats:
    """L at scale 1 for E_1 < E_0, E_0 + E_1 <= 1: the best epsilon found. Infinite at E_1 = 0.

    Every epsilon gives a true radius, so the search costs radius at most, not truth.
    """
    e0, e1 = np.asarray(e0, dtype=float), np.asarray(e1, dtype=float)
    infinite = e1 == 0
    e1 = np.minimum(np.maximum(e1, SMALLEST), e0)
    largest = np.log1p((e0 - e1) / e1) / 2
    at = np.argmax([_value(k / STEPS * largest, e0, e1) for k in range(STEPS + 1)], axis=0)
    low = np.maximum(at - 1, 0) / STEPS * largest
    high = np.minimum(at + 1, STEPS) / STEPS * largest
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        rising = _slope(middle, e0, e1) > 0
        low, high = np.where(rising, middle, low), np.where(rising, high, middle)
    best = np.maximum(_value(low, e0, e1), largest)
    return np.where(infinite, np.inf, round_toward_zero(best, ERROR * (1 + best)))


def _value(epsilon: Floats, e0: Floats, e1: Floats) -> Floats:
    """Return L at one epsilon of the permitted range."""
    left = np.maximum((e0 - e1) - np.expm1(2 * epsilon) * e1, 0.0)
    return np.asarray(epsilon - 2 * np.log1p(-left / (1 + np.exp(epsilon))))


def _slope(epsilon: Floats, e0: Floats, e1: Floats) -> Floats:
    """Return a number with the sign of dL/d(epsilon): a cubic in y = e^epsilon, divided by y^3."""
    y, rest = np.exp(-epsilon), 1 - e0
    return ((rest * y + 3 * rest - 1) * y + 1 - 3 * e1) * y - e1
