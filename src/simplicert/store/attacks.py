"""Write and read the table of an attack, one row per input, kept beside the attacked run.

`AttackRow` is one input: its certificate, and the nearest confirmed point where the class differs.
`write_attack` and `read_attack` write and check the whole table; `read_cell` reads a cell of any
table whose rows are a dataclass.
"""

import csv
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from io import StringIO
from pathlib import Path
from typing import Any

from simplicert.errors import DamagedRun, InvalidInput, require
from simplicert.files import read_text, write_atomically
from simplicert.noises import GAUSSIAN, NOISES
from simplicert.records import read_cell
from simplicert.store.manifest import Manifest
from simplicert.types import KINDS

YES, NO = "true", "false"  # cells of the column broken
USUAL = GAUSSIAN.name  # the noise of a table that does not name one
SAFE = "abcdefghijklmnopqrstuvwxyz0123456789 _+-"  # letters of a plain word

# Columns that must be the same in all rows of a table.
SETTINGS = (
    "level", "inputs", "confirm", "explore", "steps", "restarts", "samples", "gradients", "seed",
    "kind", "alpha", "scheme", "sigma", "norm", "run", "noise",
)  # fmt: skip


@dataclass(frozen=True)
class AttackRow:
    """One input: the certificate, and the nearest confirmed point where its class differs.

    The settings are columns, so that a file read in five years explains itself.
    """

    index: int
    certified: int  # the class that the certificate names
    radius: float
    rival: int | None  # the class at the point found
    found: float | None  # distance of that point, rounded up; None: nothing was confirmed
    draws: int  # noisy copies classified
    tests: int  # confirmations attempted
    level: float  # of each confirmation
    inputs: int  # number attacked: they share the level
    confirm: int
    explore: int
    steps: int
    restarts: int
    samples: int
    gradients: str
    seed: int
    kind: str
    alpha: float
    scheme: str
    sigma: float
    norm: str
    run: str  # id of the run
    noise: str = USUAL  # the column is written where it is another one

    def __post_init__(self) -> None:
        """Refuse values that no attack can have."""
        for name in ("radius", "sigma", "level"):
            value = getattr(self, name)
            require(0 < value < math.inf, f"{name} must be positive and finite, got {value!r}")
        for name in ("index", "certified", "draws", "tests"):
            value = getattr(self, name)
            require(0 <= value < 2**63, f"{name} must not be negative, got {value!r}")
        require(self.kind in KINDS.values(), f"kind must be one of KINDS, got {self.kind!r:.40}")
        require((self.found is None) == (self.rival is None), "found and rival come together")
        require(
            self.found is None or 0 < self.found < math.inf,
            f"found must be positive and finite, got {self.found!r}",
        )
        require(self.rival != self.certified, "rival must not be the certified class")
        require(self.noise in NOISES, f"noise must be a name of the table, got {self.noise!r:.40}")
        for name in ("gradients", "scheme", "norm", "run"):
            plain = set(getattr(self, name).lower()) <= set(SAFE)
            require(plain, f"{name} must be a plain word, got {getattr(self, name)!r:.40}")

    @property
    def broken(self) -> bool:
        """Whether the class was confirmed to change inside the certified radius.

        A radius that is a whole number of features covers as many.
        """
        if self.found is None:
            return False
        closed = NOISES[self.noise].closed
        return self.found <= self.radius if closed else self.found < self.radius

    @property
    def ratio(self) -> float | None:
        """The distance that the attack needed, divided by the certified radius."""
        return None if self.found is None else self.found / self.radius

    def settings(self) -> dict[str, Any]:
        """Return the settings, which all rows of a table share."""
        return {name: getattr(self, name) for name in SETTINGS}


NAMES = tuple(field.name for field in fields(AttackRow))
COLUMNS = (*NAMES[:5], "ratio", "broken", *NAMES[5:-1])  # of Gaussian noise
NOISE_COLUMNS = (*COLUMNS, "noise")


def attack_path(folder: Path, manifest: Manifest, kind: str, norm: str | None = None) -> Path:
    """Return the default path of the attack on one kind of a run's certificates, in one norm."""
    words = ["attack", *([] if kind == manifest.kind else [kind])]
    if norm not in (None, manifest.function["norm"]):
        words.append(str(norm))
    return folder / f"{'-'.join(words)}.csv"


def write_attack(path: Path, rows: Sequence[AttackRow]) -> None:
    """Write the whole table or leave the old one; floats read back as the same numbers."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    columns = COLUMNS if all(row.noise == USUAL for row in rows) else NOISE_COLUMNS
    writer.writerow(columns)
    for row in rows:
        cells = {**asdict(row), "ratio": row.ratio, "broken": YES if row.broken else NO}
        writer.writerow(["" if cells[name] is None else cells[name] for name in columns])
    write_atomically(path, text.getvalue().encode())


def read_attack(path: Path) -> list[AttackRow]:
    """Read and check the rows of a table, no link; an error names the line that is wrong."""
    try:
        lines = list(csv.reader(StringIO(read_text(path, follow=False))))
    except (InvalidInput, csv.Error) as error:
        raise DamagedRun(f"{path} cannot be read as a table of an attack: {error}") from None
    if not lines or tuple(lines[0]) not in (COLUMNS, NOISE_COLUMNS):
        raise DamagedRun(
            f"{path} is no table of an attack: its first line must name {', '.join(COLUMNS)}"
        )
    rows = [_read_attack_row(path, number, cells) for number, cells in enumerate(lines[1:], 2)]
    if len({row.index for row in rows}) < len(rows):
        raise DamagedRun(f"{path} was altered: it holds an input twice")
    if any(row.settings() != rows[0].settings() for row in rows):
        raise DamagedRun(f"{path} was altered: its rows have different settings")
    return rows


def _read_attack_row(path: Path, number: int, cells: Sequence[str]) -> AttackRow:
    """Read one line; a column that follows from others must agree with them."""
    try:
        columns = COLUMNS if len(cells) == len(COLUMNS) else NOISE_COLUMNS
        texts = dict(zip(columns, cells, strict=True))
        values = {
            field.name: read_cell(str(field.type), texts[field.name])
            for field in fields(AttackRow)
            if field.name in texts
        }
        row = AttackRow(**values)
        require(texts["broken"] == (YES if row.broken else NO), "broken contradicts the distances")
    except (ValueError, InvalidInput) as error:
        raise DamagedRun(f"{path} was altered: line {number}: {error}") from None
    return row
