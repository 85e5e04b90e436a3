"""Noise of density proportional to exp(-(largest feature) / scale), for changes of every feature.

The largest of d features has a Gamma(d) distribution, and given it the noise is uniform on the
surface of a cube: one feature, chosen at random, lies on a face, and the others are uniform.
"""

import numpy as np


def fill(random: np.random.Generator, out: np.ndarray) -> None:
    """Fill an array (rows, features...) with such noise of scale 1, row after row."""
    flat = out.reshape(len(out), -1)
    size = flat.shape[1]
    for number in range(len(flat)):
        cube = random.random(size, dtype=out.dtype) * 2 - 1
        cube[random.integers(size)] = 1 - 2 * int(random.integers(2))
        flat[number] = cube * random.standard_gamma(size)
