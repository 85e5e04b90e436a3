"""Lines of several runs: one colour and marker each."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from simplicert.analysis.figures.style import GREY, MARKERS, look_of, run_colours
from simplicert.types import Certificates, Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

APART = 0.12  # of the axes' diagonal between two markers of a line
OURS, PAPERS = "two_sided", "ensemble"  # the tight radius, and what the paper offers

Item = TypeVar("Item")


def markers(place: int, lines: int) -> tuple[float, float]:
    """Where a line has its markers, so that those of several lines do not pile up."""
    return APART * (place + 0.5) / lines, APART


def a_line_for_each(
    axes: "Axes",
    several: Mapping[str, Item],
    steps: Callable[[Item], tuple[Floats, Floats]],
    column: str = OURS,
) -> None:
    """One step line a run, in the dash of a column; only the solid ones carry markers and names."""
    marked = column == OURS
    for place, (name, colour) in enumerate(zip(several, run_colours(len(several)), strict=True)):
        axes.step(
            *steps(several[name]),
            where="post",
            color=colour,
            linestyle=look_of(column).line,
            marker=MARKERS[place % len(MARKERS)] if marked else "",
            markevery=markers(place, len(several)),
            label=name if marked else "",
        )


def a_pair_for_each(
    axes: "Axes",
    several: Mapping[str, Certificates],
    steps: Callable[[Certificates, str], tuple[Floats, Floats]],
) -> None:
    """The tight radius solid, the paper's ensemble dashed, and both dashes named once, in grey."""
    for column in (OURS, PAPERS):  # first, so that they share a column of the legend
        look = look_of(column)
        axes.plot([], [], color=GREY, linestyle=look.line, label=look.name)
    for column in (OURS, PAPERS):
        a_line_for_each(axes, several, partial(of_column, steps, column), column)


def of_column(
    steps: Callable[[Certificates, str], tuple[Floats, Floats]], column: str, item: Certificates
) -> tuple[Floats, Floats]:
    """The line of one column, as a function of the run alone."""
    return steps(item, column)
