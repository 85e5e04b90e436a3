"""Every radius on a grid of the simplex, for the map under the points and for the pointer.

The page computes no radius of its own: a second implementation would have to be proved and tested
again. It shows those that the package computed, and at a pointer those of a grid point that
promises less: E_0 no larger, E_1 no smaller.
"""

import base64
from typing import Any

import numpy as np

from simplicert.certification import radius
from simplicert.mechanisms import MECHANISMS, PAPER_ENSEMBLE
from simplicert.types import Floats

STEPS = 300  # grid points from E_0 = 0 to 1; on a screen about two pixels each


def grid_points(steps: int = STEPS) -> tuple[Floats, Floats]:
    """E_0 = (i + 1/2) / steps and E_1 = (j + 1/2) / steps inside the triangle, row j by row j.

    Row j holds i = j + 1, ..., steps - 1 - j: E_0 > E_1 and E_0 + E_1 <= 1. A point of the
    triangle with E_0 rounded down and E_1 rounded up to this grid still has a sum of at most 1:
    the sum is a multiple of 1 / steps, and below 1 + 1 / steps.
    """
    pairs = [(i, j) for j in range(steps // 2) for i in range(j + 1, steps - j)]
    places = np.array(pairs, dtype=float)
    return (places[:, 0] + 0.5) / steps, (places[:, 1] + 0.5) / steps


def radius_grids(steps: int = STEPS) -> dict[str, Any]:
    """Each mechanism's radii at sigma 1 as float32, rounded down, little-endian in base64."""
    e0, e1 = grid_points(steps)
    names = [name for name, row in MECHANISMS.items() if row.needs == "pair"]
    return {
        "steps": steps,
        "radii": {name: packed(np.asarray(radius(name, e0, e1))) for name in names},
        "kinds": {
            kind: [name for name in names if kind in MECHANISMS[name].kinds]
            for kind in PAPER_ENSEMBLE
        },
        "ensembles": {kind: list(members) for kind, members in PAPER_ENSEMBLE.items()},
    }


def packed(values: Floats) -> str:
    """Float32, never above the value."""
    near = values.astype(np.float32)
    above = near.astype(float) > values
    safe = np.where(above, np.nextafter(near, np.float32(0)), near)
    return base64.b64encode(safe.astype("<f4").tobytes()).decode("ascii")
