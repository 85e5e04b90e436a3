"""Draw a map over the simplex: a value at each point, shown as a colour.

`simplex_map` draws any values; `difference_map` and `ratio_map` compare the radii of two sides,
and `cohen_minus_li` is the figure of the paper. `colour_limits` and `bulk_limits` choose which
values the colours tell apart; the bar beside a map is in `bars`.
"""

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from simplicert import simplex
from simplicert.errors import require
from simplicert.figures.bars import (
    DECADES,
    diverging_colours,
    draw_bar,
    format_level,
    round_ratios,
)
from simplicert.figures.frame import annotate_place, draw_curves, draw_frame
from simplicert.figures.style import INK, PAPER, SEQUENTIAL, mechanism_style
from simplicert.mechanisms.naming import describe_threat, describe_unit
from simplicert.mechanisms.threats import Threat
from simplicert.simplex import GAUSSIAN
from simplicert.simplex.overview import trace_comparison
from simplicert.types import Bools, Expectations, Floats, Kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.tri import Triangulation


STEPS = 200  # cells along a side: three pixels each at the usual size

BULK = (0.5, 99.5)  # per cent of the area whose values the colours tell apart

FLAT = 1e-9  # values that differ by less are the same

WIDEST = 70  # letters in a line of the headline

FRAME, APART = 0.03, 0.05  # room that a contour's label needs to sides and other labels


def cohen_minus_li(axes: "Axes") -> "Axes":
    """Draw L_Cohen - L_Li at sigma = 1 and in l2 over the simplex; paper fig. (Cohen_vs_Li).

    It falls to -sqrt(2 log 2), about -1.18, at (1/2, 0), and at (1, 0) it has no limit. Only in the
    strip along E_0 + E_1 = 1 is Cohen larger.

    >>> from matplotlib.figure import Figure
    >>> import simplicert as sc
    >>> axes = sc.figures.cohen_minus_li(Figure().subplots())
    >>> [text.get_text() for text in axes.texts if "larger" in text.get_text()]
    ['Li larger', 'Cohen larger']
    """
    difference_map(
        "cohen",
        "li",
        "multinomial",
        axes,
        label=r"$L_{\mathrm{Cohen}} - L_{\mathrm{Li}}$  ($\sigma = 1$)",
        limits=(-1.2, 0.4),
        contours=(-0.8, -0.6, -0.4, -0.2, 0.1),
    )
    annotate_place(axes, "Li larger", (0.38, 0.33), (0.17, 0.40))
    annotate_place(axes, "Cohen larger", (0.735, 0.24), (0.83, 0.40))
    return axes


def difference_map(
    left: simplex.Side,
    right: simplex.Side,
    kind: Kind,
    axes: "Axes",
    threat: Threat = GAUSSIAN,
    **shown: Any,
) -> "Axes":
    """Draw the radius of `left` minus `right`'s at scale 1; a heavy line where they are equal.

    `shown`: label, limits or contours of `simplex_map`, where the usual ones do not suit.
    """
    known = simplex.make_grid(STEPS, kind)
    values = simplex.radius_difference(left, right, known, threat)
    low, high = bulk_limits(values, 0.0)
    if "label" not in shown:
        set_headline(axes, _compare_sides(left, "$-$", right, threat), threat)
    usual = {
        "label": r"difference of radii ($\sigma = 1$)"
        if threat.of_paper
        else f"difference of radii ({describe_unit(threat)})",
        "limits": (low, high),
        "centre": 0.0 if low < -FLAT and high > FLAT else None,
    }
    simplex_map(known, values, axes, **{**usual, **shown})
    draw_curves(axes, trace_comparison(left, right, kind, threat))
    return axes


def ratio_map(
    left: simplex.Side,
    right: simplex.Side,
    kind: Kind,
    axes: "Axes",
    threat: Threat = GAUSSIAN,
    **shown: Any,
) -> "Axes":
    """Draw the radius of `left` over `right`'s, at any scale; a heavy line where they are equal."""
    ratio_colours(left, right, kind, axes, threat, **shown)
    draw_curves(axes, trace_comparison(left, right, kind, threat))
    return axes


def ratio_colours(
    left: simplex.Side,
    right: simplex.Side,
    kind: Kind,
    axes: "Axes",
    threat: Threat = GAUSSIAN,
    **shown: Any,
) -> "Axes":
    """Draw the ratio of two radii without that line, for figures about other lines.

    Twice and half stand equally far from 1. `shown` as for `difference_map`.
    """
    known = simplex.make_grid(STEPS, kind)
    values = simplex.radius_ratio(left, right, known, threat)
    low, high = bulk_limits(values, 1.0)
    if "label" not in shown:
        set_headline(axes, _compare_sides(left, "/", right, threat), threat)
    usual = {
        "label": "ratio of radii",
        "limits": (low, high),
        "centre": 1.0 if low < 1 - FLAT and high > 1 + FLAT else None,
        # Whole numbers make steps, at which many levels would run together.
        "contours": [x for x in round_ratios(low, high) if x != 1 and not threat.whole],
    }
    simplex_map(known, values, axes, logarithmic=True, **{**usual, **shown})
    if not threat.of_paper:
        sides = [simplex.largest_side_radius(side, known, threat) for side in (left, right)]
        _cover_points(axes, known, np.max(sides, axis=0) == 0)
    return axes


def _cover_points(axes: "Axes", known: Expectations, nothing: Bools) -> None:
    """Paint the places white where no radius is above 0 and there is nothing to compare."""
    from matplotlib.colors import ListedColormap
    from matplotlib.tri import Triangulation

    if not nothing.any():
        return
    cells = Triangulation(known.e0, known.e1)
    cells.set_mask(~nothing[cells.triangles].all(axis=1))
    axes.tripcolor(cells, np.zeros(len(known)), cmap=ListedColormap([PAPER]), rasterized=True)
    draw_frame(axes)


def one_sided_share(threats: Sequence[Threat], axes: "Axes") -> "Axes":
    """Draw the radius that reads E_0 alone as a share of the two-sided one, which reads E_1 too.

    The first row of a threat's table is its one-sided radius. White is where no radius is above 0.
    The map is that of the first threat, and the others are those for which it is the same.
    """
    threat, *same = threats
    known, first = simplex.make_grid(STEPS), next(iter(threat.mechanisms))
    largest = simplex.largest_side_radius("two_sided", known, threat)
    values = simplex.radius_ratio(first, "two_sided", known, threat)
    others = f"the same: {', '.join(other.noise for other in same)}" if same else ""
    lines = [describe_threat(threat), *wrap(others, WIDEST - 30, break_on_hyphens=False)]
    axes.set_title("\n".join(lines), loc="left", fontsize="medium")
    levels = () if threat.whole else (0.5, 0.9)
    simplex_map(known, values, axes, label="share of two-sided", limits=(0.0, 1.0), contours=levels)
    _cover_points(axes, known, largest == 0)
    return axes


def simplex_map(  # noqa: PLR0913
    known: Expectations,
    values: Floats,
    axes: "Axes",
    *,
    label: str,
    centre: float | None = None,
    limits: tuple[float, float] | None = None,
    contours: Sequence[float] = (),
    logarithmic: bool = False,
    bar: bool = True,
) -> "Axes":
    """Draw values at points of the simplex as colours, with a colour bar; return the axes.

    With a `centre` (0 of a difference, 1 of a ratio) the colours diverge from it: as far from it
    means as strong a colour, on either side. Without one they run one way. `limits` default to the
    finite values; `contours` adds thin lines with their values. Heavy lines are exact, and the
    caller draws them: `draw_curves`. Without `bar` the map beside it has the colours' scale.

    >>> from matplotlib.figure import Figure
    >>> import simplicert as sc
    >>> known = sc.Expectations([0, 0, 0], e0=[0.5, 0.7, 0.9], e1=[0.4, 0.1, 0.05])
    >>> values = sc.radius("two_sided", known.e0, known.e1)
    >>> axes = sc.figures.simplex_map(known, values, Figure().subplots(), label="radius at sigma 1")
    >>> axes.get_xlabel(), axes.get_ylabel()
    ('$E_0$', '$E_1$')
    """
    from matplotlib.colors import LogNorm, Normalize
    from matplotlib.tri import Triangulation

    finite = values[np.isfinite(values)]
    require(
        values.shape == known.e0.shape and finite.size > 0 and not np.isnan(values).any(),
        f"values must be a number for each of {len(known)} points, and not all infinite",
    )
    low, high = colour_limits(finite, None, limits, logarithmic)
    ends = colour_limits(finite, centre, limits, logarithmic)
    if centre is not None and not low < centre < high:
        low, high = ends
    bounded = np.clip(values, finite.min(), finite.max())  # infinity cannot be interpolated
    if logarithmic:
        bounded = np.maximum(
            bounded, low
        )  # nor has 0 a logarithm; each takes the colour at its end
    cells = Triangulation(known.e0, known.e1)
    colours = axes.tripcolor(
        cells,
        bounded,
        shading="gouraud",
        cmap=SEQUENTIAL if centre is None else diverging_colours(low, high, ends, logarithmic),
        norm=(LogNorm if logarithmic else Normalize)(low, high, clip=False),
        rasterized=True,  # as vectors, all these triangles make a file that opens slowly
    )
    _draw_contours(axes, cells, bounded, contours)
    draw_frame(axes)
    if bar:
        draw_bar(axes, colours, values, (low, high), label)
    return axes


def colour_limits(
    finite: Floats,
    centre: float | None,
    limits: tuple[float, float] | None,
    logarithmic: bool = False,
) -> tuple[float, float]:
    """Return the values of the first and last colour: the limits, widened evenly about a centre."""
    low, high = limits or (float(finite.min()), float(finite.max()))
    require(low < high, f"limits must rise, got {low} and {high}; equal values need their own")
    if logarithmic:
        low, high = min(max(low, DECADES[0]), DECADES[-2]), max(min(high, DECADES[-1]), DECADES[1])
    if centre is None:
        return low, high
    if logarithmic:
        times = max(high / centre, centre / low)
        return centre / times, centre * times
    reach = max(high - centre, centre - low)
    return centre - reach, centre + reach


def bulk_limits(values: Floats, equal: float) -> tuple[float, float]:
    """Return limits that a few extreme places do not stretch.

    Where all values are the same, the limits lie half a unit on either side of `equal`.
    """
    finite = values[np.isfinite(values)]
    low, high = np.percentile(finite, BULK) if finite.size else (equal, equal)
    return (float(low), float(high)) if high - low > FLAT else (equal - 0.5, equal + 0.5)


def set_headline(axes: "Axes", text: str, threat: Threat = GAUSSIAN) -> None:
    """Write above a map of which threat it is and what it compares; the bar is less high."""
    lines = wrap(text, WIDEST, break_long_words=False, break_on_hyphens=False)
    if not threat.of_paper:
        lines.insert(0, describe_threat(threat))
    axes.set_title("\n".join(lines), loc="left", fontsize="medium")


def _compare_sides(left: simplex.Side, sign: str, right: simplex.Side, threat: Threat) -> str:
    """Return both sides of a comparison with the sign between them."""
    return f"{_describe_side(left, threat)}  {sign}  {_describe_side(right, threat)}"


def _describe_side(side: simplex.Side, threat: Threat) -> str:
    """Return what the headline calls one side of a comparison."""
    names = [mechanism_style(name, threat).name for name in simplex.gather_mechanisms(side)]
    return names[0] if len(names) == 1 else f"largest of {', '.join(names)}"


def _draw_contours(
    axes: "Axes", cells: "Triangulation", values: Floats, contours: Sequence[float]
) -> None:
    """Draw thin lines at levels inside the values, labelled where they are farthest from a side."""
    from matplotlib.patheffects import withStroke

    thin = sorted(level for level in contours if values.min() < level < values.max())
    if not thin:
        return
    style = {"colors": INK, "linestyles": "solid", "linewidths": 0.5}
    lines = axes.tricontour(cells, values, levels=thin, **style)
    places: list[tuple[float, float]] = []
    for path in lines.get_paths():
        e0, e1 = np.asarray(path.vertices).T
        room = np.min([e1, e0 - e1, 1 - e0 - e1], axis=0)
        at = room.argmax() if len(room) else 0
        taken = any(np.hypot(e0[at] - x, e1[at] - y) < APART for x, y in places)
        if len(room) and room[at] > FRAME and not taken:
            places.append((float(e0[at]), float(e1[at])))
    for text in axes.clabel(lines, fmt=format_level, fontsize=7, manual=places) if places else ():
        text.set_path_effects([withStroke(linewidth=1.5, foreground=PAPER)])
