"""Lines of several runs: one colour and marker each."""

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from simplicert.analysis.evidence import compares_mechanisms
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
    names: Collection[str] | None = None,
) -> None:
    """One step line a run, in the dash of a column; only the solid ones carry markers and names.

    With `names` only those of them are drawn, in the colours that they have among all.
    """
    marked = column == OURS
    for place, (name, colour) in enumerate(zip(several, run_colours(len(several)), strict=True)):
        if names is not None and name not in names:
            continue
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
    """The tight radius solid, the paper's ensemble dashed, and both dashes named once, in grey.

    Where a run is no evidence about mechanisms its one radius is drawn solid.
    """
    both = {name for name, item in several.items() if compares_mechanisms(item)}
    for column in (OURS, PAPERS) if both else ():  # first: they share a column of the legend
        look = look_of(column)
        axes.plot([], [], color=GREY, linestyle=look.line, label=look.name)
    for column, names in ((OURS, set(several)), (PAPERS, both)):
        a_line_for_each(axes, several, partial(of_column, steps, column), column, names)


def of_column(
    steps: Callable[[Certificates, str], tuple[Floats, Floats]], column: str, item: Certificates
) -> tuple[Floats, Floats]:
    """The line of one column, as a function of the run alone."""
    return steps(item, column)
