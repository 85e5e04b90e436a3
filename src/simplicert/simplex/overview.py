"""Summarise a comparison over the whole simplex: extremes, shares of the area, and lines.

This is what `simplicert simplex` prints, as values that JSON can hold.
"""

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np

from simplicert import simplex
from simplicert.errors import choose, require
from simplicert.mechanisms import Mechanism
from simplicert.mechanisms.choice import choose_mechanisms
from simplicert.simplex.extremes import MARGIN, find_extreme, find_extremes
from simplicert.simplex.regions import BoundaryCurve, trace_boundary, trace_region_borders
from simplicert.types import Bools, Kind

STEPS = 300  # of the grid along a side, so that shares of the area are good to 0.1 %
FLAT = 1e-9  # radii that differ by less are equal
Table = Mapping[str, Mechanism]
MEASURES = {"ratio": simplex.radius_ratio, "difference": simplex.radius_difference}


def summarise_comparison(
    measure: str, left: Table, right: Table, kind: Kind, steps: int = STEPS
) -> dict[str, Any]:
    """Compare `left` with `right` by ratio or difference: extremes, shares of the area, lines."""
    values = choose("measure", measure, MEASURES)
    low, high = find_extremes(partial(values, left, right), kind)
    known = simplex.make_grid(steps, kind)
    ours, theirs = (
        simplex.largest_side_radius(left, known),
        simplex.largest_side_radius(right, known),
    )
    tie = np.abs(ours - theirs) <= FLAT * (1 + theirs)
    return {
        "map": measure,
        "left": list(left),
        "right": list(right),
        "kind": kind,
        "smallest": asdict(low),
        "largest": asdict(high),
        "left_larger": _area_share(~tie & (ours > theirs)),
        "equal": _area_share(tie),
        "right_larger": _area_share(~tie & (ours < theirs)),
        "only_left": _area_share((ours > 0) & (theirs == 0)),
        "shares": simplex.winning_shares({**left, **right}, known),
        "lines": [_curve_record(curve) for curve in trace_boundary(left, right, kind)],
        **_comparison_settings(steps),
    }


def summarise_winners(mechanisms: Table, kind: Kind, steps: int = STEPS) -> dict[str, Any]:
    """Return each mechanism's share of the area and largest lead, and the lines between them."""
    table = choose_mechanisms(mechanisms, kind)
    require(len(table) > 1, f"mechanisms must be at least two to compare, got {', '.join(table)!r}")
    leads = {}
    for name, row in table.items():
        others = {other: its for other, its in table.items() if other != name}
        leads[name] = asdict(
            find_extreme(partial(simplex.radius_ratio, {name: row}, others), kind, 1.0)
        )
    lines = trace_region_borders(table, kind)
    return {
        "map": "winner",
        "mechanisms": list(table),
        "kind": kind,
        "shares": simplex.winning_shares(table, simplex.make_grid(steps, kind)),
        "leads": leads,
        "lines": [
            {"between": list(pair), **_curve_record(curve)}
            for pair in lines
            for curve in lines[pair]
        ],
        **_comparison_settings(steps),
    }


def _comparison_settings(steps: int) -> dict[str, float]:
    """Return the settings that the numbers depend on."""
    return {"sigma": 1.0, "steps": steps, "margin": MARGIN}


def _area_share(where: Bools) -> float:
    """Return the share of the grid's points, which is the share of the area."""
    return float(where.mean())


def _curve_record(curve: BoundaryCurve) -> dict[str, Any]:
    """Return a line as [E_0, E_1] of each point."""
    return {"closed": curve.closed, "points": np.stack([curve.e0, curve.e1], axis=1).tolist()}
