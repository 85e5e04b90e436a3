"""Who is largest where on the simplex: region lines, maps of the winner, the paper's ratios."""

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from simplicert.analysis.curves import Curve, parts
from simplicert.analysis.figures.frame import draw_curves, pointed_at
from simplicert.analysis.figures.maps import ratio_colours
from simplicert.analysis.figures.style import look_of
from simplicert.analysis.figures.winners import region_map
from simplicert.analysis.regions import borders
from simplicert.mechanisms import PAPER_ENSEMBLE
from simplicert.types import Kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LOWEST = 1e-3  # below it a line is not told from the axis; Li's goes on there as far as (1, 0)

BAR = (
    r"$L_{\mathrm{improved\ DP}}$ /"
    "\n"
    r"$\max(L_{\mathrm{Cohen}}, L_{\mathrm{Li}}, L_{\mathrm{Lecuyer}})$"
)

# The region lines: whose they are, which borders make them, the E_0 that the name's leader points
# to, and where the name stands, right of the triangle.
LINES = (
    ("li", (("li", "improved_dp"),), 0.80, (0.93, 0.26)),
    ("cohen", (("cohen", "improved_dp"), ("cohen", "li")), 0.68, (0.83, 0.42)),
)


def ratio_softmax(axes: "Axes") -> "Axes":
    """L_ImprovedDP / L_Lecuyer; paper fig. (Theoretical_comparison_results), left.

    It is above 1 everywhere, so there is no region line, and grows without end towards E_0 = E_1.
    """
    ratio_colours(
        "improved_dp",
        "lecuyer",
        "softmax",
        axes,
        label=r"$L_{\mathrm{improved\ DP}}\,/\,L_{\mathrm{Lecuyer}}$",
        limits=(1.4, 6.0),
        contours=(2.0, 3.0, 4.0, 5.0),
    )
    pointed_at(axes, "above 5", (0.495, 0.485), (0.68, 0.45))
    return axes


def ratio_multinomial(axes: "Axes") -> "Axes":
    """L_ImprovedDP over the largest of Cohen's, Li's and Lecuyer's; the same figure, right.

    Right of the line where Cohen overtakes, or Li, the ratio is below 1.
    """
    ratio_colours(
        "improved_dp",
        ("cohen", "li", "lecuyer"),
        "multinomial",
        axes,
        label=BAR,
        limits=(0.5, 2.0),
        contours=(1.1, 1.2, 1.5),
    )
    pointed_at(axes, "above 2", (0.11, 0.0005), (0.11, 0.25))
    return region_lines(axes, "multinomial")


def winner_map(kind: Kind, axes: "Axes") -> "Axes":
    """Which mechanism of the paper's ensemble is largest where: its regions H_i (cor:ensemble)."""
    return region_map(PAPER_ENSEMBLE[kind], kind, axes)


def region_lines(axes: "Axes", kind: Kind = "multinomial") -> "Axes":
    """The exact lines where Cohen overtakes the paper's ensemble and where Li does, with names.

    Right of a line its mechanism is the largest; paper figs. (Theoretical_comparison_results) and
    (Scatters). For softmax there is none: improved DP is larger than Lecuyer everywhere.
    """
    found = paper_borders(kind)
    for name, pairs, e0, beside in LINES:
        curves = [
            part
            for pair in pairs
            for curve in found.get(pair, ())
            for part in parts(curve, curve.e1 > LOWEST)
        ]
        if curves:
            look, named = look_of(name), curves[0]
            draw_curves(axes, curves, color=look.colour)
            at = np.abs(named.e0 - e0).argmin()
            pointed_at(axes, f"{look.name} largest", (named.e0[at], named.e1[at]), beside)
    return axes


@cache
def paper_borders(kind: Kind) -> dict[tuple[str, str], list[Curve]]:
    """Computed once: a page of figures draws them many times."""
    return borders(PAPER_ENSEMBLE[kind], kind)
