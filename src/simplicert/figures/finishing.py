"""Finish the panels of a figure, once their sizes are known.

`label_lines_directly` writes the name of a line beside it wherever there is room, and leaves only
the other names in the legend. `shorten_headings` takes the settings away that a caption will
say. `align_legends` lets the headings of panels in a row begin at one height.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from simplicert.figures.style import CROWD_LINES, DIRECT, HEADING, INK, draw_legend, wrap_name
from simplicert.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D


# In points: from a line to its name, room around a name, how much farther the nearest other line
# must be than its own, and how much farther makes no difference.
OFFSET, PAD, APART, ENOUGH = 3.0, 2.0, 2.5, 40.0

NAME_SIZE = 7.5  # points, as in a legend

STEP = 1.0  # points between the places of a line that are looked at

DARKER = 0.3  # share of ink in the colour of a name, to be read on white

# Where a name stands beside a place of its line: which corner of the name is nearest to it.
CORNERS = ((1.0, 1.0), (-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0))

Box = tuple[float, float, float, float]  # left, bottom, right, top, in points


def finish_panels(
    figure: "Figure", panels: Sequence["Axes"], columns: int, *, heading: bool = True
) -> None:
    """Name lines directly, align the headings of panels in rows of `columns`, or shorten them."""
    if not heading:
        shorten_headings(panels)
    for last in (False, False, True):  # a shorter legend leaves more room for the axes
        figure.draw_without_rendering()
        if not any([label_lines_directly(axes, whole=last) for axes in panels]):
            break
    for first in range(0, len(panels), columns):
        align_legends(figure, panels[first : first + columns])


def _direct_legend(axes: "Axes") -> "Legend | None":
    """Return the legend of lines that may be named beside them, or None."""
    legend = axes.get_legend()
    return legend if legend is not None and legend.get_label() == DIRECT else None


def label_lines_directly(axes: "Axes", *, whole: bool = False) -> bool:
    """Write each line's name beside it where it touches nothing; return if the legend has changed.

    If all lines are named, the legend keeps only what is no line, such as the meaning of dashes,
    unless it is to be `whole`. Names from an earlier call are written anew: the axes may have
    another size now.
    """
    legend = _direct_legend(axes)
    if legend is None:
        return False
    for text in [text for text in axes.texts if text.get_label() == DIRECT]:
        text.remove()
    size = NAME_SIZE
    handles, names = axes.get_legend_handles_labels()
    lines = [_find_line(handle) for handle in handles]
    every = [line for line in axes.lines if line.get_linestyle() != "None"]
    places = {line: _line_places(axes, line) for line in (*lines, *every) if line is not None}
    bars = _bar_places(axes)
    taken: list[Box] = []
    missed = False
    for name, line in zip(names, lines, strict=True):
        if line is None or not len(places[line]):
            continue
        # Lines of its colour without a name, such as the dashed one of a run, are its own too.
        own = [line, *(x for x in every if x not in lines and x.get_color() == line.get_color())]
        others = [places[other] for other in every if other not in own]
        box = find_name_place(
            _join_places([places[each] for each in own]),
            [*others, bars],
            _text_size(axes, name, size),
            _axes_size(axes),
            taken,
        )
        if box is None:
            missed = True
            continue
        taken.append(box)
        _write_name(axes, name, box, line.get_color(), size)
    keys = zip(handles, names, lines, strict=True)
    rest = [
        (handle, name)
        for handle, name, line in keys
        if missed or whole or line is None or not len(places[line])
    ]
    shown = [text.get_text() for text in legend.get_texts()]
    if [wrap_name(axes, name) for _, name in rest] == shown:
        return False
    draw_legend(axes, legend.get_title().get_text(), entries=rest)
    return True


def _write_name(axes: "Axes", name: str, box: Box, colour: Any, size: float) -> None:
    """Write a name into its box, in the colour of its line."""
    wide, high = _axes_size(axes)
    axes.text(
        (box[0] + box[2]) / 2 / wide,
        (box[1] + box[3]) / 2 / high,
        name,
        transform=axes.transAxes,
        ha="center",
        va="center",
        fontsize=size,
        color=_darken(colour),
        zorder=6,
        label=DIRECT,
    )


def find_name_place(
    line: Floats,
    others: Sequence[Floats],
    size: tuple[float, float],
    area: tuple[float, float],
    taken: Sequence[Box],
) -> Box | None:
    """Return the box beside a line that is farthest from all other lines, or None.

    All are in points: the places of the lines (P, 2), the size of the name, that of the axes, and
    the boxes that are taken. A name touches no line, and the others are farther from it than its
    own.
    """
    wide, high = size
    crowd = _join_places(others)
    best: tuple[float, Box | None] = (APART, None)
    for x, y in line[::3]:
        for right, up in CORNERS:
            low_x = x + OFFSET if right > 0 else x - OFFSET - wide
            low_y = y + OFFSET if up > 0 else y - OFFSET - high
            box = (low_x, low_y, low_x + wide, low_y + high)
            inside = box[0] > PAD and box[1] > PAD
            if not (inside and box[2] < area[0] - PAD and box[3] < area[1] - PAD):
                continue
            near = _distance(box, line)
            if any(_overlap(box, other) for other in taken) or near < PAD:
                continue
            room = min(_distance(box, crowd) - near, ENOUGH)
            if room > best[0]:
                best = (room, box)
    return best[1]


def _join_places(lines: Sequence[Floats]) -> Floats:
    """Return the places of several lines, (P, 2)."""
    return np.concatenate([np.empty((0, 2)), *lines])


def _overlap(one: Box, two: Box) -> bool:
    """Tell whether two boxes, with room around them, overlap."""
    apart = one[0] > two[2] + PAD or two[0] > one[2] + PAD
    return not (apart or one[1] > two[3] + PAD or two[1] > one[3] + PAD)


def _distance(box: Box, places: Floats) -> float:
    """Return the smallest distance of places (P, 2) from a box; 0 inside it."""
    across = np.maximum(np.maximum(box[0] - places[:, 0], places[:, 0] - box[2]), 0.0)
    up = np.maximum(np.maximum(box[1] - places[:, 1], places[:, 1] - box[3]), 0.0)
    return float(np.hypot(across, up).min(initial=np.inf))


def _find_line(handle: Any) -> "Line2D | None":
    """Return the line of a legend's entry, of an error bar that of its points; None if no line."""
    from matplotlib.lines import Line2D

    line = handle if isinstance(handle, Line2D) else getattr(handle, "lines", [None])[0]
    if not isinstance(line, Line2D) or line.get_gid() == CROWD_LINES:
        return None  # a crowd has one entry in the legend, and no place of its own
    return line


def _line_places(axes: "Axes", line: "Line2D") -> Floats:
    """Return places (P, 2) all along a line, steps included, in points of the axes."""
    from matplotlib.cbook import STEP_LOOKUP_MAP

    if np.size(line.get_xdata()) == 0:
        return np.empty((0, 2))
    steps = STEP_LOOKUP_MAP[line.get_drawstyle()]
    corners = np.array(steps(*line.get_data(orig=False)), dtype=float).T
    shown = line.get_transform().transform(corners[np.isfinite(corners).all(axis=1)])
    points = (shown - [axes.bbox.x0, axes.bbox.y0]) * 72 / axes.figure.dpi
    lengths = np.hypot(*np.diff(points, axis=0).T) if len(points) > 1 else np.zeros(0)
    along = np.concatenate([[0.0], np.cumsum(lengths)])
    at = np.arange(0.0, along[-1] + STEP, STEP)
    places = np.column_stack([np.interp(at, along, column) for column in points.T])
    wide, high = _axes_size(axes)
    x, y = places.T
    return np.asarray(places[(x >= -1) & (x <= wide + 1) & (y >= -1) & (y <= high + 1)])


def _bar_places(axes: "Axes") -> Floats:
    """Return places (P, 2) on the bars of intervals, in points of the axes."""
    from matplotlib.collections import LineCollection

    bars = [item for item in axes.collections if isinstance(item, LineCollection)]
    ends = [axes.transData.transform(two) for item in bars for two in item.get_segments()]
    share = np.linspace(0, 1, 30)[:, None]
    shown = [share * two[-1] + (1 - share) * two[0] for two in ends if len(two)]
    return np.asarray((_join_places(shown) - [axes.bbox.x0, axes.bbox.y0]) * 72 / axes.figure.dpi)


def _axes_size(axes: "Axes") -> tuple[float, float]:
    """Return how wide and high the axes are, in points."""
    scale = 72 / axes.figure.dpi
    return float(axes.bbox.width * scale), float(axes.bbox.height * scale)


def _text_size(axes: "Axes", text: str, size: float) -> tuple[float, float]:
    """Return how wide and high a text is, in points."""
    probe = axes.text(0, 0, text, fontsize=size)
    extent = probe.get_window_extent()
    probe.remove()
    scale = 72 / axes.figure.dpi
    return float(extent.width * scale), float(extent.height * scale)


def _darken(colour: Any) -> tuple[float, float, float]:
    """Return a colour with some ink in it: pale letters on white are hard to read."""
    from matplotlib.colors import to_rgb

    red, green, blue = (
        (1 - DARKER) * part + DARKER * ink
        for part, ink in zip(to_rgb(colour), to_rgb(INK), strict=True)
    )
    return red, green, blue


def shorten_headings(panels: Sequence["Axes"]) -> list[str]:
    """Take the headings away and return them.

    Panels keep the first lines of theirs where these differ, and where one is exploratory.
    """
    texts = [axes.get_title(loc="left") or _heading(axes) for axes in panels]
    firsts = [text.partition("\n")[0] for text in texts]
    needed = len(set(firsts)) > 1 or any("exploratory" in text for text in firsts)
    kept = firsts if needed else [""] * len(firsts)
    for axes, text in zip(panels, kept, strict=True):
        if axes.get_title(loc="left"):
            axes.set_title(text, loc="left", fontsize="medium")
        elif (legend := axes.get_legend()) is not None and _heading(axes):
            legend.get_title().set_text(text)
            legend.get_title().set_visible(bool(text))
    return texts


def _heading(axes: "Axes") -> str:
    """Return the note over the legend of these axes, or ""."""
    legend = axes.get_legend()
    title = None if legend is None else legend.get_title()
    return title.get_text() if title is not None and title.get_label() == HEADING else ""


def align_legends(figure: "Figure", panels: Sequence["Axes"]) -> None:
    """Let the legends above panels side by side begin at one height."""
    legends = [axes.get_legend() for axes in panels]
    above = [legend for legend in legends if legend is not None and legend.get_label()]
    if len(above) < 2:  # noqa: PLR2004
        return
    figure.draw_without_rendering()
    highest = max(legend.get_window_extent().height for legend in above)
    for legend in above:
        box, axes = legend.get_window_extent(), legend.axes
        share = (highest - box.height) / axes.bbox.height
        legend.set_bbox_to_anchor((0.0, 1.01 + share), transform=axes.transAxes)
