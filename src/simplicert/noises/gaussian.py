"""Gaussian noise: every feature gets its own normal number, times sigma."""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from torch import Generator, Tensor


def fill(random: np.random.Generator, out: np.ndarray) -> None:
    """Fill an array with standard normal numbers, in the precision that it has."""
    random.standard_normal(dtype=out.dtype, out=out)


def draw_tensor(shape: tuple[int, ...], random: "Generator", kind: Any) -> "Tensor":
    """Draw standard normal numbers on the generator's device."""
    import torch

    return torch.randn(shape, generator=random, device=random.device, dtype=kind)
