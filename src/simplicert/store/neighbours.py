"""Write and read the table of a search for neighbours, one row per input, kept beside the run.

Every row says for which perturbed inputs its radius holds. `write_neighbours` writes the whole
table, `read_neighbours` reads it back and checks it, so that a search can go on.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from io import StringIO
from pathlib import Path
from typing import Any

from simplicert.errors import DamagedRun, InvalidInput, require
from simplicert.files import parse_json, read_text, write_atomically
from simplicert.records import read_cell, write_json

INSIDE = "perturbed inputs in [0, 1]"  # for which a radius holds
OPTIONAL = ("same_draws", "distance", "neighbour_radius")  # a row may lack them
COUNTS = ("index", "draws", "pilot_draws", "neighbour_draws", "fresh", "pilot", "copies", "steps")
MOST_COUNT, MOST_RADIUS = 2**53, 1e150  # sums and squares of what is below are finite
ROUNDING = 1e-9  # of a distance, which is rounded up, and of squares


@dataclass(frozen=True)
class NeighbourRow:
    """One input: its radius by its own draws, and by those of a neighbour."""

    index: int
    predicted: int | None  # None: abstained
    radius: float  # the larger of `own` and `found`
    own: float  # by the run's draws at the input and `own_alpha`; it holds outside the box too
    found: float  # by the neighbour, inside the box; 0 without one
    plain: float  # the run's own certificate, all of alpha at the input
    same_draws: float | None  # with as many draws as were made in all, at the input
    distance: float | None  # of the neighbour, rounded up; None: the search stayed
    neighbour_radius: float | None  # around the neighbour
    draws: int  # of the run
    pilot_draws: int  # that chose the neighbour, gradients counted by their work
    neighbour_draws: int  # that certified it
    own_alpha: float
    neighbour_alpha: float
    alpha: float  # of the radius
    share: float
    pilot: int
    copies: int
    steps: int
    seed: int
    sigma: float
    kind: str
    scheme: str
    run: str  # id of the run
    holds_for: str = INSIDE
    fresh: int = 0  # draws that a neighbour gets, if there is one

    def __post_init__(self) -> None:
        """Refuse values that no search can have."""
        for name in ("radius", "own", "found", "plain", *OPTIONAL):
            value = getattr(self, name)
            good = 0 <= value < MOST_RADIUS if value is not None else name in OPTIONAL
            require(good, f"{name} must be finite and not negative, got {value!r}")
        for name in COUNTS:
            value = getattr(self, name)
            require(0 <= value < MOST_COUNT, f"{name} must be a count, got {value}")
        require(self.holds_for == INSIDE, f"holds_for must be {INSIDE!r}, got {self.holds_for!r}")
        require(self.radius == max(self.own, self.found), "radius must be the larger of the two")
        around, away = self.neighbour_radius or 0.0, self.distance or 0.0
        require(self.found <= around, f"found must be at most neighbour_radius, got {self.found}")
        require(
            self.found == 0 or self.found**2 + away**2 <= around**2 * (1 + ROUNDING),
            f"found must lie within neighbour_radius at this distance, got {self.found}",
        )
        require(
            (self.neighbour_radius is not None) == self.moved
            and self.neighbour_draws == (self.fresh if self.moved else 0),
            "distance, neighbour_radius and neighbour_draws must be there together, got "
            f"{self.distance}, {self.neighbour_radius} and {self.neighbour_draws}",
        )
        together = self.own_alpha + self.neighbour_alpha
        require(together <= self.alpha, f"alpha must cover both certificates, got {self.alpha}")

    @property
    def moved(self) -> bool:
        """Whether fresh draws were spent on a neighbour."""
        return self.distance is not None

    @property
    def total_draws(self) -> int:
        """All draws: of the run, of the pilot and at the neighbour."""
        return self.draws + self.pilot_draws + self.neighbour_draws


COLUMNS = tuple(field.name for field in fields(NeighbourRow))


def neighbours_path(folder: Path) -> Path:
    """Return where the table is kept if no other path is given."""
    return folder / "geometry.csv"


def write_neighbours(path: Path, rows: Sequence[NeighbourRow]) -> None:
    """Write the whole table, as CSV or as JSON by the suffix; floats read back as they are."""
    if path.suffix == ".json":
        write_atomically(path, (write_json(list_records(rows), indent=1) + "\n").encode())
        return
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for record in list_records(rows):
        writer.writerow([_write_cell(record[name]) for name in COLUMNS])
    write_atomically(path, text.getvalue().encode())


def _write_cell(value: Any) -> str:
    """Write a value as the text of a cell; a missing one is empty."""
    return "" if value is None else str(value)


def list_records(rows: Sequence[NeighbourRow]) -> list[dict[str, Any]]:
    """Return the rows as plain values."""
    return [asdict(row) for row in rows]


def read_neighbours(path: Path) -> list[NeighbourRow]:
    """Read and check the rows of a table, no link; an error names the row that is wrong."""
    try:
        text = read_text(path, follow=False)
        records = _parse_records(path, text)
    except (InvalidInput, csv.Error) as error:
        raise DamagedRun(f"{path} cannot be read as a table of neighbours: {error}") from None
    rows = [_read_neighbour_row(path, number, held) for number, held in enumerate(records, 1)]
    if len({row.index for row in rows}) < len(rows):
        raise DamagedRun(f"{path} was altered: it holds an input twice")
    return rows


def _parse_records(path: Path, text: str) -> Sequence[Mapping[str, str]]:
    """Return the texts of each row by the names of its columns, which must be ours."""
    if path.suffix == ".json":
        held = parse_json(str(path), text)
        require(isinstance(held, list), f"it must be a list of rows, got {type(held).__name__}")
        require(all(isinstance(one, dict) for one in held), "each row must be an object")
        tables = [{name: _write_cell(value) for name, value in one.items()} for one in held]
    else:
        head, *lines = [*csv.reader(StringIO(text))] or [[]]
        require(tuple(head) == COLUMNS, f"its first line must name {', '.join(COLUMNS)}")
        require(all(len(line) == len(head) for line in lines), "its lines must be equally long")
        tables = [dict(zip(head, line, strict=True)) for line in lines]
    require(
        all(tuple(one) == COLUMNS for one in tables), f"each row must have {', '.join(COLUMNS)}"
    )
    return tables


def _read_neighbour_row(path: Path, number: int, texts: Mapping[str, str]) -> NeighbourRow:
    try:
        kinds = {field.name: str(field.type) for field in fields(NeighbourRow)}
        return NeighbourRow(**{name: read_cell(kinds[name], texts[name]) for name in COLUMNS})
    except (ValueError, InvalidInput) as error:
        raise DamagedRun(f"{path} was altered: row {number}: {error}") from None
