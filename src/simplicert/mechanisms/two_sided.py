"""Cohen et al. (2019), Theorem 1: the tight radius from both expectations."""

import numpy as np
from scipy.special import ndtr, ndtri

from simplicert.mechanisms.quantile import ULPS, normal_quantile
from simplicert.search import round_toward_zero
from simplicert.types import Floats


def radius(e0: Floats, e1: Floats) -> Floats:
    """L / sigma = (Phi^{-1}(E_0) - Phi^{-1}(E_1)) / 2 for E_1 < E_0; infinite at E_1 = 0.

    For E_0 + E_1 <= 1 it is the Neyman-Pearson limit: no true radius computed from (E_0, E_1)
    alone is larger. Softmax expectations: Salman et al. (2019), Lemma 2.
    """
    z0, z1 = normal_quantile(e0), normal_quantile(e1)
    half, terms = (z0 - z1) / 2, np.abs(z0) + np.abs(z1)
    return round_toward_zero(half, np.where(np.isinf(terms), 0.0, ULPS * terms))


SHIFTED = 1e-9  # of a shifted probability: far above what scipy's functions miss


def least_probability(p: Floats, distance: Floats) -> Floats:
    """Return Phi(Phi^{-1}(p) - r), rounded down: what a class of p has left at distance r."""
    return np.asarray(ndtr(ndtri(p) - distance) * (1 - SHIFTED))


def largest_probability(p: Floats, distance: Floats) -> Floats:
    """Return Phi(Phi^{-1}(p) + r), rounded up: what a class of p may have at distance r."""
    return np.asarray(ndtr(ndtri(p) + distance) * (1 + SHIFTED))
