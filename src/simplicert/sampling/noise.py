"""Make noise that depends only on (seed, input, chunk), wherever it is drawn.

Draw d of an input is row d mod c of its chunk d // c, where the batch size decides c. The rows of a
chunk come one after another from its own generator, so a draw does not depend on which other draws
are made beside it.
"""

import hashlib
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from simplicert.errors import InvalidInput
from simplicert.noises import NOISES, NoiseModel, gaussian

Fill = Callable[[np.random.Generator, np.ndarray], None]

SMALLEST_CHUNK, LARGEST_CHUNK = 32, 64  # draws
NOISE, VOTES, PILOT, PILOT_VOTES = range(4)  # streams that never share a number
STREAM_COUNT = 4

NEAR_STEP = 1e-6  # of 1: inputs as near to a step of their grid lie on it


def stream_number(stream: int, chunk: int) -> int:
    """Return the stream for chunks of this size: draws of other chunk sizes never share noise."""
    return stream + STREAM_COUNT * (LARGEST_CHUNK - chunk)


def chunk_rows(batch_size: int) -> int:
    """Return the draws per chunk: of 32 to 64 what fills most of the batch, the larger on a tie."""
    sizes = range(min(SMALLEST_CHUNK, batch_size), min(LARGEST_CHUNK, batch_size) + 1)
    return max(sizes, key=lambda c: (batch_size // c * c, c))


def chunk_generator(seed: int, item: int, chunk: int, stream: int) -> np.random.Generator:
    """Return the generator of one chunk: its own counter-based stream, keyed by (seed, item)."""
    key = np.random.SeedSequence((seed, item)).generate_state(2, np.uint64)
    return np.random.Generator(np.random.Philox(key=key, counter=[0, 0, chunk, stream]))


def device_seed(seed: int, item: int, chunk: int, stream: int) -> int:
    """Return 63 bits for a generator on a GPU, which takes one number, not a key and a counter."""
    packed = struct.pack("<qqqq", seed, item, chunk, stream)
    return int.from_bytes(hashlib.blake2b(packed, digest_size=8).digest(), "little") >> 1


def hash_seed(*words: object) -> int:
    """Hash words to a seed of 63 bits; other words give another, except by a chance of 2^-63."""
    text = "\n".join(map(str, words))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little") >> 1


def add_noise(
    out: np.ndarray,
    x: np.ndarray,
    random: np.random.Generator,
    rows: slice,
    spread: np.ndarray,
    fill: Fill = gaussian.fill,
) -> None:
    """Write x + spread * noise into `out`; float32, in place where `out` holds the whole chunk.

    `fill` draws the noise at scale 1.
    """
    if len(out) == rows.stop and rows.start == 0 and out.flags.c_contiguous:
        fill(random, out)
    else:
        whole = np.empty((rows.stop, *x.shape), np.float32)
        fill(random, whole)
        out[:] = whole[rows]
    out *= spread
    out += x


def add_grid_noise(
    out: np.ndarray,
    x: np.ndarray,
    random: np.random.Generator,
    rows: slice,
    spread: np.ndarray,
    step: float,
    *,
    fill: Fill = gaussian.fill,
) -> None:
    """Do the same on a grid: noise is drawn in double precision and rounded to whole steps.

    With x on the grid, Q(x + noise) = x + Q(noise) exactly, Q rounding to the grid: the result is
    smoothing of the classifier composed with Q in real arithmetic, and no low-order bit of the sum
    tells x from its neighbours.
    """
    drawn = np.empty((rows.stop, *x.shape))
    fill(random, drawn)
    steps = np.floor(drawn[rows] * (spread / step) + 0.5)
    out[:] = (np.rint(x / step) + steps) * step


def refuse_unfit_inputs(
    inputs: np.ndarray, index: np.ndarray, noise: NoiseModel, grid: float | None
) -> None:
    """Refuse inputs that are not on the grid, if there is one, or that hold the mark."""
    if noise.absent is not None:
        refuse_mark(inputs, index, noise.absent)
    if grid is not None:
        refuse_off_grid(inputs, index, grid)
    steps = NOISES[noise.name].steps
    if steps is not None:
        refuse_no_bytes(inputs, index, steps)


def refuse_off_grid(inputs: np.ndarray, index: np.ndarray, step: float) -> None:
    """Refuse an input that is not on the grid; snapping it would certify another input."""
    off = np.flatnonzero(~is_on_grid(inputs, step))
    if off.size:
        raise InvalidInput(
            f"inputs must lie on the grid of {step:.6g}, and input {index[off[0]]} does not"
        )


def refuse_no_bytes(inputs: np.ndarray, index: np.ndarray, steps: int) -> None:
    """Refuse an input that is no whole number of steps in [0, 1] in every feature.

    Single precision, and a division that was a multiplication, may miss a step by a few last bits.
    """
    near = np.rint(inputs.astype(np.float64) * steps) / steps
    good = (np.abs(inputs - near) < NEAR_STEP) & (near >= 0) & (near <= 1)
    off = ~good.reshape(len(inputs), -1).all(axis=1)
    if off.any():
        raise InvalidInput(
            f"inputs must be whole numbers in 0..{steps} divided by {steps}, and input "
            f"{index[off.argmax()]} is not: splitting noise is for images of bytes"
        )


def refuse_mark(inputs: np.ndarray, index: np.ndarray, mark: float) -> None:
    """Refuse an input with a feature that looks as if it were absent."""
    held = (inputs == np.float32(mark)).reshape(len(inputs), -1).any(axis=1)
    if held.any():
        raise InvalidInput(
            f"absent must be a number that no feature has, got {mark:g}, which input "
            f"{index[held.argmax()]} holds"
        )


def is_on_grid(inputs: np.ndarray, step: float) -> Any:
    """Return (N,) whether each feature is the float32 nearest to a whole number of steps."""
    snapped = (np.rint(inputs.astype(np.float64) / step) * step).astype(np.float32)
    return (snapped == inputs).reshape(len(inputs), -1).all(axis=1)
