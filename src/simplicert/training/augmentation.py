"""Random crop and flip of a batch of images, before the noise."""

import numpy as np
from numpy.typing import NDArray

Singles = NDArray[np.float32]


def augmented(images: Singles, random: np.random.Generator, crop: int, flip: bool) -> Singles:
    """N x C x H x W, each image moved and mirrored by its own draw; the same size as before."""
    count = len(images)
    across, down = random.integers(
        0, 2 * crop + 1, (2, count)
    )  # drawn always: streams stay in step
    mirrored = random.random(count) < 1 / 2
    out = cropped(images, crop, down, across) if crop else images.copy()
    if flip:
        out[mirrored] = out[mirrored, :, :, ::-1]
    return out


def cropped(images: Singles, crop: int, down: np.ndarray, across: np.ndarray) -> Singles:
    """Windows of an image with a black border of `crop` pixels."""
    height, width = images.shape[2:]
    border = ((0, 0), (0, 0), (crop, crop), (crop, crop))
    windows = np.lib.stride_tricks.sliding_window_view(
        np.pad(images, border), (height, width), axis=(2, 3)
    )
    taken: Singles = windows[np.arange(len(images)), :, down, across]
    return np.ascontiguousarray(taken)
