"""Uniform noise: every feature gets its own number in [-1, 1], times the scale.

A sum x + noise that is rounded to single precision may lie outside the cube around x by its last
digit. That is no matter: rounding is a function of the exact sum, so it belongs to the classifier.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from torch import Generator, Tensor


def fill(random: np.random.Generator, out: np.ndarray) -> None:
    """Fill an array with uniform numbers in [-1, 1), in the precision that it has."""
    random.random(dtype=out.dtype, out=out)
    out *= 2
    out -= 1


def draw_tensor(shape: tuple[int, ...], random: "Generator", kind: Any) -> "Tensor":
    """Draw uniform numbers in [-1, 1) on the generator's device."""
    import torch

    drawn = torch.rand(shape, generator=random, device=random.device, dtype=kind)
    return drawn.mul_(2).sub_(1)
