"""Find the largest and smallest value of a comparison over the simplex, and where they are.

A grid finds where to look, and a local search continues from there, also to places between the
grid and the sides. Near a side there may be no extreme at all (improved DP over Lecuyer grows
without end towards E_0 = E_1), so points keep a margin from two of the sides, and an extreme that
lies on the margin says so. The side E_0 + E_1 = 1 belongs to the triangle.

The search moves in two coordinates: the logit of E_0, and the logit of E_1's share of its largest
value.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from simplicert import simplex
from simplicert.errors import require
from simplicert.types import Expectations, Floats, Kind

Compare = Callable[[Expectations], Floats]
MARGIN = 1e-6  # distance kept from E_1 = 0 and from E_0 = E_1
STARTS = 6  # searches, from the best grid points that are not neighbours
APART = 0.7  # grid points closer than this are neighbours, in units of the coordinates

# The points around the best one at which a search looks, at half-width 1.
PATCH = np.stack(np.meshgrid(*2 * [np.linspace(-1, 1, 9)])).reshape(2, 1, -1)

FIRST, LAST, ROUNDS = 0.5, 1e-9, 200  # half-widths of the patch, and the most steps
SPAN = -np.log(MARGIN)  # about the logit of 1 - MARGIN
GRID = np.stack(np.meshgrid(*2 * [np.linspace(-SPAN, SPAN, 140)])).reshape(2, -1)


@dataclass(frozen=True)
class Extreme:
    """A value and where it is; `towards` names the sides at whose margin it lies, if any."""

    value: float
    e0: float
    e1: float
    towards: tuple[str, ...]


def find_extremes(compare: Compare, kind: Kind = "multinomial") -> tuple[Extreme, Extreme]:
    """Find the smallest and the largest finite value of `compare` over the triangle."""
    return find_extreme(compare, kind, -1.0), find_extreme(compare, kind, 1.0)


def find_extreme(compare: Compare, kind: Kind, sign: float) -> Extreme:
    """Find the largest value (sign 1) or the smallest (sign -1), searching from several starts."""

    def height(where: Floats) -> Floats:
        e0, e1 = _coordinates_to_point(*where.reshape(2, -1))
        values = sign * compare(simplex.make_points(e0, e1, kind))
        return np.where(np.isfinite(values), values, -np.inf).reshape(where.shape[1:])

    start = _pick_start_points(GRID, height(GRID))
    places, values = _climb_from_starts(height, start)
    best = values.argmax()
    require(
        bool(np.isfinite(values[best])),
        "a comparison must be finite somewhere, and the right side certifies nothing anywhere",
    )
    e0, e1 = (float(value) for value in _coordinates_to_point(*places[:, best]))
    return Extreme(float(sign * values[best]), e0, e1, _find_margin_sides(e0, e1))


def _coordinates_to_point(across: Floats, up: Floats) -> tuple[Floats, Floats]:
    """Return (E_0, E_1) of two coordinates, moved inside the margins."""
    e0 = np.clip(expit(across), 2 * MARGIN, 1 - MARGIN)
    highest = np.minimum(e0 - MARGIN, 1 - e0)
    # A share of 1 - MARGIN is the side itself: E_0 + E_1 = 1 can be reached exactly.
    share = np.minimum(expit(up) / (1 - MARGIN), 1.0)
    return e0, np.clip(highest * share, MARGIN, highest)


def _pick_start_points(where: Floats, values: Floats) -> Floats:
    """(2, S) the best points of a grid, no two of them neighbours; of equals, the most central."""
    chosen: list[int] = []
    for at in np.lexsort((np.abs(where).sum(axis=0), -values)):
        gaps = np.abs(where[:, chosen] - where[:, [at]]).max(axis=0)
        if (gaps > APART).all():
            chosen.append(int(at))
        if len(chosen) == STARTS:
            break
    return where[:, chosen]


def _climb_from_starts(height: Callable[[Floats], Floats], start: Floats) -> tuple[Floats, Floats]:
    """Search from each start; return where the searches end and the heights there.

    Each search looks at a patch around its best point, moves to the best point of the patch, and
    halves the patch if that is no higher. It uses no slopes, because there are ridges where the
    largest of several mechanisms changes.
    """
    best, value, width = start, height(start), np.full(start.shape[1], FIRST)
    which = np.arange(start.shape[1])
    for _ in range(ROUNDS):
        patch = best[:, :, None] + width[:, None] * PATCH
        heights = height(patch)
        at = heights.argmax(axis=1)
        higher = heights[which, at] > value
        best = np.where(higher, patch[:, which, at], best)
        value = np.where(higher, heights[which, at], value)
        width = np.where(higher, width, width / 2)
        if width.max() < LAST:
            break
    return best, value


def _find_margin_sides(e0: float, e1: float) -> tuple[str, ...]:
    """Return the sides whose margin a point lies on."""
    near = {"E1 = 0": e1, "E0 = E1": e0 - e1}
    return tuple(side for side, gap in near.items() if gap < MARGIN * (1 + MARGIN))
