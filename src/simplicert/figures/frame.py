"""Draw the triangle of (E_0, E_1), exact lines on it, and labels beside it."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from simplicert.figures.style import INK
from simplicert.simplex.regions import BoundaryCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# Of the permissible triangle, as (E_0, E_1).
CORNERS = np.array([(0.0, 0.0), (1.0, 0.0), (0.5, 0.5)])


def draw_frame(axes: "Axes") -> None:
    """Draw the triangle's outline, which hides the grid's margin at the sides, and the two axes."""
    from matplotlib.patches import Polygon

    axes.add_patch(Polygon(CORNERS, fill=False, edgecolor=INK, linewidth=0.8, clip_on=False))
    axes.set(xlim=(0, 1), ylim=(0, 0.5), aspect="equal", xlabel="$E_0$", ylabel="$E_1$")
    axes.spines[["top", "right"]].set_visible(False)


def draw_curves(axes: "Axes", curves: Iterable[BoundaryCurve], **style: Any) -> None:
    """Draw exact lines over a map or over points; a closed curve is drawn closed."""
    for curve in curves:
        e0, e1 = (
            np.append(values, values[:1] if curve.closed else []) for values in (curve.e0, curve.e1)
        )
        axes.plot(e0, e1, **{"color": INK, "linewidth": 1.8, "zorder": 4, **style})


def annotate_place(
    axes: "Axes", text: str, inside: tuple[float, float], outside: tuple[float, float], **style: Any
) -> None:
    """Write a text beside the triangle, with a thin leader to the place it is about."""
    leader = {"arrowstyle": "-", "color": INK, "linewidth": 0.8, "shrinkB": 0.0}
    axes.annotate(
        text,
        inside,
        outside,
        **{"ha": "center", "va": "center", "color": INK, "arrowprops": leader, **style},
    )
