"""The colours of a map over the simplex, and the bar beside it that says what they mean."""

from typing import TYPE_CHECKING

import numpy as np

from simplicert.figures.style import DIVERGING
from simplicert.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import TriMesh
    from matplotlib.colors import Colormap


DECADES = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)  # ratios beyond either end share its colour

TICKS = 7  # at most, on a colour bar of ratios

CROWDED = 0.08  # of the bar: ticks nearer to each other have labels that touch


def diverging_colours(
    low: float, high: float, ends: tuple[float, float], logarithmic: bool
) -> "Colormap":
    """Return the part of the diverging colours that belongs to these limits, of those at `ends`."""
    from matplotlib import colormaps
    from matplotlib.colors import LinearSegmentedColormap

    scale = np.log if logarithmic else np.asarray
    first, last = np.interp(scale([low, high]), scale(list(ends)), [0.0, 1.0])
    shown = colormaps[DIVERGING](np.linspace(first, last, 257))
    return LinearSegmentedColormap.from_list(DIVERGING, list(shown), 256)


def draw_bar(
    axes: "Axes",
    colours: "TriMesh",
    values: Floats,
    limits: tuple[float, float],
    label: str,
) -> None:
    """Draw the colour bar beside a map, pointed where there are values beyond its limits."""
    from matplotlib.colors import LogNorm

    low, high = limits
    beside = axes.inset_axes((1.04, 0.0, 0.03, 1.0))  # exactly as high as the map
    beyond = int(values.min() < low) + 2 * int(values.max() > high)
    pointed = ("neither", "min", "max", "both")[beyond]
    bar = axes.figure.colorbar(colours, cax=beside, label=label, extend=pointed)
    if isinstance(colours.norm, LogNorm):
        ticks = round_ratios(low, high)
        if np.diff(np.log(ticks)).min(initial=1.0) < CROWDED * np.log(high / low):
            ticks = [x for x in DECADES if low <= x <= high]
        bar.set_ticks(ticks, labels=[format_level(level) for level in ticks], minor=False)
        bar.minorticks_off()


def round_ratios(low: float, high: float) -> list[float]:
    """Return round ratios between two others, so few that their labels do not touch."""
    even = [step * np.arange(1, 10 / step) for step in (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)]
    inside = [[x for x in np.round(row, 2).tolist() if low <= x <= high] for row in even]
    return next(
        (row for row in inside if len(row) <= TICKS), [x for x in DECADES if low <= x <= high]
    )


def format_level(level: float) -> str:
    """Format a number as the axes do: with a minus sign, not a hyphen."""
    return f"{level:g}".replace("-", "\N{MINUS SIGN}")
