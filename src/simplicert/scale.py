"""From radii at sigma 1 to radii in units of the input: sigma and sensitivity live only here."""

import numpy as np

from simplicert.errors import require
from simplicert.types import Expectations, Floats
from simplicert.types.arrays import positive

LARGEST = float(np.finfo(np.float32).max)
HALF_STEP = 2.0**-24  # share of a number that rounding to single precision takes, at most


def drawn_sigma(known: Expectations) -> float:
    """The largest sigma that no noise behind these expectations was smaller than.

    Noise is drawn in single precision, so its sigma is float32(sigma), which may lie below sigma.
    With a share of sigma for each feature, every share is rounded by itself, by at most 2**-24 of
    its size.
    """
    drawn = float(np.float32(known.sigma)) if known.sigma <= LARGEST else known.sigma
    require(drawn > 0, f"sigma must not vanish in single precision, got {known.sigma!r}")
    return known.sigma * (1 - HALF_STEP) if known.norm == "scaled l2" else min(known.sigma, drawn)


def noise_scale(sigma: float, sensitivity: float) -> float:
    """Sigma over sensitivity, which every radius is multiplied by."""
    scale = positive("sigma", sigma) / positive("sensitivity", sensitivity)
    usual = np.finfo(float).tiny <= scale <= 1 / np.finfo(float).tiny
    require(bool(usual), f"sigma / sensitivity must be an ordinary number, got {scale}")
    return scale


def scaled(unit: Floats, scale: float) -> Floats:
    """Radii in units of the input, rounded toward zero (two roundings: the scale, the product)."""
    return np.nextafter(np.nextafter(unit * scale, 0.0), 0.0)
