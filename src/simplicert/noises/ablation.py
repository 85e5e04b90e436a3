"""Ablation: the classifier sees `keep` features of an input, and a mark where the others were.

Features of an image are its pixels: all channels of a pixel are kept or absent together. The mark
is a number that no feature has, so that an absent feature is never taken for a present one.
"""

import numpy as np

from simplicert.noises.model import NoiseContext


def count_features(shape: tuple[int, ...]) -> int:
    """Return the number of features of an input: the pixels of an image, else its numbers."""
    return int(np.prod(shape[1:] if len(shape) == 3 else shape))  # noqa: PLR2004


def write(
    out: np.ndarray, x: np.ndarray, random: np.random.Generator, rows: slice, context: NoiseContext
) -> None:
    """Write copies of x, each with features of its own choice; the rest holds the mark."""
    model = context.model
    assert model.size is not None and model.keep is not None
    kept = np.zeros((rows.stop, model.size), bool)
    for row in kept:
        row[random.choice(model.size, model.keep, replace=False, shuffle=False)] = True
    seen = kept[rows].reshape(-1, *context.feature_shape(x.shape))
    out[:] = np.float32(model.absent)
    np.copyto(out, x, where=seen)
