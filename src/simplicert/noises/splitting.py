"""Splitting noise, derandomised: every feature is told apart by one threshold, and all are tried.

Levine and Feizi 2021, "Improved, deterministic smoothing for l1 certified robustness" (DSSN).
Inputs are images of bytes, divided by 255: feature i is k_i / 255 with a whole k_i in 0..255. The
scale s makes M = 510 s whole, the number of offsets. At offset o, one of 0, ..., M - 1 and the same
for all features, feature i has thresholds at t + 1/2, t + 1/2 + M, t + 1/2 - M, ... with
t = v_i + o, in units of 1/255; v is a fixed vector, made from the seed `offsets`. The classifier
sees the middle of the piece of [0, 1] between two thresholds in which the feature lies, and so
nothing of where in that piece.

As o takes all M values, the thresholds of a feature take every place once. So k_i and k_i' are told
apart at |k_i - k_i'| offsets at most, and x and x' at as many as their distance in l1 has steps.
Everything is whole numbers until the float that the classifier gets.
"""

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from simplicert.errors import InvalidInput, check_positive
from simplicert.noises.model import NoiseContext

if TYPE_CHECKING:
    from torch import Generator, Tensor

STEPS = 255  # of the grid of inputs, in [0, 1]
MOST_OFFSETS = 10**6
BLOCK = 1 << 14  # features of as many copies are written at a time: they stay in the cache
NEAR = 0.01  # of an offset: a scale that is typed with a few digits means the nearest whole number


def count_offsets(scale: float) -> int:
    """Return M = 510 scale, the number of offsets, and so of draws of every input.

    >>> count_offsets(0.5), count_offsets(0.24902)
    (255, 127)
    """
    exact = 2 * STEPS * check_positive("scale", scale)
    if exact > MOST_OFFSETS:
        raise InvalidInput(
            f"scale must be at most {MOST_OFFSETS / (2 * STEPS):.6g} for splitting noise, "
            f"got {scale!r}"
        )
    whole = round(exact)
    if whole < 1 or abs(exact - whole) > NEAR:
        below, above = max(int(exact), 1), max(int(exact), 1) + 1
        raise InvalidInput(
            f"scale must be a multiple of 1/510 for splitting noise, such as "
            f"{below / (2 * STEPS):.6g} ({below} offsets) or {above / (2 * STEPS):.6g}, "
            f"got {scale!r}"
        )
    return whole


def whole_scale(scale: float) -> float:
    """Return the scale that the number of offsets stands for, to its last digit."""
    return count_offsets(scale) / (2 * STEPS)


def write(
    out: np.ndarray, x: np.ndarray, random: np.random.Generator, rows: slice, context: NoiseContext
) -> None:
    """Write the copies of x at the offsets first, first + 1, ...; `random` is not used."""
    count = count_offsets(context.sigma)
    seed = context.model.offsets
    assert seed is not None
    places = feature_places(seed, count, _plain_shape(x.shape, context.channels_last))
    if context.channels_last and places.ndim == 3:  # noqa: PLR2004
        places = np.moveaxis(places, 0, -1)
    below = np.rint(x * float(STEPS)).astype(np.int32) - 1
    apart = (below - places) % count  # from the threshold below, at offset 0
    draws = np.arange(context.first, context.first + rows.stop - rows.start, dtype=np.int64)
    offsets = (draws % count).astype(np.int32).reshape(-1, *(1,) * x.ndim)
    block = max(BLOCK // x.size, 1)
    for start in range(0, len(out), block):
        offset = offsets[start : start + block]
        threshold = below - apart + offset
        threshold -= count * (apart < offset)
        middles = _middles(threshold, count)
        part = out[start : start + block]
        np.divide(middles, 4 * STEPS, out=part, dtype=np.float32, casting="same_kind")


def _middles(threshold: np.ndarray, count: int) -> np.ndarray:
    """Return, in units of 1/1020, the middle of the pieces that begin at threshold + 1/2."""
    twice = 2 * threshold + 1
    return np.asarray(np.maximum(twice, 0) + np.minimum(twice + 2 * count, 2 * STEPS))


def _plain_shape(shape: tuple[int, ...], channels_last: bool) -> tuple[int, ...]:
    """Return the shape with the channels of an image first."""
    image = channels_last and len(shape) == 3  # noqa: PLR2004
    return (shape[-1], *shape[:-1]) if image else shape


@lru_cache(maxsize=16)
def feature_places(offsets: int, count: int, shape: tuple[int, ...]) -> np.ndarray:
    """Return v: a whole number below `count` for each feature, from the seed `offsets`.

    RandomState's numbers never change with NumPy, and they are those of the authors' own code, so
    that networks which they trained see the noise that they know.
    """
    random = np.random.RandomState(offsets)
    drawn = random.randint(count, size=int(np.prod(shape)), dtype=np.int64)
    places = drawn.astype(np.int32).reshape(shape)
    places.setflags(write=False)
    return places


def draw_copies(
    batch: "Tensor", scale: float, offsets: int = 0, random: "Generator | None" = None
) -> "Tensor":
    """Return a copy of each input at an offset drawn at random: what a network is trained on.

    `batch` is (B, features...) in [0, 1], images with their channels first; values between two
    steps of 1/255 are rounded. `random` is torch's generator, on the batch's device.
    """
    import torch

    count = count_offsets(scale)
    places = torch.tensor(feature_places(offsets, count, tuple(batch.shape[1:])))
    places = places.to(batch.device)
    drawn = torch.randint(
        count, (len(batch), *(1,) * (batch.ndim - 1)), generator=random, device=batch.device
    )
    below = torch.round(batch.detach() * float(STEPS)).to(torch.int32) - 1
    threshold = below - torch.remainder(below - places - drawn.to(torch.int32), count)
    twice = 2 * threshold + 1
    middles = twice.clamp(min=0) + (twice + 2 * count).clamp(max=2 * STEPS)
    return middles.to(batch.dtype) / (4 * STEPS)
