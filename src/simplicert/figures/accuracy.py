"""Draw certified accuracy against the radius, for every technique or for several runs.

`certified_accuracy` draws all techniques of one run, and `accuracy_of_runs` compares several runs.
`draw_run_lines` and `draw_paired_lines` draw step lines with one colour and marker for each run;
other figures use them too.
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from simplicert.figures.style import (
    CROWD_LINES,
    GREY,
    MARKERS,
    LineStyle,
    draw_legend,
    line_keywords,
    mechanism_style,
    radius_label,
    run_colours,
    settings_note,
    style_axes,
)
from simplicert.metrics import averages
from simplicert.metrics.study import columns_to_show, compares_mechanisms
from simplicert.noises import NOISES
from simplicert.types import Certificates, Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes


BEYOND = 0.02  # share of the largest radius by which a line goes on at 0

RARE = 0.01  # share of inputs that need not be shown where they take much of the width

MOST_EMPTY = 0.7  # share of the width within which nearly all must end, else it is shortened

LOW = 0.5  # curves that are nowhere above are drawn in less height

APART = 0.12  # share of the axes' diagonal between two markers of a line

OURS, PAPERS = "two_sided", "ensemble"  # the tight radius, and what the paper offers

# Of the columns of a figure of several runs, in their order: solid, dashed as the ensemble is
# everywhere, dotted, and both.
DASHES: tuple[LineStyle, ...] = ("solid", (0, (4, 2)), (0, (1, 1)), (0, (6, 1.5, 1, 1.5)))

# Of the runs that do not stand out: there, and in nobody's way.
CROWD: dict[str, Any] = {
    "color": "#b8b8b8",
    "linewidth": 0.7,
    "zorder": 1.5,
    "gid": CROWD_LINES,
}

BOLD: dict[str, Any] = {"linewidth": 1.8, "zorder": 3}  # of a run before a crowd

Item = TypeVar("Item")


def certified_accuracy(
    certificates: Certificates,
    axes: "Axes",
    *,
    reach: float | None = None,
    population: str = "all",
) -> "Axes":
    """Draw certified accuracy by every technique of one kind; paper figs. (Imagenet), (Cifar) a.

    Each line is exact: it steps down at every certified radius, and holds in between. `reach` is
    the largest radius shown, where several panels are to have the same. Over the population
    "correct" the shares are of the inputs certified as their label.

    >>> from matplotlib.figure import Figure
    >>> import simplicert as sc
    >>> counts = [[990, 8, 2], [900, 80, 20], [40, 35, 25]]
    >>> certificates = sc.certify(sc.bound(sc.Tally(counts, sigma=0.5, labels=[0, 1, 0])))
    >>> axes = sc.figures.certified_accuracy(certificates, Figure().subplots())
    >>> [line.get_label() for line in axes.lines]
    ['Cohen', 'Li', 'Lecuyer', 'improved DP', 'two-sided', 'ensemble']
    """
    columns = columns_to_show(certificates)
    for place, name in enumerate(columns):
        every = _marker_positions(place, len(columns))
        axes.step(
            *accuracy_steps(certificates, name, population),
            where=step_side(certificates),
            markevery=every,
            **line_keywords(name, certificates.known),
        )
    style_axes(axes, radius_label(certificates), "certified accuracy")
    axes.set(xlim=(0, reach), ylim=(0, 1))
    draw_legend(axes, settings_note([certificates], population=population))
    return axes


def accuracy_of_runs(
    several: Mapping[str, Certificates],
    axes: "Axes",
    *,
    columns: Sequence[str] = (OURS, PAPERS),
    population: str = "all",
    inputs: str = "",
    bold: Collection[str] | None = None,
) -> "Axes":
    """Draw the tight radius (solid) and the paper's ensemble (dashed); paper fig. (Imagenet) b.

    Each run, usually one sigma, has its own colour; the keys name them. `columns` chooses other
    radii, up to four; ("improved_dp", "ensemble") is the paper's own figure. `inputs` says which
    inputs the runs cover, where they differ. With `bold` all runs but these are faint.

    >>> from matplotlib.figure import Figure
    >>> import simplicert as sc
    >>> little, much = (sc.certify(sc.bound(sc.Tally([[99, 1]], s, labels=[0]))) for s in (0.5, 1))
    >>> axes = sc.figures.accuracy_of_runs({"little": little, "much": much}, Figure().subplots())
    >>> axes.get_xlabel(), axes.get_ylabel()
    ('certified radius', 'certified accuracy')
    """
    drawn = list(several.values())
    steps = partial(accuracy_steps, population=population)
    draw_paired_lines(axes, several, steps, step_side(drawn[0]), columns, bold)
    style_axes(axes, radius_label(drawn[0]), "certified accuracy")
    curves = [_column_steps(steps, name, item) for item in drawn for name in columns]
    reach, height = _choose_frame(curves)
    axes.set(xlim=(0, reach), ylim=(0, height))
    note = settings_note(drawn, sigma=False, population=population, inputs=inputs)
    beyond = "" if reach is None else f"\nbeyond {reach:g}: less than {100 * RARE:g} % of inputs"
    draw_legend(axes, note + beyond)
    return axes


def _choose_frame(lines: Sequence[tuple[Floats, Floats]]) -> tuple[float | None, float]:
    """Return the largest radius and share to show: all radii (None), unless few inputs reach far.

    Low curves with long tails would be a smudge in the corner of the whole range.
    """
    highest = max(float(values[0]) for _, values in lines)
    common = max(float(np.min(at[values < RARE], initial=at[-1])) for at, values in lines)
    whole = max(float(at[-1]) for at, _ in lines)
    reach = None if common > MOST_EMPTY * whole else _round_up(common, 1)
    return (reach if common else None), 1.0 if highest > LOW else _round_up(highest + 0.02, 1)


def _round_up(value: float, digits: int) -> float:
    """Round up to so many decimals."""
    return float(math.ceil(value * 10**digits) / 10**digits)


def accuracy_steps(
    certificates: Certificates, column: str, population: str = "all"
) -> tuple[Floats, Floats]:
    """Return the radii at which certified accuracy drops, 0 first, and its value from each on.

    Where radii cover changes of exactly their size, the value is that up to each radius, and the
    last one lies beyond the largest, where nothing is certified.
    """
    values = certificates.column(column)
    at = np.unique(np.concatenate([[0.0], values]))
    if certificates.closed:
        beyond = 1.0 if NOISES[certificates.known.noise.name].whole else BEYOND * at[-1]
        at = np.append(at, at[-1] + beyond)
    return at, averages.accuracy_curve(certificates, at, column, population=population).value


def step_side(certificates: Certificates) -> Literal["pre", "post"]:
    """Return on which side of its points a line of certified accuracy holds their values."""
    return "pre" if certificates.closed else "post"


def draw_run_lines(  # noqa: PLR0917
    axes: "Axes",
    several: Mapping[str, Item],
    steps: Callable[[Item], tuple[Floats, Floats]],
    dash: LineStyle = DASHES[0],
    names: Collection[str] | None = None,
    where: Literal["pre", "post"] = "post",
    bold: Collection[str] | None = None,
) -> None:
    """Draw one step line per run in one dash; only solid lines have markers and names.

    With `names` only those runs are drawn, in the colours that they have among all. `where` is the
    side of the points on which the lines hold their values. With `bold` the other runs are a faint
    crowd, one entry of the legend for all of them.
    """
    marked = dash == DASHES[0]
    if bold is not None:
        crowd = [name for name in several if name not in bold]
        for place, name in enumerate(crowd if marked else ()):
            words = "1 other run" if len(crowd) == 1 else f"{len(crowd)} other runs"
            axes.step(*steps(several[name]), where=where, label="" if place else words, **CROWD)
        several = {name: item for name, item in several.items() if name in bold}
    for place, (name, colour) in enumerate(zip(several, run_colours(len(several)), strict=True)):
        if names is not None and name not in names:
            continue
        axes.step(
            *steps(several[name]),
            where=where,
            color=colour,
            linestyle=dash,
            marker=MARKERS[place % len(MARKERS)] if marked else "",
            markevery=_marker_positions(place, len(several)),
            label=name if marked else "",
            **({} if bold is None else BOLD),
        )


def draw_paired_lines(
    axes: "Axes",
    several: Mapping[str, Certificates],
    steps: Callable[[Certificates, str], tuple[Floats, Floats]],
    where: Literal["pre", "post"] = "post",
    columns: Sequence[str] = (OURS, PAPERS),
    bold: Collection[str] | None = None,
) -> None:
    """Draw the first column solid and the others dashed; name the dashes once, in grey.

    Where a run is no evidence about mechanisms its one radius is drawn solid. With `bold` the other
    runs are faint, by their first column alone.
    """
    both = {name for name, item in several.items() if compares_mechanisms(item)}
    both = both if bold is None else both & set(bold)
    dashes = dict(zip(columns, DASHES, strict=False))
    for column, dash in dashes.items() if both else ():  # first, to share a column of the legend
        axes.plot([], [], color=GREY, linestyle=dash, label=mechanism_style(column).name)
    for place, (column, dash) in enumerate(dashes.items()):
        names = both if place else set(several)
        own = partial(_column_steps, steps, column)
        draw_run_lines(axes, several, own, dash, names, where, bold)


def _column_steps(
    steps: Callable[[Certificates, str], tuple[Floats, Floats]], column: str, item: Certificates
) -> tuple[Floats, Floats]:
    """Return the line of one column, as a function of the run alone."""
    return steps(item, column if column in item.columns else columns_to_show(item)[0])


def _marker_positions(place: int, lines: int) -> tuple[float, float]:
    """Return where a line has its markers, so that those of several lines do not pile up."""
    return APART * (place + 0.5) / lines, APART
