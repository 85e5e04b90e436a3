"""Collect what the page's script reads, as JSON that can stand inside HTML.

`build_payload` collects everything and `embed_json` escapes it. `radius_grids` computes every
radius of a threat on a grid of the simplex, for the map under the points and for the pointer; the
explorer has a threat of every noise, and radii of two of them never share a map. The page
computes no radius of its own: a second implementation would have to be proved and tested again. It
shows those that the package computed, and at the pointer those of a nearby grid point, rounded to
the safe side: E_0 no larger, E_1 no smaller.
"""

import base64
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from simplicert import simplex
from simplicert.certification import radius
from simplicert.figures.style import mechanism_style
from simplicert.mechanisms.naming import describe_threat, describe_unit, example_threats
from simplicert.mechanisms.threats import Threat, threat_of
from simplicert.noises import NOISES
from simplicert.noises.words import NORM_WORDS, label_radius
from simplicert.report.pictures import ThumbnailSheet
from simplicert.report.views import View, risk_order
from simplicert.types import Floats, Kind

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


TIES = ("#ececec", "#d4d4d4", "#f6f6f6", "#c4c4c4")  # where several are the largest together

INSIDE = 0.01  # of the largest E_1, where a map of winners keeps away from the side

PALE = "73"  # the opacity of a region, so that points show on it

NOBODY = 255  # stands for a place where nothing certifies


def build_payload(
    views: Sequence[View],
    class_names: Sequence[str] | None,
    sheet: ThumbnailSheet | None,
    numbers: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """Return everything that the script needs; without views, that of the simplex explorer.

    `numbers` are the explorer's: the size, keep and rate of the noises that have them.
    """
    mine = [_view_threat(view) for view in views]
    apart = {describe_threat(threat): threat for threat in mine}
    grids = radius_grids(list(apart.values()) or example_threats(**(numbers or {})))
    names = {"ensemble", *simplex.GAUSSIAN.mechanisms}
    names |= {name for view in views for name in view.columns}
    return {
        "views": [
            {**_view_payload(view), "threat": list(apart).index(describe_threat(threat))}
            for view, threat in zip(views, mine, strict=True)
        ],
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


def radius_grids(threats: Sequence[Threat], steps: int = STEPS) -> dict[str, Any]:
    """Return each mechanism's radii at scale 1: float32, rounded down, little-endian in base64.

    Threats name their grids by number, as some have the same ones.
    """
    packed: dict[str, int] = {}
    found = [_threat_payload(threat, steps, packed) for threat in threats]
    return {"steps": steps, "packed": list(packed), "threats": found}


def _threat_payload(threat: Threat, steps: int, packed: dict[str, int]) -> dict[str, Any]:
    """Return what the page shows of one threat; new grids join `packed`."""
    e0, e1 = grid_points(steps)
    names = [name for name, row in threat.mechanisms.items() if row.needs == "pair"]
    about: dict[str, Any] = {"noise": threat.noise, "norm": threat.norm, **threat.numbers}
    texts = {name: pack_floats(np.asarray(radius(name, e0, e1, **about))) for name in names}
    scale = NOISES[threat.noise].scale
    return {
        "title": describe_threat(threat),
        "at": f"at {scale} 1" if threat.of_paper else describe_unit(threat),
        "unit": "" if threat.of_paper else describe_unit(threat),
        "scale": scale,
        "radii": {name: packed.setdefault(text, len(packed)) for name, text in texts.items()},
        "kinds": {
            kind: [name for name in names if kind in threat.mechanisms[name].kinds]
            for kind in simplex.GAUSSIAN.ensembles
        },
        "ensembles": {
            kind: list(threat.ensembles.get(kind, ())) for kind in simplex.GAUSSIAN.ensembles
        },
        "looks": {name: _mechanism_payload(name, threat) for name in names},
        "winners": {
            kind: _winner_payload(threat, kind, e0, e1) for kind in simplex.GAUSSIAN.ensembles
        },
    }


def _winner_payload(threat: Threat, kind: Kind, e0: Floats, e1: Floats) -> dict[str, Any]:
    """Return the regions of the winner map and which of them each grid point is in.

    Where E_0 + E_1 = 1 radii meet that are apart elsewhere, so that side's cells are asked a
    little inside.
    """
    usual = simplex.usual_mechanisms(threat, kind)
    if not usual:
        return {"names": [], "at": ""}
    known = simplex.make_points(e0, np.minimum(e1, (1 - e0) * (1 - INSIDE)), kind)
    best = simplex.leading_mechanisms(usual, known, threat)
    ties = sorted({name for name in best.tolist() if simplex.TIE in name})
    names = [*usual, *ties]
    at = np.select([best == name for name in names], range(len(names)), NOBODY)
    shown = [_mechanism_payload(name, threat) for name in usual]
    for look in shown:
        look["colour"] += PALE
    for place, name in enumerate(ties):
        words = [mechanism_style(part, threat).name for part in name.split(simplex.TIE)]
        shown.append({"label": simplex.TIE.join(words), "colour": TIES[place % len(TIES)]})
    return {"names": shown, "at": base64.b64encode(at.astype(np.uint8).tobytes()).decode("ascii")}


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


def _view_threat(view: View) -> Threat:
    """Return the noise and the norm of a run's radii; a log of bare radii is taken as Gaussian."""
    if view.certificates is None:
        return simplex.GAUSSIAN
    return threat_of(view.certificates.known.noise, view.certificates.known.norm)


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


def _mechanism_payload(name: str, threat: Threat | None = None) -> dict[str, str]:
    """Return a mechanism's name and colour, those of the figures."""
    look = mechanism_style(name, threat)
    return {"label": look.name, "colour": look.colour}
