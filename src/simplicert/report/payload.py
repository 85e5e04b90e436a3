"""Collect what the page's script reads, as JSON that can stand inside HTML.

`build_payload` collects everything and `embed_json` escapes it. `radius_grids` computes every
radius on a grid of the simplex, for the map under the points and for the pointer. The page
computes no radius of its own: a second implementation would have to be proved and tested again. It
shows those that the package computed, and at the pointer those of a nearby grid point, rounded to
the safe side: E_0 no larger, E_1 no smaller.
"""

import base64
import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from simplicert.certification import radius
from simplicert.figures.style import mechanism_style
from simplicert.mechanisms import MECHANISMS, PAPER_ENSEMBLE
from simplicert.noises.words import NORM_WORDS, label_radius
from simplicert.report.pictures import ThumbnailSheet
from simplicert.report.views import View, risk_order
from simplicert.types import Floats

STEPS = 300  # grid points from E_0 = 0 to 1; on a screen about two pixels each

# Inside a script element these could end it or begin a comment; JSON can escape them.
ESCAPES = {sign: f"\\u{ord(sign):04x}" for sign in "<>&"}

# From purple to orange, as the figures' differences.
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


def build_payload(
    views: Sequence[View], class_names: Sequence[str] | None, sheet: ThumbnailSheet | None
) -> dict[str, Any]:
    """Return everything that the script needs; without views, that of the simplex explorer."""
    grids = radius_grids()
    names = {*grids["radii"], "ensemble", *(name for view in views for name in view.columns)}
    return {
        "views": [_view_payload(view) for view in views],
        "runs": list({view.run: view.study.name for view in views}.values()),
        "classes": None if class_names is None else list(class_names),
        "looks": {name: _mechanism_payload(name) for name in sorted(names)},
        "simplex": grids,
        "sprites": None if sheet is None else sheet.for_page(),
        "diverging": DIVERGING,
    }


def embed_json(content: dict[str, Any]) -> str:
    """Write JSON in ASCII without the signs that mean something to HTML."""
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    return re.sub("[<>&]", lambda match: ESCAPES[match[0]], text)


def radius_grids(steps: int = STEPS) -> dict[str, Any]:
    """Return each mechanism's radii at sigma 1: float32, rounded down, little-endian in base64."""
    e0, e1 = grid_points(steps)
    names = [name for name, row in MECHANISMS.items() if row.needs == "pair"]
    return {
        "steps": steps,
        "radii": {name: pack_floats(np.asarray(radius(name, e0, e1))) for name in names},
        "kinds": {
            kind: [name for name in names if kind in MECHANISMS[name].kinds]
            for kind in PAPER_ENSEMBLE
        },
        "ensembles": {kind: list(members) for kind, members in PAPER_ENSEMBLE.items()},
    }


def grid_points(steps: int = STEPS) -> tuple[Floats, Floats]:
    """Return E_0 = (i + 1/2) / steps and E_1 = (j + 1/2) / steps inside the triangle, row by row.

    Row j holds i = j + 1, ..., steps - 1 - j: E_0 > E_1 and E_0 + E_1 <= 1. A point of the triangle
    with E_0 rounded down and E_1 rounded up to this grid still has a sum of at most 1: the sum is a
    multiple of 1 / steps, and below 1 + 1 / steps.
    """
    pairs = [(i, j) for j in range(steps // 2) for i in range(j + 1, steps - j)]
    places = np.array(pairs, dtype=float)
    return (places[:, 0] + 0.5) / steps, (places[:, 1] + 0.5) / steps


def pack_floats(values: Floats) -> str:
    """Pack values as float32 in base64, never above the value."""
    near = values.astype(np.float32)
    above = near.astype(float) > values
    safe = np.where(above, np.nextafter(near, np.float32(0)), near)
    return base64.b64encode(safe.astype("<f4").tobytes()).decode("ascii")


def safe_file_name(name: str) -> str:
    """Turn a run's name into the beginning of a file name that every system takes."""
    return re.sub(r"[^\w.-]+", "_", name, flags=re.ASCII).strip("._") or "run"


def _view_payload(view: View) -> dict[str, Any]:
    """Return one table, as the text of its CSV file, and what the script needs beside it."""
    order = risk_order(view)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(1, len(order) + 1)
    return {
        "run": view.run,
        "name": view.title,
        "kind": view.kind,
        "sigma": view.study.sigma,
        "sensitivity": view.study.stage,
        "closed": view.closed,
        "whole": view.whole,
        "axis": _axis_title(view),
        "labelled": view.labels is not None,
        "columns": view.columns,
        "compares": view.compares,
        "csv": view.csv,
        "risk": rank.tolist(),
        "file": f"{safe_file_name(view.study.name)}-{view.kind}",
    }


def _axis_title(view: View) -> str:
    """Return the title of the axis of radii."""
    if view.norm in NORM_WORDS:
        return f"r: {NORM_WORDS[view.norm].quantity}"
    return f"{label_radius(view.norm, 'radius')} r, in units of the input"


def _mechanism_payload(name: str) -> dict[str, str]:
    """Return a mechanism's name and colour, those of the figures."""
    look = mechanism_style(name)
    return {"label": look.name, "colour": look.colour}
