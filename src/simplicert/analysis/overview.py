"""Mechanisms compared over the whole simplex in numbers: extremes, shares of the area, lines.

What `simplicert simplex` prints, as values that JSON can hold.
"""

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np

from simplicert.analysis import simplex
from simplicert.analysis.curves import Curve
from simplicert.analysis.extremes import MARGIN, extreme, extremes
from simplicert.analysis.regions import borders, boundary
from simplicert.certification import chosen
from simplicert.errors import choose, require
from simplicert.mechanisms import Mechanism
from simplicert.types import Bools, Kind

STEPS = 300  # along a side: shares of the area are good to 0.1 %
FLAT = 1e-9  # radii that differ by less are equal

Table = Mapping[str, Mechanism]

MEASURES = {"ratio": simplex.ratio, "difference": simplex.difference}


def compared(
    measure: str, left: Table, right: Table, kind: Kind, steps: int = STEPS
) -> dict[str, Any]:
    """`left` against `right` by ratio or difference: extremes, who is larger where, the lines."""
    values = choose("measure", measure, MEASURES)
    low, high = extremes(partial(values, left, right), kind)
    known = simplex.grid(steps, kind)
    ours, theirs = simplex.largest(left, known), simplex.largest(right, known)
    tie = np.abs(ours - theirs) <= FLAT * (1 + theirs)
    return {
        "map": measure,
        "left": list(left),
        "right": list(right),
        "kind": kind,
        "smallest": asdict(low),
        "largest": asdict(high),
        "left_larger": share(~tie & (ours > theirs)),
        "equal": share(tie),
        "right_larger": share(~tie & (ours < theirs)),
        "only_left": share((ours > 0) & (theirs == 0)),
        "shares": simplex.shares({**left, **right}, known),
        "lines": [drawn(curve) for curve in boundary(left, right, kind)],
        **settings(steps),
    }


def won(mechanisms: Table, kind: Kind, steps: int = STEPS) -> dict[str, Any]:
    """Each mechanism's share of the area, how far it leads at best, and the lines between them."""
    table = chosen(mechanisms, kind)
    require(len(table) > 1, f"mechanisms must be at least two to compare, got {', '.join(table)!r}")
    leads = {}
    for name, row in table.items():
        others = {other: its for other, its in table.items() if other != name}
        leads[name] = asdict(extreme(partial(simplex.ratio, {name: row}, others), kind, 1.0))
    lines = borders(table, kind)
    return {
        "map": "winner",
        "mechanisms": list(table),
        "kind": kind,
        "shares": simplex.shares(table, simplex.grid(steps, kind)),
        "leads": leads,
        "lines": [
            {"between": list(pair), **drawn(curve)} for pair in lines for curve in lines[pair]
        ],
        **settings(steps),
    }


def settings(steps: int) -> dict[str, float]:
    """What the numbers are over."""
    return {"sigma": 1.0, "steps": steps, "margin": MARGIN}


def share(where: Bools) -> float:
    """Of the points of a grid, which is that of the area."""
    return float(where.mean())


def drawn(curve: Curve) -> dict[str, Any]:
    """A line as [E_0, E_1] of each point."""
    return {"closed": curve.closed, "points": np.stack([curve.e0, curve.e1], axis=1).tolist()}
