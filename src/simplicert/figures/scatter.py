"""Draw where on the simplex the inputs of a run lie."""

from typing import TYPE_CHECKING

from simplicert.errors import require
from simplicert.figures.frame import draw_curves, draw_frame
from simplicert.figures.regions import region_lines
from simplicert.figures.style import GREY, draw_legend, mechanism_style, settings_note
from simplicert.mechanisms.threats import threat_of
from simplicert.metrics.intervals import population_mask
from simplicert.simplex.overview import trace_borders
from simplicert.types import Certificates

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def scatter_on_simplex(
    certificates: Certificates, axes: "Axes", *, population: str = "all"
) -> "Axes":
    """Draw (E_0, E_1) of each certified input over the regions; paper figs. (Scatters).

    A point's mark is the member of its threat's ensemble with the largest radius there. An input
    that was abstained on has no bounds and no place: the legend counts these inputs.

    >>> from matplotlib.figure import Figure
    >>> import simplicert as sc
    >>> counts = [[990, 8, 2], [900, 80, 20], [40, 35, 25]]
    >>> certificates = sc.certify(sc.bound(sc.Tally(counts, sigma=0.5, labels=[0, 1, 0])))
    >>> axes = sc.figures.scatter_on_simplex(certificates, Figure().subplots())
    >>> [text.get_text() for text in axes.get_legend().get_texts()]
    ['Cohen: 2', 'abstained: 1']
    """
    known = certificates.known
    mask = population_mask(certificates, population)
    placed = mask & (known.e0 > known.e1) & ~certificates.abstained
    require(
        bool(placed.any()),
        f"scatter needs an input with bounds E_0 > E_1, and none of {mask.sum()} has them",
    )
    kind, threat = known.kind, threat_of(known.noise, known.norm)
    members = threat.ensembles.get(kind, ())
    nowhere = placed & (certificates.winner == "")
    if threat.noise == "gaussian":  # l1 and linf radii are multiples of those in l2
        region_lines(axes, kind)
    elif len(members) > 1:
        for curves in trace_borders(members, kind, threat).values():
            draw_curves(axes, curves, linewidth=1.2)
    for name in members:
        here, look = placed & (certificates.winner == name), mechanism_style(name, threat)
        if here.any():
            axes.scatter(
                known.e0[here],
                known.e1[here],
                s=9,
                marker=look.marker,
                facecolor=look.colour,
                linewidths=0,
                alpha=0.6,
                label=f"{look.name}: {here.sum():,}",
                rasterized=True,  # as vectors, ten thousand points open slowly
                zorder=3,
            )
    if nowhere.any():  # whole numbers: the class is certified, and no change of it
        axes.scatter(
            known.e0[nowhere],
            known.e1[nowhere],
            s=9,
            marker="x",
            color=GREY,
            linewidths=0.7,
            label=f"radius 0: {nowhere.sum():,}",
            zorder=3,
        )
    if (left := int((mask & ~placed).sum())) > 0:
        axes.scatter([], [], s=0, label=f"abstained: {left:,}")
    draw_frame(axes)
    note = settings_note([certificates], population=population)
    draw_legend(axes, f"{note}\nlargest radius:", columns=2, handle=1.0, lines=False)
    return axes
