"""Noise in the parameter of a transformation: brightness, contrast, and shifts that wrap around.

The radius is about the parameter, and the changes are those that the transformation makes: adding
b to every pixel, multiplying every pixel by e^k, shifting the picture by whole pixels. One
transformation at a time; clipping or rounding to bytes after it is not covered (docs/threats.md).
"""

import numpy as np

from simplicert.noises.model import NoiseContext


def write_brightness(
    out: np.ndarray, x: np.ndarray, random: np.random.Generator, rows: slice, context: NoiseContext
) -> None:
    """Write x + b, one normal number b of deviation sigma for all features of a copy."""
    out[:] = x + _draw_parameters(random, rows, context, x.ndim)


def write_contrast(
    out: np.ndarray, x: np.ndarray, random: np.random.Generator, rows: slice, context: NoiseContext
) -> None:
    """Write x e^k, one normal number k of deviation sigma for all features of a copy."""
    out[:] = x * np.exp(_draw_parameters(random, rows, context, x.ndim))


def write_shift(
    out: np.ndarray, x: np.ndarray, random: np.random.Generator, rows: slice, context: NoiseContext
) -> None:
    """Write x moved by two normal numbers, rounded to whole pixels; edges wrap around."""
    drawn = context.sigma * random.standard_normal((rows.stop, 2))[rows]
    moves = np.floor(drawn + 0.5) + (context.moved or (0.0, 0.0))
    axes = (0, 1) if context.channels_last else (-2, -1)
    for copy, (down, across) in zip(out, moves, strict=True):
        copy[:] = np.roll(x, (int(down), int(across)), axes)


def _draw_parameters(
    random: np.random.Generator, rows: slice, context: NoiseContext, axes: int
) -> np.ndarray:
    """Draw one normal number of deviation sigma for each row, in double precision."""
    drawn = context.sigma * random.standard_normal(rows.stop)[rows] + sum(context.moved)
    return np.asarray(drawn.reshape(-1, *(1,) * axes))
