"""Write the table of a search for neighbours, one row per input, kept beside the run.

Every row says for which perturbed inputs its radius holds.
"""

import csv
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from io import StringIO
from pathlib import Path
from typing import Any

from simplicert.errors import require
from simplicert.files import write_atomically
from simplicert.records import write_json

INSIDE = "perturbed inputs in [0, 1]"  # for which a radius holds


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

    def __post_init__(self) -> None:
        """Refuse values that no search can have."""
        for name in ("radius", "own", "found", "plain"):
            value = getattr(self, name)
            require(0 <= value < math.inf, f"{name} must be finite and not negative, got {value!r}")
        require(self.radius == max(self.own, self.found), "radius must be the larger of the two")
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
        writer.writerow(["" if record[name] is None else record[name] for name in COLUMNS])
    write_atomically(path, text.getvalue().encode())


def list_records(rows: Sequence[NeighbourRow]) -> list[dict[str, Any]]:
    """Return the rows as plain values."""
    return [asdict(row) for row in rows]
