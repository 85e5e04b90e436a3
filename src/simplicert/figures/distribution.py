"""Draw how the inputs are distributed: over p_A, over the margin, and over the improvement.

`share_improved` shows how many inputs gain more than x percent over Cohen (softmax: Lecuyer).
`distribution_of_pa` and `distribution_of_margin` show how the inputs of a run are spread over p_A
and over p_A - p_B.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from simplicert.errors import require
from simplicert.figures.accuracy import PAPERS, draw_paired_lines, draw_run_lines
from simplicert.figures.style import (
    GREY,
    draw_legend,
    inputs_note,
    line_keywords,
    settings_note,
    style_axes,
)
from simplicert.metrics.comparison import (
    base_column,
    improvement_curve,
    percent_gain,
    read_column_pair,
)
from simplicert.metrics.intervals import NoisyShares, population_mask
from simplicert.metrics.study import columns_to_show
from simplicert.types import Certificates, Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MOST = 100.0  # percent at which the axis ends


def share_improved(
    several: Mapping[str, Certificates],
    axes: "Axes",
    *,
    population: str = "all",
    inputs: str = "",
    bold: Collection[str] | None = None,
) -> "Axes":
    """Draw the share of inputs improved by more than x percent; paper (Differential_Performance).

    The improvement is over Cohen (softmax: over Lecuyer; under other noise over the first member of
    its ensemble), by the paper's ensemble (dashed) and by the tight radius (solid). Inputs that the
    base does not certify at all gain without limit: they are what is left at the right edge,
    however far the axis goes. With `bold` all runs but these are faint.

    >>> from matplotlib.figure import Figure
    >>> import simplicert as sc
    >>> counts = [[990, 8, 2], [900, 80, 20], [40, 35, 25]]
    >>> certificates = sc.certify(sc.bound(sc.Tally(counts, sigma=0.5, labels=[0, 1, 0])))
    >>> axes = sc.figures.share_improved({"mine": certificates}, Figure().subplots())
    >>> axes.get_xlabel()
    'minimum improvement over Cohen (%)'
    """
    drawn = list(several.values())
    bases = list(dict.fromkeys(base_column(item) for item in drawn))
    require(
        len(bases) == 1,
        f"runs must be compared with one radius, and these have {', '.join(bases)}",
    )
    base = bases[0]
    steps = partial(improvement_steps, base=base, population=population)
    draw_paired_lines(axes, several, steps, bold=bold)
    name = line_keywords(base, drawn[0].known)["label"]
    style_axes(
        axes,
        f"minimum improvement over {name} (%)",
        "proportion of inputs",
    )
    axes.set(xlim=(0, MOST), ylim=(0, 1))
    note = settings_note(drawn, sigma=False, population=population, inputs=inputs)
    shown = [item for name, item in several.items() if bold is None or name in bold]
    if limitless := count_limitless_gains(shown, base, population):
        note += f"\nright edge: {name} is 0 ({limitless} inputs)"
    draw_legend(axes, note)
    return axes


def count_limitless_gains(drawn: Sequence[Certificates], base: str, population: str) -> str:
    """Count the inputs of each run that the base does not certify and the ensemble does."""
    counts = []
    for item in drawn:
        column = PAPERS if PAPERS in item.columns else columns_to_show(item)[0]
        gained = (item.column(base) == 0) & (item.column(column) > 0)
        counts.append(int((gained & population_mask(item, population)).sum()))
    return ", ".join(f"{count:,}" for count in counts) if any(counts) else ""


def improvement_steps(
    certificates: Certificates, column: str, base: str, population: str = "all"
) -> tuple[Floats, Floats]:
    """Return the percentages at which the proportion drops, 0 first, and its value from each on."""
    gains = percent_gain(*read_column_pair(certificates, column, base))
    at = np.unique(np.concatenate([[0.0, MOST], gains[(gains > 0) & (gains < MOST)]]))
    return at, improvement_curve(certificates, at, column, base, population=population).value


def distribution_of_pa(
    several: Mapping[str, NoisyShares],
    axes: "Axes",
    *,
    population: str = "all",
    inputs: str = "",
    bold: Collection[str] | None = None,
) -> "Axes":
    """Draw the share of inputs with p_A > x against x, one line per run.

    `population` and `inputs` are what the legend says that the inputs are. With `bold` all runs but
    these are faint.

    >>> from matplotlib.figure import Figure
    >>> import simplicert as sc
    >>> shares = sc.metrics.shares_under_noise(sc.Tally([[990, 8, 2], [40, 35, 25]], sigma=0.5))
    >>> axes = sc.figures.distribution_of_pa({"mine": shares}, Figure().subplots())
    >>> axes.lines[0].get_xdata(), axes.lines[0].get_ydata()
    (array([0.  , 0.4 , 0.99]), array([1. , 0.5, 0. ]))
    """
    values = {name: shares.a for name, shares in several.items()}
    over = inputs or inputs_note(population, [len(own) for own in values.values()])
    return _draw_cumulative(several, values, axes, "$p_A$", 0.0, population, over, bold)


def distribution_of_margin(
    several: Mapping[str, NoisyShares],
    axes: "Axes",
    *,
    population: str = "all",
    inputs: str = "",
    bold: Collection[str] | None = None,
) -> "Axes":
    """Draw the share of inputs with p_A - p_B > x; right of 0 class A is the most frequent.

    >>> from matplotlib.figure import Figure
    >>> import simplicert as sc
    >>> shares = sc.metrics.shares_under_noise(sc.Tally([[990, 8, 2], [40, 35, 25]], sigma=0.5))
    >>> axes = sc.figures.distribution_of_margin({"mine": shares}, Figure().subplots())
    >>> axes.lines[-1].get_xdata(), axes.lines[-1].get_ydata()
    (array([-1.   ,  0.05 ,  0.982]), array([1. , 0.5, 0. ]))
    """
    values = {name: shares.a - shares.b for name, shares in several.items()}
    axes.axvline(0.0, color=GREY, linewidth=0.8)
    over = inputs or inputs_note(population, [len(own) for own in values.values()])
    return _draw_cumulative(several, values, axes, "$p_A - p_B$", -1.0, population, over, bold)


def _draw_cumulative(  # noqa: PLR0917
    several: Mapping[str, NoisyShares],
    values: Mapping[str, Floats],
    axes: "Axes",
    symbol: str,
    least: float,
    population: str,
    over: str,
    bold: Collection[str] | None,
) -> "Axes":
    """Draw the share of each run's inputs above x, exactly: with a step at every value."""

    def steps(own: Floats) -> tuple[Floats, Floats]:
        at = np.unique(np.concatenate([[least], own]))
        return at, 1 - np.searchsorted(np.sort(own), at, side="right") / len(own)

    draw_run_lines(axes, values, steps, bold=bold)
    labelled = {shares.labelled for shares in several.values()}
    meaning = "A: the label" if labelled == {True} else "A: the most frequent class"
    between = ", " if population == "all" else "\n"
    style_axes(axes, f"{symbol}, estimated", f"proportion with {symbol} > x")
    axes.set(xlim=(least, 1), ylim=(0, 1))
    draw_legend(axes, meaning + (between + over if over else ""))
    return axes
