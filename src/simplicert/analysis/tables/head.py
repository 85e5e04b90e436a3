"""The first rows of a run's certificates, for a look without a file."""

from typing import Any

import pandas as pd

from simplicert.analysis.tables.grid import Grid
from simplicert.analysis.tables.numbers import NONE, down, up
from simplicert.types import Certificates

ROWS = 5  # shown


def head(certificates: Certificates, rows: int = ROWS) -> Grid:
    """One row per input: the class, its radius and what is known of the two expectations."""
    frame = certificates.to_frame().head(rows)
    lines = [
        (
            str(row["index"]),
            _whole(row["label"]),
            "abstained" if row["abstained"] else _whole(row["predicted"]),
            down(row["radius"], 4),
            NONE if pd.isna(row["e0"]) else down(row["e0"], 4),
            NONE if pd.isna(row["e1"]) else up(row["e1"], 4),
            _whole(row["draws"]),
        )
        for _, row in frame.iterrows()
    ]
    title = f"the first {len(lines)} of {len(certificates)} inputs"
    headings = ("index", "label", "predicted", "radius", "e0", "e1", "draws")
    return Grid(title, headings, lines, ("radius and e0 are rounded down, e1 up",))


def _whole(value: Any) -> str:
    """A whole number, where there is one."""
    return NONE if pd.isna(value) else f"{int(value)}"
