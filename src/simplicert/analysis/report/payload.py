"""What the page's script reads, as JSON that can stand inside HTML."""

import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from simplicert.analysis.figures.style import look_of
from simplicert.analysis.report.maps import radius_grids
from simplicert.analysis.report.risk import risk_order
from simplicert.analysis.report.sprites import Sheet
from simplicert.analysis.report.views import View

# Inside a script element these could end it or begin a comment; JSON knows them as escapes too.
ESCAPES = {sign: f"\\u{ord(sign):04x}" for sign in "<>&"}
DIVERGING = (
    "#2d004b",
    "#542788",
    "#998ec3",
    "#d8daeb",
    "#f7f7f7",
    "#fee0b6",
    "#f1a340",
    "#b35806",
    "#7f3b08",
)


def payload(
    views: Sequence[View], class_names: Sequence[str] | None, sheet: Sheet | None
) -> dict[str, Any]:
    """Everything that the script needs; no views: the simplex explorer."""
    grids = radius_grids()
    names = {*grids["radii"], "ensemble", *(name for view in views for name in view.columns)}
    return {
        "views": [of_view(view) for view in views],
        "runs": list({view.run: view.study.name for view in views}.values()),
        "classes": None if class_names is None else list(class_names),
        "looks": {name: of_look(name) for name in sorted(names)},
        "simplex": grids,
        "sprites": None if sheet is None else sheet.for_page(),
        "diverging": DIVERGING,
    }


def of_view(view: View) -> dict[str, Any]:
    """One table, as the text of its CSV file, and what the script needs beside it."""
    order = risk_order(view)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(1, len(order) + 1)
    return {
        "run": view.run,
        "name": view.title,
        "kind": view.kind,
        "sigma": view.study.sigma,
        "sensitivity": view.study.stage,
        "labelled": view.labels is not None,
        "columns": view.columns,
        "compares": view.compares,
        "csv": view.csv,
        "risk": rank.tolist(),
        "file": f"{safe_name(view.study.name)}-{view.kind}",
    }


def of_look(name: str) -> dict[str, str]:
    """A mechanism's name and colour, those of the figures."""
    look = look_of(name)
    return {"label": look.name, "colour": look.colour}


def safe_name(name: str) -> str:
    """A run's name as the beginning of a file name that every system takes."""
    return re.sub(r"[^\w.-]+", "_", name, flags=re.ASCII).strip("._") or "run"


def embedded(content: dict[str, Any]) -> str:
    """JSON in ASCII without the signs that mean something to HTML."""
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    return re.sub("[<>&]", lambda found: ESCAPES[found[0]], text)
