"""Draw which mechanism has the largest radius where on the simplex.

`region_map` and `winner_map` fill each mechanism's region with its colour; `region_lines` draws
the exact lines between them. `ratio_softmax` and `ratio_multinomial` are the paper's maps of
improved DP against the other mechanisms.
"""

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from simplicert import simplex
from simplicert.figures.frame import CORNERS, annotate_place, draw_curves, draw_frame
from simplicert.figures.maps import ratio_colours, set_headline
from simplicert.figures.style import GREY, INK, PAPER, mechanism_style
from simplicert.mechanisms import PAPER_ENSEMBLE
from simplicert.mechanisms.threats import Threat
from simplicert.simplex import GAUSSIAN, TIE
from simplicert.simplex.overview import trace_borders
from simplicert.simplex.regions import BoundaryCurve, split_curve, trace_region_borders
from simplicert.types import Bools, Floats, Ints, Kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes


Colour = tuple[float, float, float]

STEPS = 300  # of the grid that the shares of the area come from

HIGH = 400  # pixels, twice as many across; the lines over them hide their steps

INSIDE = 1e-6  # away from the side E_0 = E_1, where every radius is 0

WITHIN = 1e-3  # away from both slanted sides, where radii meet that are apart elsewhere

TIED, HATCHES = "#f2f2f2", ("////", "....", "----", "xxxx")  # a tie is nobody's colour: hatched

SPARE = ("#F0E442", "#E69F00", "#56B4E9")  # Okabe and Ito's, for the caller's own mechanisms

PALE, PALER = 0.35, 0.7  # share of white in a region, to read ink on it; in the largest one

LETTER, LINE = 5.5, 11.0  # points that a letter is wide and a line high

RIGHT = 0.6  # E_0 from which a leader reaches beside the triangle without crossing it

LOWEST = 1e-3  # below it a line looks like the axis; Li's goes on there as far as (1, 0)

# The ratios of both kinds have one scale of colours, so that a colour is one ratio in both.
RATIOS = (0.5, 6.0)

# The region lines: whose they are, which borders make them, the E_0 that the name's leader points
# to (None: the name stands inside its region), and where the name stands.
LINES: tuple[tuple[str, tuple[tuple[str, str], ...], float | None, tuple[float, float]], ...] = (
    ("li", (("li", "improved_dp"),), None, (0.72, 0.042)),
    ("cohen", (("cohen", "improved_dp"), ("cohen", "li")), 0.68, (0.83, 0.42)),
)


def winner_map(kind: Kind, axes: "Axes", threat: Threat | None = None) -> "Axes":
    """Draw where each mechanism of the paper's ensemble is largest: its H_i of (cor:ensemble).

    Another threat has an ensemble of its own; where that is a single radius, all that are proved.

    >>> from matplotlib.figure import Figure
    >>> import simplicert as sc
    >>> axes = sc.figures.winner_map("softmax", Figure().subplots())
    >>> [text.get_text() for text in axes.get_legend().get_texts()]
    ['Lecuyer 0.0 %', 'improved DP 100.0 %']
    """
    threat = GAUSSIAN if threat is None else threat
    return region_map(simplex.usual_mechanisms(threat, kind), kind, axes, threat)


def region_map(
    mechanisms: simplex.SeveralMechanisms, kind: Kind, axes: "Axes", threat: Threat = GAUSSIAN
) -> "Axes":
    """Draw the region of each mechanism, with its name and its share of the area.

    These are the regions H_i of paper Corollary (cor:ensemble); the lines between them are exact.
    White is where no radius is larger than 0, hatched where several are the largest together.
    """
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch, Polygon

    shares = simplex.winning_shares(mechanisms, simplex.make_grid(STEPS, kind), threat)
    colours = region_colours(shares, threat)
    best = _winner_pixels(mechanisms, kind, list(shares), threat)
    image = axes.imshow(
        np.ma.masked_less(best, 0),
        cmap=ListedColormap(colours),
        vmin=-0.5,
        vmax=len(colours) - 0.5,
        extent=(0, 1, 0, 0.5),
        origin="lower",
        interpolation="nearest",
    )
    image.set_clip_path(Polygon(CORNERS, transform=axes.transData))
    for curves in trace_borders(mechanisms, kind, threat).values():
        draw_curves(axes, curves, linewidth=1.2)
    draw_frame(axes)
    names = [_region_name(name, threat) for name in shares]
    spoken = [f"{name} is the largest everywhere" for name in names]
    alone = [share == 1 for share in shares.values()]
    hatches = _hatch_ties(axes, best, list(shares))
    _name_regions(axes, best, spoken if any(alone) else names)
    labels = [f"{name} {100 * x:.1f} %" for name, x in zip(names, shares.values(), strict=True)]
    beside: dict[str, Any] = {} if threat.of_paper else {"bbox_to_anchor": (1.02, 1.0)}
    if not threat.of_paper:
        set_headline(axes, f"largest radius, {kind}", threat)
    axes.legend(
        handles=[
            Patch(fc=fc, label=text, hatch=hatch, ec=GREY if hatch else None)
            for fc, text, hatch in zip(colours, labels, hatches, strict=True)
        ],
        title="share of area",
        title_fontsize="small",
        loc="upper left",
        handlelength=1.0,
        alignment="left",
        borderaxespad=0.0,
        **beside,
    )
    return axes


def _hatch_ties(axes: "Axes", best: Ints, names: list[str]) -> list[str | None]:
    """Hatch the regions where several are the largest; return the hatching of each name."""
    from matplotlib.patches import Polygon

    ties = iter(HATCHES)
    hatches = [next(ties, HATCHES[-1]) if TIE in name else None for name in names]
    middles = _pixel_middle(np.arange(2 * HIGH)), _pixel_middle(np.arange(HIGH))
    for place, hatch in enumerate(hatches):
        if hatch:
            area = axes.contourf(
                *middles, best == place, levels=[0.5, 1.5], colors="none", hatches=[hatch]
            )
            area.set(edgecolor=GREY, linewidth=0.0)
            area.set_clip_path(Polygon(CORNERS, transform=axes.transData))
    return hatches


def region_lines(axes: "Axes", kind: Kind = "multinomial") -> "Axes":
    """Draw and name the exact lines where Cohen and Li overtake the rest of the paper's ensemble.

    Right of a line its mechanism is the largest; paper figs. (Theoretical_comparison_results) and
    (Scatters). For softmax there is none: improved DP is larger than Lecuyer everywhere.

    >>> from matplotlib.figure import Figure
    >>> import simplicert as sc
    >>> axes = sc.figures.region_lines(Figure().subplots())
    >>> [text.get_text() for text in axes.texts]
    ['Li largest', 'Cohen largest']
    """
    from matplotlib.patheffects import withStroke

    borders = paper_borders(kind)
    for name, pairs, e0, beside in LINES:
        curves = [
            part
            for pair in pairs
            for curve in borders.get(pair, ())
            for part in split_curve(curve, curve.e1 > LOWEST)
        ]
        if curves:
            look, named = mechanism_style(name), curves[0]
            draw_curves(axes, curves, color=look.colour)
            text = f"{look.name} largest"
            if e0 is None:
                outlined = [withStroke(linewidth=2.0, foreground=PAPER)]
                style: dict[str, Any] = {"ha": "center", "va": "center", "color": INK, "zorder": 5}
                axes.text(*beside, text, fontsize="small", path_effects=outlined, **style)
                continue
            at = np.abs(named.e0 - e0).argmin()
            annotate_place(axes, text, (named.e0[at], named.e1[at]), beside, fontsize="small")
    return axes


def ratio_softmax(axes: "Axes", *, bar: bool = True) -> "Axes":
    """Draw L_ImprovedDP / L_Lecuyer; paper fig. (Theoretical_comparison_results), left.

    It is above 1 everywhere, so there is no region line, and grows without end towards E_0 = E_1.
    Without `bar` the panel beside it shows the scale of colours, which both share.

    >>> from matplotlib.figure import Figure
    >>> import simplicert as sc
    >>> axes = sc.figures.ratio_softmax(Figure().subplots())
    >>> [text.get_text() for text in axes.texts if text.get_text().startswith("above")]
    ['above 5']
    """
    ratio_colours(
        "improved_dp",
        "lecuyer",
        "softmax",
        axes,
        label="ratio of radii",
        limits=RATIOS,
        centre=1.0,
        contours=(2.0, 3.0, 4.0, 5.0),
        bar=bar,
    )
    set_headline(axes, "softmax: improved DP / Lecuyer")
    annotate_place(axes, "above 5", (0.495, 0.485), (0.70, 0.45), fontsize="small")
    return axes


def ratio_multinomial(axes: "Axes", *, bar: bool = True) -> "Axes":
    """Draw L_ImprovedDP over the largest of Cohen's, Li's and Lecuyer's; the same figure, right.

    Right of the line where Cohen or Li overtakes, the ratio is below 1.

    >>> from matplotlib.figure import Figure
    >>> import simplicert as sc
    >>> axes = sc.figures.ratio_multinomial(Figure().subplots())
    >>> [text.get_text() for text in axes.texts if text.get_text().endswith("largest")]
    ['Li largest', 'Cohen largest']
    """
    ratio_colours(
        "improved_dp",
        ("cohen", "li", "lecuyer"),
        "multinomial",
        axes,
        label="ratio of radii",
        limits=RATIOS,
        centre=1.0,
        contours=(1.1, 1.2, 1.5),
        bar=bar,
    )
    set_headline(axes, "multinomial: improved DP / largest of Cohen, Li, Lecuyer")
    annotate_place(axes, "above 2", (0.02, 0.0002), (0.1, 0.21), fontsize="small")
    return region_lines(axes, "multinomial")


@cache
def paper_borders(kind: Kind) -> dict[tuple[str, str], list[BoundaryCurve]]:
    """Trace the borders of the ensemble's regions once: a page of figures draws them often."""
    return trace_region_borders(PAPER_ENSEMBLE[kind], kind)


def _region_name(name: str, threat: Threat) -> str:
    """Return a region's name in words; a tie has several."""
    return TIE.join(mechanism_style(part, threat).name for part in name.split(TIE))


def region_colours(shares: dict[str, float], threat: Threat = GAUSSIAN) -> list[Colour]:
    """Return a pale colour for each: our mechanisms' own, and spare ones for the caller's.

    The largest region is the palest: blue and green of one lightness are one colour to some eyes.
    Ties are nearly white, under their hatching.
    """
    from matplotlib.colors import to_rgb

    spare, widest = iter(SPARE), max(shares, key=lambda name: shares[name])
    colours = []
    for name in shares:
        if TIE in name:
            colours.append(to_rgb(TIED))
            continue
        ours = name in threat.mechanisms
        full = mechanism_style(name, threat).colour if ours else next(spare, GREY)
        white = PALER if name == widest else PALE
        red, green, blue = ((1 - white) * part + white for part in to_rgb(full))
        colours.append((red, green, blue))
    return colours


def _winner_pixels(
    mechanisms: simplex.SeveralMechanisms, kind: Kind, names: list[str], threat: Threat
) -> Ints:
    """Return (HIGH, 2 HIGH) which name is largest at each pixel's middle; -1 outside or if none.

    A pixel cut by a slanted side takes the value of the nearest point inside: the frame clips it.
    """
    row, column = np.indices((HIGH, 2 * HIGH))
    e0, e1 = _pixel_middle(column), _pixel_middle(row)
    highest = np.minimum(e0 - INSIDE, 1 - e0)
    here = e1 < highest + 1 / HIGH
    if not threat.of_paper:
        most = np.minimum(e0, 1 - e0)
        highest = np.minimum(highest, np.maximum(most - WITHIN, most / 4))
    known = simplex.make_points(e0[here], np.minimum(e1, highest)[here], kind)
    winner = simplex.leading_mechanisms(mechanisms, known, threat)
    # On a side two may be equal that are nowhere else: the first of them is shown.
    first = simplex.winning_mechanism(mechanisms, known, threat)
    winner = np.where(np.isin(winner, names), winner, first)
    out = np.full(e0.shape, -1)
    out[here] = np.select([winner == name for name in names], range(len(names)), -1)
    return out


def _name_regions(axes: "Axes", best: Ints, names: list[str]) -> None:
    """Write each name in the widest place of its region that holds it, or beside the triangle.

    Names stand only to the right of it: the legend on the left names the others too.
    """
    pixel = 72 * axes.bbox.width / axes.figure.dpi / (2 * HIGH)  # in points
    beside = 0
    for place, text in enumerate(names):
        box = (round(LINE / pixel), round(LETTER * len(text) / pixel))
        if (middle := find_label_place(best == place, box)) is not None:
            under = {"fc": TIED, "ec": "none", "pad": 1.5} if TIE in text else None
            axes.text(*middle, text, ha="center", va="center", zorder=5, bbox=under)
        elif (middle := find_label_place(best == place, (1, 1))) is not None and middle[0] > RIGHT:
            across = min(middle[0] + 0.12, 0.93)
            up = min(1 - across + 0.16 + 0.07 * beside, 0.47)
            annotate_place(axes, text, middle, (across, up), zorder=5)
            beside += 1


def find_label_place(region: Bools, box: tuple[int, int]) -> tuple[float, float] | None:
    """Return where in a region a box of this size in pixels has the most room, or None."""
    from scipy.ndimage import distance_transform_edt, minimum_filter

    room = distance_transform_edt(np.pad(minimum_filter(region, box, mode="constant"), 1))
    if room.max() == 0:
        return None
    row, column = np.unravel_index(room[1:-1, 1:-1].argmax(), region.shape)
    return float(_pixel_middle(column)), float(_pixel_middle(row))


def _pixel_middle(pixel: Ints | np.intp) -> Floats:
    """Return the coordinate of a pixel's middle."""
    return np.asarray((pixel + 0.5) / (2 * HIGH))
