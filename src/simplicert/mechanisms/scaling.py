"""By how much a radius at sigma 1 is multiplied: the sigma that was drawn over the sensitivity."""

import numpy as np

from simplicert.errors import check_positive, require
from simplicert.types import Expectations

LARGEST = float(np.finfo(np.float32).max)  # a larger sigma does not fit in single precision

HALF_STEP = 2.0**-24  # largest relative error of rounding to single precision


def drawn_sigma(known: Expectations) -> float:
    """Return a sigma that the noise behind these expectations had at least.

    Noise is drawn in single precision, so its sigma is float32(sigma), which may lie below sigma.
    With a share of sigma for each feature, every share is rounded by itself, by at most 2**-24 of
    its size. The scale of deterministic noise is a number of draws, and exact.
    """
    if known.certain:
        return known.sigma
    drawn = float(np.float32(known.sigma)) if known.sigma <= LARGEST else known.sigma
    require(drawn > 0, f"sigma must not vanish in single precision, got {known.sigma!r}")
    return (
        known.sigma * (1 - HALF_STEP)
        if known.norm.startswith("scaled ")
        else min(known.sigma, drawn)
    )


def radius_scale(sigma: float, sensitivity: float) -> float:
    """Return sigma over sensitivity, by which every radius is multiplied."""
    scale = check_positive("sigma", sigma) / check_positive("sensitivity", sensitivity)
    usual = np.finfo(float).tiny <= scale <= 1 / np.finfo(float).tiny
    require(bool(usual), f"sigma / sensitivity must be an ordinary number, got {scale}")
    return scale
