"""Find the regions of the winner map exactly: on columns of E_0, where the largest radius changes.

`winner_columns` asks which mechanism leads at heights of each column and bisects between two that
differ, so that closer than 1e-8 to every border the leader was found to change. Columns are
finer toward the corners and about E_0 = 1/2, where one-sided radii begin. A region narrower than
the heights (half a step of the logit of E_1's share) may be missed. Where radii are whole numbers
there are too many steps: the page then colours the cells of its grid (`winner_cells`).

The regions of Gaussian noise and l2 never change: they are in templates/winners.json, which
`python -m simplicert.report.winners` writes anew.
"""

import base64
import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit

from simplicert import simplex
from simplicert.figures.style import mechanism_style
from simplicert.mechanisms.threats import Threat
from simplicert.types import Bools, Floats, Kind
from simplicert.types.arrays import Texts

# E_0 of the columns, and the heights in each: the logit of E_1's share of its largest value.
_CORNER = np.geomspace(1e-4, 0.045, 9)

COLUMNS = np.unique(
    np.round(
        np.concatenate(
            [
                np.linspace(0.02, 0.98, 49),
                _CORNER[:5],
                1 - _CORNER,
                0.5 - _CORNER[:5],
                0.5 + _CORNER[:5],
                [1 - 1e-5],
            ]
        ),
        9,
    )
)

HEIGHTS = np.concatenate([np.arange(-16.0, -8.0, 1.0), np.arange(-8.0, 8.1, 0.5)])

CLOSE = 5.0  # from this height on radii of two mechanisms may meet: the row below decides a tie

PARTS, ROUNDS = 32, 5  # of a search between two heights: 32^5 is 3e7

NESTED = 3  # regions at most that two neighbouring heights of a column may hide

CLOSER = 5  # times that a gap between columns of different leaders is halved

Leaders = Callable[[Floats, Floats], Texts]  # (e0, height) -> names

Columns = dict[float, tuple[Floats, list[str]]]  # E_0 -> borders, and leaders between them

TIES = ("#8c8c8c", "#b0b0b0", "#6e6e6e", "#c8c8c8")  # where several are the largest together

INSIDE = 0.01  # of the largest E_1, where cells keep away from the side

STORED = Path(__file__).parent / "templates" / "winners.json"

NOBODY = 255  # stands for a place where nothing certifies


def winner_map(
    threat: Threat, kind: Kind, e0: Floats, e1: Floats, *, exact: bool = True
) -> dict[str, Any]:
    """Return the regions of the winner map: exact columns, or cells where radii are whole.

    Without `exact` other noises than the paper's have cells too, which are found faster.
    """
    if not simplex.usual_mechanisms(threat, kind):
        return {"names": [], "looks": []}
    if threat.of_paper:
        return dict(json.loads(STORED.read_text(encoding="utf-8"))[kind])
    if threat.whole or not exact:
        return winner_cells(threat, kind, e0, e1)
    return find_regions(threat, kind)


def find_regions(threat: Threat, kind: Kind) -> dict[str, Any]:
    """Return the columns with their borders and leaders, as the page reads them."""
    usual, columns = simplex.usual_mechanisms(threat, kind), winner_columns(threat, kind)
    names = _list_names(usual, [name for _, leaders in columns.values() for name in leaders])
    places = {name: place for place, name in enumerate(names)} | {"": NOBODY}
    return {
        "names": names,
        "looks": region_looks(names, threat),
        "e0": [float(f"{at:.9g}") for at in columns],
        "borders": [[float(f"{e1:.9g}") for e1 in found] for found, _ in columns.values()],
        "between": [[places[name] for name in leaders] for _, leaders in columns.values()],
    }


def winner_columns(threat: Threat, kind: Kind) -> Columns:
    """Return E_0 of each column, the E_1 of its borders, rising, and the leaders from E_1 = 0 up.

    Between two columns of different leaders more are laid, until they are next to each other.
    """
    usual = simplex.usual_mechanisms(threat, kind)

    def leaders(e0: Floats, height: Floats) -> Texts:
        e1 = np.minimum(e0, 1 - e0) * expit(height)
        return simplex.leading_mechanisms(usual, simplex.make_points(e0, e1, kind), threat)

    columns = _read_columns(leaders, COLUMNS)
    for _ in range(CLOSER):
        ordered = sorted(columns)
        apart = [(a + b) / 2 for a, b in pairwise(ordered) if columns[a][1] != columns[b][1]]
        columns |= _read_columns(leaders, np.array(apart))
    return dict(sorted(columns.items()))


def _read_columns(leaders: Leaders, e0: Floats) -> Columns:
    """Return the borders of each column and who leads between them."""
    best = _ask_leaders(leaders, e0)
    column, row = np.nonzero(best[:, 1:] != best[:, :-1])
    found: list[tuple[int, float, str]] = []  # column, height of a border, who leads above it
    low, high = HEIGHTS[row], HEIGHTS[row + 1]
    below, above = best[column, row], best[column, row + 1]
    for _ in range(NESTED if len(column) else 0):
        under, over = _close_in(leaders, e0[column], low, high, below)
        ahead = leaders(e0[column], over)
        shared = [b in a.split(simplex.TIE) for a, b in zip(ahead, above, strict=True)]
        on_line = np.array(shared, dtype=bool) | (_meets(ahead) & (over > CLOSE))
        ahead = np.where(on_line, above, ahead)  # right on a border two are equal
        found += zip(column.tolist(), ((under + over) / 2).tolist(), ahead.tolist(), strict=True)
        more = ahead != above  # a third one leads in between
        column, low, high = column[more], over[more], high[more]
        below, above = ahead[more], above[more]
    columns: Columns = {}
    for k, at in enumerate(e0):
        mine = sorted((height, name) for place, height, name in found if place == k)
        e1 = min(at, 1 - at) * expit(np.array([height for height, _ in mine]))
        columns[float(at)] = (e1, [str(best[k, 0]), *(str(name) for _, name in mine)])
    return columns


def _ask_leaders(leaders: Leaders, e0: Floats) -> Texts:
    """Return (columns, heights) who leads; close to a side the row below decides a tie."""
    across, up = (grid.ravel() for grid in np.meshgrid(e0, HEIGHTS, indexing="ij"))
    best = leaders(across, up).astype(object).reshape(len(e0), len(HEIGHTS))
    for row in range(int(np.searchsorted(HEIGHTS, CLOSE)), len(HEIGHTS)):
        best[:, row] = np.where(_meets(best[:, row]), best[:, row - 1], best[:, row])
    return best


def _meets(names: Texts) -> Bools:
    """Return where several lead, or nobody."""
    return np.array([simplex.TIE in name or not name for name in names], dtype=bool)


def _close_in(
    leaders: Leaders, e0: Floats, low: Floats, high: Floats, below: Texts
) -> tuple[Floats, Floats]:
    """Narrow the heights between which the leader ceases to be `below`, PARTS parts at a time."""
    shares = np.arange(1, PARTS) / PARTS
    for _ in range(ROUNDS if len(e0) else 0):
        inside = low[:, None] + (high - low)[:, None] * shares
        found = leaders(np.repeat(e0, PARTS - 1), inside.ravel()).reshape(inside.shape)
        steps = np.column_stack([low, inside, high])
        other = np.column_stack([found != below[:, None], np.ones(len(e0), dtype=bool)])
        first = other.argmax(axis=1)
        rows = np.arange(len(e0))
        low, high = steps[rows, first], steps[rows, first + 1]
    return low, high


def winner_cells(threat: Threat, kind: Kind, e0: Floats, e1: Floats) -> dict[str, Any]:
    """Return which region each point of the page's grid is in.

    Where E_0 + E_1 = 1 radii meet that are apart elsewhere, so that side's cells are asked a
    little inside.
    """
    usual = simplex.usual_mechanisms(threat, kind)
    known = simplex.make_points(e0, np.minimum(e1, (1 - e0) * (1 - INSIDE)), kind)
    best = simplex.leading_mechanisms(usual, known, threat)
    names = _list_names(usual, best.tolist())
    at = np.select([best == name for name in names], range(len(names)), NOBODY)
    packed = base64.b64encode(at.astype(np.uint8).tobytes()).decode("ascii")
    return {"names": names, "looks": region_looks(names, threat), "at": packed}


def region_looks(names: list[str], threat: Threat) -> list[dict[str, str]]:
    """Return the label and the colour of each region; a tie has several names and is grey."""
    looks, ties = [], iter(TIES * len(names))
    for name in names:
        words = [mechanism_style(part, threat).name for part in name.split(simplex.TIE)]
        colour = mechanism_style(name, threat).colour if len(words) == 1 else next(ties)
        looks.append({"label": simplex.TIE.join(words), "colour": colour})
    return looks


def _list_names(usual: tuple[str, ...], found: list[str]) -> list[str]:
    """Return the names of the regions: the mechanisms, then ties."""
    return [*usual, *sorted({name for name in found if simplex.TIE in name})]


if __name__ == "__main__":
    regions = {kind: find_regions(simplex.GAUSSIAN, kind) for kind in simplex.GAUSSIAN.ensembles}
    STORED.write_text(json.dumps(regions, separators=(",", ":")) + "\n", encoding="utf-8")
