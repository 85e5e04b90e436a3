"""Read any table of radii with a header; the importer says which column is which.

The columns are given as index=...,predict=...,radius=...
"""

from pathlib import Path

from simplicert.errors import require
from simplicert.logs.log import Log, build_log
from simplicert.logs.table import read_table

NAMES = ("index", "label", "predict", "radius", "correct", "seconds", "draws")  # our names
NEEDED = ("predict", "radius")


def read_radii(path: Path, columns: str) -> Log:
    """Read the rows of the given columns; without index=... they are numbered from 0."""
    named = _parse_columns(columns)
    table = read_table(path, [named.get("index", named["predict"])])
    return build_log(table, {name: table.require_place(column) for name, column in named.items()})


def _parse_columns(columns: str) -> dict[str, str]:
    """Parse "index=a,label=b,predict=c,radius=d" into our names and the file's."""
    pairs = [pair.partition("=") for pair in columns.split(",") if pair.strip()]
    named = {ours.strip(): theirs.strip().lower() for ours, _, theirs in pairs}
    known = all(theirs and ours in NAMES for ours, theirs in named.items())
    require(
        known and len(named) == len(pairs) and all(name in named for name in NEEDED),
        f"columns must be name=column pairs with {' and '.join(NEEDED)}, each of "
        f"{', '.join(NAMES)} at most once, got {columns!r}",
    )
    return named
