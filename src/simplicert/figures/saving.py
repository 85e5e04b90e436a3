"""Write a figure of one panel or several to a file; pyplot is never imported."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simplicert.errors import choose, require
from simplicert.figures.finishing import finish_panels
from simplicert.figures.style import SIZE

if TYPE_CHECKING:
    from matplotlib.axes import Axes


DPI, DOTS = 200, (50, 1200)  # dots per inch: the usual number, and the range that makes sense

# What each format writes about itself, without what changes from day to day.
METADATA: dict[str, dict[str, Any]] = {
    ".png": {},
    ".pdf": {"CreationDate": None},
    ".svg": {"Date": None},
}

SETTINGS: dict[Any, Any] = {
    # Without a salt the ids in an SVG are random; journals refuse PDF's default Type 3 fonts.
    "svg.hashsalt": "simplicert",
    "svg.fonttype": "none",  # text stays text, to be edited and searched
    "pdf.fonttype": 42,
    "font.size": 9.0,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "legend.handlelength": 2.3,  # long enough for every dash to show
    "legend.labelspacing": 0.3,
    "lines.linewidth": 1.3,
    "lines.markersize": 4.0,
}


def save_figure(
    panels: Callable[["Axes"], object] | Sequence[Callable[["Axes"], object]],
    path: str | Path,
    size: tuple[float, float] = SIZE,
    dpi: int = DPI,
    *,
    stacked: bool = False,
    across: int | None = None,
    heading: bool = True,
) -> Path:
    """Draw a figure, or several side by side or stacked; PNG, PDF or SVG, by suffix.

    Many panels stand in rows of `across`. Without `heading` the settings above the panels are left
    out, for a caption to say them.

    The same figure gives the same bytes: no date, no random ids.

    >>> import tempfile
    >>> import simplicert as sc
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = sc.figures.save_figure(lambda axes: axes.plot([0, 1]), f"{folder}/line.svg")
    ...     path.name, path.read_text()[:5]
    ('line.svg', '<?xml')
    """
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    path = Path(path)
    metadata = choose("suffix of a figure", path.suffix.lower(), METADATA)
    require(DOTS[0] <= dpi <= DOTS[1], f"dpi must lie in {DOTS[0]}..{DOTS[1]}, got {dpi}")
    drawn = [panels] if callable(panels) else list(panels)
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        columns = across or (1 if stacked else len(drawn))
        shape = (-(-len(drawn) // columns), columns)
        places = [figure.add_subplot(*shape, place + 1) for place in range(len(drawn))]
        for axes, panel in zip(places, drawn, strict=True):
            panel(axes)
        finish_panels(figure, places, columns, heading=heading)
        figure.savefig(path, dpi=dpi, bbox_inches="tight", metadata=metadata)
    return path
