"""The look of every figure, and how one is written to a file; pyplot is never imported."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simplicert.errors import choose

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Safe for colour-blind eyes; the sequential one also rises evenly in grey print.
DIVERGING, SEQUENTIAL = "PuOr_r", "cividis"
INK, PAPER = "#1a1a1a", "white"

SIZE = (5.0, 2.9)  # inches: a column and a half, for a triangle twice as wide as high
DPI = 200

# What each format writes about itself, less what changes from day to day.
METADATA: dict[str, dict[str, Any]] = {
    ".png": {},
    ".pdf": {"CreationDate": None},
    ".svg": {"Date": None},
}
# Ids in an SVG are random without a salt; journals refuse the Type 3 fonts that PDF gets otherwise.
SETTINGS: dict[Any, Any] = {"svg.hashsalt": "simplicert", "pdf.fonttype": 42, "font.size": 9.0}


def save(figure_function: Callable[["Axes"], object], path: str | Path) -> Path:
    """Draw one figure on axes of its own and write it as PNG, PDF or SVG, by suffix.

    The same figure gives the same bytes: no date, no random ids.
    """
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    path = Path(path)
    metadata = choose("suffix of a figure", path.suffix.lower(), METADATA)
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=SIZE, layout="constrained")
        FigureCanvasAgg(figure)
        figure_function(figure.add_subplot())
        figure.savefig(path, dpi=DPI, bbox_inches="tight", metadata=metadata)
    return path
