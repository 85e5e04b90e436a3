"""Read a file of certificates exactly as it is written, for comparison.

Nothing is guessed. A cell that is not written the way we write it makes the file unreadable, so
that no spelling of a number or of a truth value escapes the comparison.
"""

import csv
import math
import re
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from simplicert.files import MOST_LOG, parse_json, read_file, read_text
from simplicert.types.certificates import LAST_COLUMNS, RESERVED_COLUMNS

if TYPE_CHECKING:
    import pyarrow as pa

# Columns by what they hold; all others hold decimals.
WHOLE = {"index", "label", "top", "predicted", "draws", "looks", "count_top", "count_second"}
TRUTH = {"correct", "abstained"}
WORDS = {"winner", "kind", "scheme", "stopped", "method", "noise", "norm"}
NEEDED = ("index", "radius", "sigma", "alpha", "kind", "scheme")
LAST_NEEDED = ("method", "sensitivity")  # in a file that has any of the last columns
MOST_COLUMNS = 100
MOST_SIGNS = 100  # characters in one cell
ColumnReport = Callable[[int, int], None]  # gets the number of columns read, and of all
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")
_DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]{1,3})?")


class StoredCertificates(NamedTuple):
    """A file of certificates: its columns in order, None in empty cells, and Parquet metadata."""

    columns: dict[str, list[Any]]
    extra: dict[str, Any]

    def first(self, name: str) -> Any:
        """Return a setting from the first row; the comparison checks that all rows repeat it."""
        return self.columns[name][0]

    @property
    def places(self) -> dict[int, int]:
        """The row number of each input."""
        return {item: row for row, item in enumerate(self.columns["index"])}

    @property
    def mechanisms(self) -> list[str]:
        """Names of the columns that each hold the radii of one mechanism."""
        return [name for name in self.columns if name not in RESERVED_COLUMNS]

    @property
    def older(self) -> bool:
        """Whether the file was written before the last six columns existed: it has none of them."""
        return not set(LAST_COLUMNS) & set(self.columns)


def read_stored(
    path: Path, most: int, report: ColumnReport = lambda done, count: None
) -> StoredCertificates:
    """Read the table, its numbers exactly as written; a ValueError if it is not one of ours.

    `most` is the number of inputs in the run: a file with more rows is refused.
    """
    columns, extra = (_read_stored_csv if path.suffix == ".csv" else _read_stored_parquet)(
        path, most, report
    )
    needed = {*NEEDED} | ({*LAST_NEEDED} if {*LAST_COLUMNS} & {*columns} else set())
    needed |= {"noise"} if "norm" in columns else set()
    if lost := sorted(needed - set(columns)):
        raise ValueError(f"it lacks the columns {', '.join(lost)}")
    if not columns["index"]:
        raise ValueError("it holds no row")
    if len(set(columns["index"])) < len(columns["index"]):
        raise ValueError("an input comes twice")
    return StoredCertificates(columns, extra)


def _read_stored_csv(
    path: Path, most: int, report: ColumnReport
) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    """Read a CSV file, one line per input, with every cell spelled as `certify` spells it."""
    with StringIO(read_text(path, MOST_LOG), newline="") as file:
        lines = _read_csv_rows(csv.reader(file, strict=True))
        names = _require_distinct_names(next(lines, []))
        rows: list[list[str]] = []
        for row in lines:
            if len(row) != len(names):
                raise ValueError(f"row {len(rows) + 1} has {len(row)} cells for {len(names)} names")
            if len(rows) == most:
                raise ValueError(f"it holds more rows than the run's {most} inputs")
            rows.append(row)
    cells = zip(*rows, strict=True) if rows else ([] for _ in names)
    columns = {}
    for name, column in zip(names, cells, strict=True):
        columns[name] = _parse_column(name, column)
        report(len(columns), len(names))
    return columns, {}


def _read_csv_rows(reader: Iterator[list[str]]) -> Iterator[list[str]]:
    """Yield the rows; what the csv module cannot read is a ValueError, like other faults."""
    try:
        yield from reader
    except csv.Error as error:
        raise ValueError(str(error)) from None


def _require_distinct_names(names: list[str]) -> list[str]:
    """Return the header if no name occurs twice and there are not too many."""
    if len(set(names)) < len(names) or len(names) > MOST_COLUMNS:
        raise ValueError(
            f"its {len(names)} columns must be at most {MOST_COLUMNS}, each named once"
        )
    return names


def _parse_column(name: str, texts: Any) -> list[Any]:
    """Parse one column, each spelling once; an empty cell is None."""
    parse = _choose_cell_parser(name)
    meant = {text: None if text == "" else parse(name, text) for text in dict.fromkeys(texts)}
    return [meant[text] for text in texts]


def _choose_cell_parser(name: str) -> Callable[[str, str], Any]:
    """Choose the function that parses the cells of a column."""
    if name in WHOLE:
        return _parse_integer_cell
    if name in TRUTH:
        return _parse_boolean_cell
    return _parse_word_cell if name in WORDS else _parse_decimal_cell


def _parse_integer_cell(name: str, text: str) -> int:
    """Parse a whole number, written without leading zeros."""
    if not _INTEGER.fullmatch(text):
        raise ValueError(f"{name} must be a whole number, got {text[:40]!r}")
    return int(text)


def _parse_boolean_cell(name: str, text: str) -> bool:
    """Parse True or False."""
    if text not in ("True", "False"):
        raise ValueError(f"{name} must be True or False, got {text[:40]!r}")
    return text == "True"


def _parse_word_cell(name: str, text: str) -> str:
    """Parse a short printable word."""
    if len(text) > MOST_SIGNS or not text.isprintable():
        raise ValueError(f"{name} must be a short word, got {text[:40]!r}")
    return text


def _parse_decimal_cell(name: str, text: str) -> float:
    """Parse a finite decimal."""
    value = float(text) if len(text) <= MOST_SIGNS and _DECIMAL.fullmatch(text) else math.inf
    if not math.isfinite(value):
        raise ValueError(f"{name} must be a finite decimal, got {text[:40]!r}")
    return value


def _read_stored_parquet(
    path: Path, most: int, report: ColumnReport
) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    """Read columns of the types that `certify` writes; NaN is an empty cell."""
    from simplicert.parquet import read_parquet

    table = read_parquet(read_file(path, MOST_LOG), most, texts=True)
    names = _require_distinct_names(table.column_names)
    extra = parse_json("its metadata", (table.schema.metadata or {}).get(b"simplicert", b"{}"))
    if not isinstance(extra, dict):
        raise ValueError("its metadata are none of ours")
    columns = {}
    for name in names:
        columns[name] = _convert_column(name, table[name])
        report(len(columns), len(names))
    return columns, extra


def _convert_column(name: str, column: "pa.ChunkedArray") -> list[Any]:
    """Return one column as plain values, if it has the right type."""
    import pyarrow.types as of

    kind = column.type
    parse = _choose_cell_parser(name)
    fits = (
        (parse is _parse_integer_cell and of.is_integer(kind))
        or (parse is _parse_boolean_cell and of.is_boolean(kind))
        or (parse is _parse_decimal_cell and of.is_floating(kind))
        or (parse is _parse_word_cell and (of.is_string(kind) or of.is_large_string(kind)))
    )
    if not (fits or of.is_null(kind)):
        raise ValueError(f"column {name} must not hold {kind}")
    plain = column.to_pylist()
    if parse is not _parse_decimal_cell:
        return [value if value != "" else None for value in plain]
    if any(value is not None and math.isinf(value) for value in plain):
        raise ValueError(f"{name} must hold finite numbers, got infinity")
    return [None if value is None or math.isnan(value) else value for value in plain]
