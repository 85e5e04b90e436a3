"""Collect what the page's script reads, as JSON that can stand inside HTML.

`build_payload` collects everything. `radius_grids` computes every radius of a threat on a grid of
the simplex, for the map under the points and for the pointer; radii of two threats never share a
map. The page computes no radius of its own: it shows those that the package computed, and at the
pointer those of a nearby grid point, rounded to the safe side: E_0 no larger, E_1 no smaller.
"""

import base64
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from simplicert import simplex
from simplicert.certification import radius
from simplicert.figures.style import mechanism_style
from simplicert.mechanisms.naming import describe_threat, describe_unit
from simplicert.mechanisms.threats import Threat, threat_of
from simplicert.metrics.comparison import base_column
from simplicert.noises import NOISES
from simplicert.noises.words import NORM_WORDS, label_radius
from simplicert.report.columns import MOST_EXACT, pack_table
from simplicert.report.details import attack_details, score_details
from simplicert.report.pictures import ThumbnailSheet, choose_inputs
from simplicert.report.terms import explain_terms
from simplicert.report.views import View, risk_order
from simplicert.report.winners import winner_map
from simplicert.types import Floats, Ints

STEPS = 300  # grid points from E_0 = 0 to 1; on a screen about two pixels each

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
    views: Sequence[View],
    class_names: Sequence[str] | None,
    sheet: ThumbnailSheet | None,
) -> dict[str, Any]:
    """Return everything that the script needs."""
    mine = [_view_threat(view) for view in views]
    apart = {describe_threat(threat): threat for threat in mine}
    grids = radius_grids(list(apart.values()), exact=True)
    names = {"ensemble", *simplex.GAUSSIAN.mechanisms}
    names |= {name for view in views for name in view.columns}
    exact = sum(len(view.frame) for view in views) <= MOST_EXACT
    chosen = choose_inputs(views)
    return {
        "views": [
            {
                **_view_payload(view, chosen, exact),
                "threat": list(apart).index(describe_threat(threat)),
            }
            for view, threat in zip(views, mine, strict=True)
        ],
        "runs": list({view.run: view.study.name for view in views}.values()),
        "classes": None if class_names is None else list(class_names),
        "looks": {name: _mechanism_payload(name) for name in sorted(names)},
        "simplex": grids,
        "sprites": None if sheet is None else sheet.for_page(),
        "diverging": DIVERGING,
        "terms": explain_terms(),
    }


def radius_grids(
    threats: Sequence[Threat], steps: int = STEPS, *, exact: bool = False
) -> dict[str, Any]:
    """Return each mechanism's radii at scale 1: float32, rounded down, little-endian in base64.

    Threats name their grids by number, as some have the same ones. With `exact` the regions of
    every noise have exact borders.
    """
    packed: dict[str, int] = {}
    found = [_threat_payload(threat, steps, packed, exact) for threat in threats]
    return {"steps": steps, "packed": list(packed), "threats": found}


def _threat_payload(
    threat: Threat, steps: int, packed: dict[str, int], exact: bool
) -> dict[str, Any]:
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
            kind: winner_map(threat, kind, e0, e1, exact=exact)
            for kind in simplex.GAUSSIAN.ensembles
        },
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


def _view_threat(view: View) -> Threat:
    """Return the noise and the norm of a run's radii; a log of bare radii is taken as Gaussian."""
    if view.certificates is None:
        return simplex.GAUSSIAN
    return threat_of(view.certificates.known.noise, view.certificates.known.norm)


def _view_payload(view: View, chosen: Ints, exact: bool) -> dict[str, Any]:
    """Return one table, packed, and what the script needs beside it."""
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
        "base": _base_name(view),
        "table": pack_table(view.frame, rank, exact=exact),
        "scores": score_details(view, chosen),
        "attack": attack_details(view),
        "limit": "two_sided" in view.columns and has_limit(view),
        "file": f"{safe_file_name(view.study.name)}-{view.kind}",
    }


def has_limit(view: View) -> bool:
    """Say whether no radius from E0 and E1 alone can exceed the two-sided one of its noise."""
    return _view_threat(view).limit is not None


def _base_name(view: View) -> str | None:
    """Return the column that the curves compare with: Cohen's, or its like; None without one."""
    if view.certificates is None or not view.compares:
        return None
    name = base_column(view.certificates)
    return name if name in view.columns else None


def _axis_title(view: View) -> str:
    """Return the title of the axis of radii."""
    if view.norm in NORM_WORDS:
        return f"r: {NORM_WORDS[view.norm].quantity}"
    return f"{label_radius(view.norm, 'radius')} r, in units of the input"


def _mechanism_payload(name: str, threat: Threat | None = None) -> dict[str, str]:
    """Return a mechanism's name and colour, those of the figures."""
    look = mechanism_style(name, threat)
    return {"label": look.name, "colour": look.colour}
