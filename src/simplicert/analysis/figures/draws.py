"""What more draws bring, and what they cost."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from simplicert.analysis.figures.style import GREY, dress, legend, line_of
from simplicert.analysis.figures.words import note, radius_words
from simplicert.analysis.metrics import share_above
from simplicert.types import Certificates

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from simplicert.analysis.growth import Cost

BEYOND = 0.05  # in units of the input: the paper counts an input as certified beyond it
ACROSS = "draws of an input, $n$"


def certified_proportion(growth: Mapping[int, Certificates], axes: "Axes") -> "Axes":
    """Share of all inputs with a radius > 0.05 against n; paper fig. (IMAGENET_Proportion)."""
    drawn = list(growth.values())
    for name in drawn[-1].columns:
        shares = [share_above(certificates, BEYOND, name).value for certificates in drawn]
        axes.plot(list(growth), shares, clip_on=False, **line_of(name))
    dress(axes, ACROSS, f"proportion with {radius_words(drawn[0], 'radius')} > {BEYOND:g}")
    axes.set(xscale="log", ylim=(0, 1))
    legend(axes, note(drawn, draws=False))
    return axes


def time_per_input(cost: "Cost", axes: "Axes") -> "Axes":
    """Seconds for one input against n: drawing, bounds, each mechanism; paper (IMAGENET_Time)."""
    axes.plot(cost.draws, cost.drawing, color=GREY, linewidth=2.5, label="drawing")
    axes.plot(cost.draws, cost.bounds, color=GREY, linestyle="dotted", label="bounds")
    for name, seconds in cost.mechanisms.items():
        axes.plot(cost.draws, seconds, **line_of(name))
    dress(axes, ACROSS, "seconds an input")
    axes.set(xscale="log", yscale="log")
    legend(axes, f"multinomial\naverage over {cost.inputs:,} inputs")
    return axes
