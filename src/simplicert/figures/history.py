"""Draw the measures of several runs over time, one panel for each measure."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from simplicert.figures.saving import DPI, save_figure
from simplicert.figures.style import MECHANISM_STYLES, style_axes
from simplicert.metrics.history import HistoryPoint

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 5.0, 1.7  # inches of a panel
MOST_NAMES = 12  # runs that are named below the axis; of more, every second or third
SHORT = 7  # letters of a commit that name it
LONGEST = 14  # letters of a run's name below the axis


def draw_measure(points: Sequence[HistoryPoint], place: int, axes: "Axes") -> "Axes":
    """Draw one measure of every run with its interval; runs stand at even distances."""
    values = [point.values[place] for point in points]
    at, shown = np.arange(len(points)), np.array([value.value for value in values])
    colour = MECHANISM_STYLES["cohen"].colour
    axes.plot(at, shown, color=colour, marker="o", clip_on=False)
    for x, value in zip(at, values, strict=True):
        if value.low is not None and value.high is not None:
            axes.plot([x, x], [value.low, value.high], color=colour, alpha=0.5)
    style_axes(axes, "", values[0].measure.replace("_", " "))
    step = -(-len(points) // MOST_NAMES)
    axes.set_xticks(at[::step], [_name_point(point) for point in points[::step]])
    axes.tick_params(axis="x", labelsize=7, labelrotation=30 if len(points) > 4 else 0)  # noqa: PLR2004
    axes.set_xlim(-0.5, len(points) - 0.5)
    axes.set_ylim(bottom=0)
    return axes


def _name_point(point: HistoryPoint) -> str:
    """Name a run below the axis: its day, and its commit or its name."""
    name = point.commit[:SHORT] if point.commit else point.run[:LONGEST]
    return "\n".join(filter(None, (point.day, name.replace("$", r"\$"))))


def save_history(points: Sequence[HistoryPoint], path: Path | str, dpi: int = DPI) -> Path:
    """Write the figure of all measures, one below the other; PNG, PDF or SVG, by suffix."""
    panels = [partial(draw_measure, points, place) for place in range(len(points[0].values))]
    return save_figure(panels, path, (WIDTH, HEIGHT * len(panels)), dpi, stacked=True)
