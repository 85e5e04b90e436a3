"""A log as lines and cells: the separator found, rows told from other lines, nothing dropped."""

import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from simplicert.errors import InvalidInput, require
from simplicert.files import MOST_LOG, read_text
from simplicert.runs.logs import cells

SEPARATORS = ("\t", ",", ";", "|")  # tried in this order on the first line; else any white space
SHOWN = 60  # characters of a line that an error or a finding repeats

Value = TypeVar("Value")


class Table(NamedTuple):
    """The rows of a log under their names, with the lines they stand on."""

    path: Path
    names: tuple[str, ...]
    rows: list[list[str]]
    lines: list[int]
    left_out: tuple[str, ...]  # lines that are no rows: summaries, a line cut short

    def place(self, *names: str) -> int | None:
        """The column under the first of these names that there is."""
        return next((self.names.index(name) for name in names if name in self.names), None)

    def needed(self, *names: str) -> int:
        """The column under one of these names, or an error that lists what there is."""
        found = self.place(*names)
        if found is None:
            raise InvalidInput(
                f"{self.path} must have a column {' or '.join(names)}, got {', '.join(self.names)}"
            )
        return found

    def column(self, place: int, read: Callable[[str], Value], what: str) -> list[Value]:
        """One column, read cell by cell; the first cell that cannot be read is named."""
        out = []
        for line, row in zip(self.lines, self.rows, strict=True):
            try:
                out.append(read(row[place]))
            except (ValueError, ArithmeticError):
                raise InvalidInput(
                    f"{self.path} line {line}: {self.names[place]} must be {what}, "
                    f"got {row[place]!r:.{SHOWN}}"
                ) from None
        return out


def read_table(path: Path, key: Sequence[str], default: Sequence[str] = ()) -> Table:
    """The table of a log. A line is a row where its `key` column (its first) is a number.

    `default`: the names of a log that may come without a header.
    """
    lines = [(n, line) for n, line in enumerate(text_of(path).splitlines(), 1) if line.strip()]
    require(bool(lines), f"{path} must hold a header and at least one row, got an empty file")
    separator = next((s for s in SEPARATORS if s in lines[0][1]), None)
    first = split(lines[0][1].lstrip("#"), separator)
    require(bool(first), f"{path} must hold a header and at least one row, got {lines[0][1]!r:.40}")
    if default and is_number(first[0]):
        names = tuple(default[: len(first)])
    else:
        names = tuple(name.lower() for name in first)
        lines = lines[1:]
    at = next((names.index(name) for name in key if name in names), 0)
    kept, left_out = [], []
    for place, (number, line) in enumerate(lines):
        row = split(line, separator)
        if is_row(row, at, names):
            kept.append((number, row))
            continue
        cut_short = place == len(lines) - 1 and len(row) < len(names)
        if len(row) > at and is_number(row[at]) and not cut_short:
            raise InvalidInput(
                f"{path} line {number} must have {len(names)} cells ({', '.join(names)}), "
                f"got {len(row)}: {line!r:.{SHOWN}}"
            )
        left_out.append(f"line {number}, {line.strip()!r:.{SHOWN}}")
    require(bool(kept), f"{path} must hold at least one row, got only {', '.join(names)}")
    return Table(path, names, [r for _, r in kept], [n for n, _ in kept], tuple(left_out))


def text_of(path: Path) -> str:
    """The text of a log."""
    require(path.is_file(), f"file must be a log that exists, got {str(path)!r}")
    return read_text(path, MOST_LOG, encoding="utf-8-sig")


def split(line: str, separator: str | None) -> list[str]:
    """The cells of a line without the blanks around them."""
    if separator is None:
        return line.split()
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=separator), [])]
    except csv.Error as error:  # a cell of more than 128 kB
        raise InvalidInput(
            f"a line of a log must be made of cells, got {line[:SHOWN]!r}: {error}"
        ) from None


def is_number(cell: str) -> bool:
    """Whether a cell is an integer, as an index or a class is."""
    try:
        cells.whole(cell)
    except (ValueError, ArithmeticError):
        return False
    return True


def is_row(row: list[str], at: int, names: tuple[str, ...]) -> bool:
    """Whether a line has all its cells and a number where a row has one."""
    return len(row) == len(names) and is_number(row[at])
