"""Maps over the simplex."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from simplicert.analysis import simplex
from simplicert.analysis.figures.style import DIVERGING, INK, PAPER, SEQUENTIAL
from simplicert.errors import require
from simplicert.types import Expectations, Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.tri import Triangulation

CORNERS = np.array([(0.0, 0.0), (1.0, 0.0), (0.5, 0.5)])  # permissible triangle, as (E_0, E_1)
STEPS = 200  # cells along a side: three pixels each at the size below


def cohen_minus_li(axes: "Axes") -> "Axes":
    """L_Cohen - L_Li at sigma = 1 over the simplex; paper fig. (Cohen_vs_Li).

    It falls to -sqrt(2 log 2) at (1/2, 0), and at (1, 0) it has no limit. The colours stop at half
    a sigma, so that the strip along E_0 + E_1 = 1, where alone Cohen is larger, shows.
    """
    known = simplex.grid(STEPS)
    simplex_map(
        known,
        simplex.difference("cohen", "li", known),
        axes,
        label=r"$L_{\mathrm{Cohen}} - L_{\mathrm{Li}}$  ($\sigma = 1$)",
        centre=0.0,
        limits=(-0.5, 0.5),
        contours=(-0.4, -0.2, -0.1),
    )
    leader = {"arrowstyle": "-", "color": INK, "linewidth": 0.8, "shrinkB": 0.0}
    for text, inside, outside in (
        ("Li larger", (0.38, 0.33), (0.17, 0.40)),
        ("Cohen larger", (0.735, 0.24), (0.83, 0.40)),
    ):
        axes.annotate(text, inside, outside, ha="center", color=INK, arrowprops=leader)
    return axes


def simplex_map(
    known: Expectations,
    values: Floats,
    axes: "Axes",
    *,
    label: str,
    centre: float | None = None,
    limits: tuple[float, float] | None = None,
    contours: Sequence[float] = (),
) -> "Axes":
    """Values at points of the simplex as colours, with a colour bar; returns the axes.

    With a `centre` (0 of a difference, 1 of a ratio) the colours diverge from it, reach equally
    far both ways, and a heavy line shows where the values cross it; without, they run one way.
    `limits` default to the finite values; `contours` adds thin lines with their values.
    """
    from matplotlib.tri import Triangulation

    finite = values[np.isfinite(values)]
    require(
        values.shape == known.e0.shape and finite.size > 0 and not np.isnan(values).any(),
        f"values must be a number for each of {len(known)} points, and not all infinite",
    )
    low, high = colour_limits(finite, centre, limits)
    bounded = np.clip(values, finite.min(), finite.max())  # infinity cannot be interpolated
    cells = Triangulation(known.e0, known.e1)
    colours = axes.tripcolor(
        cells,
        bounded,
        shading="gouraud",
        cmap=SEQUENTIAL if centre is None else DIVERGING,
        vmin=low,
        vmax=high,
        rasterized=True,  # as vectors, so many triangles make a file that opens slowly
    )
    draw_lines(axes, cells, bounded, centre, contours)
    draw_frame(axes)
    beside = axes.inset_axes((1.04, 0.0, 0.03, 1.0))  # exactly as high as the map
    hidden = int(values.min() < low) + 2 * int(values.max() > high)
    pointed = ("neither", "min", "max", "both")[hidden]
    axes.figure.colorbar(colours, cax=beside, label=label, extend=pointed)
    return axes


def colour_limits(
    finite: Floats, centre: float | None, limits: tuple[float, float] | None
) -> tuple[float, float]:
    """Values of the first and last colour: the limits, widened to lie evenly about a centre."""
    low, high = limits or (float(finite.min()), float(finite.max()))
    require(low < high, f"limits must rise, got {low} and {high}; equal values need their own")
    if centre is None:
        return low, high
    reach = max(high - centre, centre - low)
    return centre - reach, centre + reach


def draw_lines(
    axes: "Axes",
    cells: "Triangulation",
    values: Floats,
    centre: float | None,
    contours: Sequence[float],
) -> None:
    """Thin labelled lines at `contours`, and a heavy one at `centre`; none outside the values."""
    from matplotlib.patheffects import withStroke

    def crossed(level: float) -> bool:
        return bool(values.min() < level < values.max())

    thin = sorted(filter(crossed, contours))
    if thin:
        style = {"colors": INK, "linestyles": "solid"}
        lines = axes.tricontour(cells, values, levels=thin, linewidths=0.5, **style)
        for text in axes.clabel(lines, fmt=written, fontsize=7):
            text.set_path_effects([withStroke(linewidth=1.5, foreground=PAPER)])
    if centre is not None and crossed(centre):
        axes.tricontour(cells, values, levels=[centre], colors=INK, linewidths=1.8)


def written(level: float) -> str:
    """A number as the axes write theirs: with a minus sign, not a hyphen."""
    return f"{level:g}".replace("-", "\N{MINUS SIGN}")


def draw_frame(axes: "Axes") -> None:
    """The triangle's outline and the two axes; the outline hides the grid's margin at the sides."""
    from matplotlib.patches import Polygon

    axes.add_patch(Polygon(CORNERS, fill=False, edgecolor=INK, linewidth=0.8, clip_on=False))
    axes.set(xlim=(0, 1), ylim=(0, 0.5), aspect="equal", xlabel="$E_0$", ylabel="$E_1$")
    axes.spines[["top", "right"]].set_visible(False)
