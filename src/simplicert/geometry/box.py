"""Bound the radius of an input in the unit box by the certificate of a neighbour.

Let x and every perturbed input x + d lie in [0, 1]^n, let the class be the same within r' of a
neighbour x', and put v = x' - x. Then

    |x + d - x'|^2 = |d|^2 - 2 <d, v> + |v|^2 <= |d|^2 + 2 sum_i |v_i| b_i + |v|^2,

where b_i is the distance of x_i to the face that v_i points away from: x_i + d_i cannot go beyond
it, so -d_i v_i <= b_i |v_i|. The class is therefore the same for every such d with
|d|^2 < r'^2 - |v|^2 - 2 sum_i |v_i| b_i (docs/geometry.md).

`box_cost` is what is subtracted, rounded up; `box_radius` the radius, rounded toward zero;
`best_offset` the neighbour that promises most, to first order.
"""

import math

import numpy as np

from simplicert.errors import require
from simplicert.types import Floats


def box_cost(centre: np.ndarray, neighbour: np.ndarray) -> float:
    """Return |v|^2 + 2 sum |v_i| b_i, never less than in exact arithmetic.

    >>> box_cost(np.array([0.0, 0.5]), np.array([0.25, 0.5])) - 0.25**2 < 1e-15  # from the face
    True
    >>> box_cost(np.array([0.25, 0.5]), np.array([0.0, 0.5])) > 0.43  # towards the face
    True
    """
    one, other = (np.asarray(values, dtype=np.float64) for values in (centre, neighbour))
    require(
        one.shape == other.shape,
        f"neighbour must have the shape {one.shape} of the input, got {other.shape}",
    )
    refuse_outside_box("centre", one)
    require(bool(np.isfinite(other).all()), "neighbour must be finite, got NaN or infinity")
    size = np.nextafter(np.abs(other - one), np.inf)
    away = np.nextafter(np.where(other > one, one, 1 - one), np.inf)  # b
    terms = np.nextafter(size * np.nextafter(size + 2 * away, np.inf), np.inf)
    total = math.fsum(terms[other != one].ravel().tolist())  # the exact sum, rounded once
    return 0.0 if total == 0 else math.nextafter(total, math.inf)


def box_radius(centre: np.ndarray, neighbour: np.ndarray, radius: float) -> float:
    """Return the radius of `centre` inside the box by a neighbour's own; 0 where it proves nothing.

    >>> centre, neighbour = np.array([0.0, 0.5]), np.array([0.3, 0.5])
    >>> round(box_radius(centre, neighbour, 0.5), 6)  # 0.2 by the triangle inequality
    0.4
    >>> box_radius(centre, neighbour, 0.25)
    0.0
    """
    require(
        0 <= radius < math.inf,
        f"radius must be a finite number and not negative, got {radius!r}",
    )
    cost = box_cost(centre, neighbour)
    square = math.nextafter(radius * radius, 0.0)
    left = math.nextafter(square - cost, -math.inf)
    return math.nextafter(math.sqrt(left), 0.0) if left > 0 else 0.0


def best_offset(centre: np.ndarray, slope: Floats, radius: float) -> Floats:
    """Return v for which r(x + v)^2 - |v|^2 - 2 sum |v_i| b_i is largest, if r has this slope.

    There r(x') slope_i = v_i + sign(v_i) b_i: each feature moves by what is left of radius * slope
    when b_i is taken off. This is how far x - radius * slope lies outside the box, so nothing is
    to be gained where it lies inside. A neighbour outside the box is brought back.

    >>> best_offset(np.array([0.0, 0.1, 0.5]), np.array([0.4, 0.4, 0.4]), 0.5).round(6)
    array([0.2, 0.1, 0. ])
    """
    foot = np.asarray(centre, dtype=np.float64) - radius * slope
    offset = np.clip(foot, 0.0, 1.0) - foot
    return np.asarray(np.clip(centre + offset, 0.0, 1.0) - centre)


def refuse_outside_box(name: str, values: np.ndarray) -> None:
    """Refuse values outside [0, 1], NaN too."""
    inside = (values >= 0) & (values <= 1)
    require(
        bool(inside.all()),
        f"{name} must lie in [0, 1] in every feature, got "
        f"{values[~inside].flat[0] if not inside.all() else None!r}",
    )
