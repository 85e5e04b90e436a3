"""How the inputs of a run are spread over p_A, and over p_A - p_B."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from simplicert.analysis.estimates import Shares
from simplicert.analysis.figures.lines import a_line_for_each
from simplicert.analysis.figures.style import GREY, dress, legend
from simplicert.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def distribution_of_pa(several: Mapping[str, Shares], axes: "Axes") -> "Axes":
    """Share of inputs with p_A > x against x, one line a run."""
    values = {name: shares.a for name, shares in several.items()}
    return cumulative(several, values, axes, "$p_A$", 0.0)


def distribution_of_margin(several: Mapping[str, Shares], axes: "Axes") -> "Axes":
    """Share of inputs with p_A - p_B > x against x; right of 0 class A is the most frequent."""
    values = {name: shares.a - shares.b for name, shares in several.items()}
    axes.axvline(0.0, color=GREY, linewidth=0.8)
    return cumulative(several, values, axes, "$p_A - p_B$", -1.0)


def cumulative(
    several: Mapping[str, Shares],
    values: Mapping[str, Floats],
    axes: "Axes",
    symbol: str,
    least: float,
) -> "Axes":
    """The share of each run's inputs above x, exact: a step at every value."""

    def steps(own: Floats) -> tuple[Floats, Floats]:
        at = np.unique(np.concatenate([[least], own]))
        return at, 1 - np.searchsorted(np.sort(own), at, side="right") / len(own)

    a_line_for_each(axes, values, steps)
    labelled = {shares.labelled for shares in several.values()}
    said = "A: the label" if labelled == {True} else "A: the most frequent class"
    sizes = {len(own) for own in values.values()}
    inputs = f", all {sizes.pop():,} inputs" if len(sizes) == 1 else ""
    dress(axes, f"{symbol}, estimated", f"proportion with {symbol} > x")
    axes.set(xlim=(least, 1), ylim=(0, 1))
    legend(axes, said + inputs)
    return axes
