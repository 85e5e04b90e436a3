"""Warn before the draws if features have very different scales but share one sigma."""

from typing import Any

import numpy as np

from simplicert.types import Floats, Ints

APART = 100.0  # factor between the scales of two features that calls for a warning
FEWEST, SHARE = 7, 0.1  # rows, and share of rows, that must differ for a scale to be known
ROWS = 256  # looked at, evenly spread
UPPER = 0.75  # the upper quartile
VECTORS = 2  # axes of a batch of feature vectors


def scale_warning(inputs: Any, argument: str = "noise_scale") -> str:
    """Return a sentence if features differ in scale by a factor of 100 or more, else "".

    Only feature vectors, of shape (N, features), are checked: the values of pictures, series and
    volumes share one unit, and a batch with more axes is taken for one of these. `argument` is the
    caller's name for each feature's share of the noise.
    """
    if len(inputs.shape) != VECTORS:
        return ""
    scales = feature_scales(inputs[_pick_rows(len(inputs))])
    if np.isnan(scales).all():
        return ""
    small, large = int(np.nanargmin(scales)), int(np.nanargmax(scales))
    factor = scales[large] / scales[small]
    if factor < APART:
        return ""
    return (
        f"features differ in scale by a factor of {factor:,.0f}: feature {large} varies by about "
        f"{scales[large]:.3g}, feature {small} by about {scales[small]:.3g}, and all get the same "
        f"noise; {argument} gives each feature its own share"
    )


def feature_scales(rows: np.ndarray) -> Floats:
    """Return (F,) how much each feature varies; NaN where it is constant, or nearly.

    It is the upper quartile of its distances from its median, over the rows that do not have the
    median itself: a few outliers do not matter, and a column of some ones among zeros has scale 1.
    A feature that differs from its median in fewer than 7 rows, or in fewer than a tenth of them,
    is left out: the margin of a picture, a rare flag.
    """
    values = np.asarray(rows, dtype=float)
    middle = np.sort(values, axis=0)[(len(values) - 1) // 2]
    distances = np.sort(np.abs(values - middle), axis=0)[::-1]
    differ = (distances > 0).sum(axis=0)
    at = (differ * (1 - UPPER)).astype(int)
    scales = np.take_along_axis(distances, at[None], axis=0)[0]
    known = (differ >= max(FEWEST, SHARE * len(values))) & np.isfinite(values).all(axis=0)
    return np.where(known, scales, np.nan)


def _pick_rows(rows: int) -> Ints:
    """Return the numbers of at most ROWS rows, evenly spread."""
    return np.unique(np.linspace(0, rows - 1, min(rows, ROWS)).astype(np.int64))
