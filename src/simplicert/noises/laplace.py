"""Laplace noise: every feature gets its own number of density exp(-|x|) / 2, times the scale.

A number comes from one random word: its last bit is the sign, and minus the logarithm of the rest,
read as a number in (0, 1), is the size. That takes less time than a normal number does, and the
tail reaches to 22 scales in single precision, to 36 in double precision.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from torch import Generator, Tensor

HALF, UNIT = np.float32(0.5), np.float32(2.0**-31)  # of 31 random bits


def fill(random: np.random.Generator, out: np.ndarray) -> None:
    """Fill an array with Laplace numbers of scale 1, in the precision that it has."""
    if out.dtype == np.float64:
        random.random(out=out)
        centred = 2 * out - 1  # in [-1, 1), a whole number of 2^-52
        np.multiply(np.sign(centred), -np.log1p(-np.abs(centred) + 2.0**-53), out=out)
        return
    words = random.integers(0, 2**32, out.shape, dtype=np.uint32)
    signs = words << 31
    words >>= 1
    np.copyto(out, words, casting="unsafe")
    out += HALF  # never 0, whose logarithm is infinite
    out *= UNIT
    np.log(out, out=out)
    bits = out.view(np.uint32)
    bits ^= signs


def draw_tensor(shape: tuple[int, ...], random: "Generator", kind: Any) -> "Tensor":
    """Draw Laplace numbers of scale 1 on the generator's device.

    torch's own exponential numbers take several times as long as normal ones.
    """
    import torch

    if kind == torch.float64:
        centred = 2 * torch.rand(shape, generator=random, device=random.device, dtype=kind) - 1
        return centred.sign() * -torch.log1p(-centred.abs() + 2.0**-53)
    words = torch.empty(shape, dtype=torch.int32, device=random.device)
    words.random_(generator=random)  # 31 bits
    sizes = (words >> 1).to(kind).add_(0.5).mul_(2.0**-30).log_()
    return sizes.mul_(((words & 1) * 2 - 1).to(kind))
