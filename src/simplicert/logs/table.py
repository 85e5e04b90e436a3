"""Read a log as a table: find the separator, tell rows from other lines, and parse its cells.

`read_table` returns a `LogTable` and drops nothing silently: lines that are no rows are listed.
The `parse_...` functions read one cell and raise ValueError if it holds something else.
`printed_intervals` says where a printed number may lie. `{:.3}` prints three significant digits and
drops zeros at the end, so "1.2" stands for 1.195 to 1.205; `{:.3f}` prints three decimals, so
"0.012" stands for 0.0115 to 0.0125. One text does not tell which of the two was used, but the texts
of one log together do: no number in it was rounded more coarsely than both the most significant
digits and the most decimals seen in that log allow.
"""

import csv
import re
from collections.abc import Callable, Sequence
from datetime import timedelta
from decimal import Decimal, InvalidOperation
from math import isfinite
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from simplicert.errors import InvalidInput, require
from simplicert.files import MOST_LOG, read_text
from simplicert.store.parts import MOST_SECONDS
from simplicert.types import Floats

NO_NUMBER = ("", "none", "nan", "null", "na")  # ways in which logs write a missing number
SWITCHES = {"true": 1, "false": 0}
MOST = 2**53  # integers below stay exact as float64
USUAL_NUMBER = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,15})?")  # finite, whatever its digits are
USUAL_DIGITS = 16  # integers with fewer digits are below MOST
SEPARATORS = ("\t", ",", ";", "|")  # tried in this order on the first line, then white space
SHOWN_CHARACTERS = 60  # characters of a line that an error or a finding quotes
Value = TypeVar("Value")


class LogTable(NamedTuple):
    """The rows of a log, the names of its columns, and the line number of each row."""

    path: Path
    names: tuple[str, ...]
    rows: list[list[str]]
    lines: list[int]
    left_out: tuple[str, ...]  # lines that are no rows: summaries, a line cut short

    def place(self, *names: str) -> int | None:
        """Find the column under the first of these names that exists."""
        return next((self.names.index(name) for name in names if name in self.names), None)

    def require_place(self, *names: str) -> int:
        """Find the column under one of these names, or raise an error that lists all names."""
        place = self.place(*names)
        if place is None:
            raise InvalidInput(
                f"{self.path} must have a column {' or '.join(names)}, got {', '.join(self.names)}"
            )
        return place

    def column(self, place: int, read: Callable[[str], Value], what: str) -> list[Value]:
        """Read one column cell by cell; an error names the first cell that cannot be read.

        Most columns repeat a few texts, each of which is parsed once.
        """
        out, known = [], {}
        for line, row in zip(self.lines, self.rows, strict=True):
            try:
                if row[place] not in known:
                    known[row[place]] = read(row[place])
                out.append(known[row[place]])
            except (ValueError, ArithmeticError):
                raise InvalidInput(
                    f"{self.path} line {line}: {self.names[place]} must be {what}, "
                    f"got {row[place]!r:.{SHOWN_CHARACTERS}}"
                ) from None
        return out


def read_table(path: Path, key: Sequence[str], default: Sequence[str] = ()) -> LogTable:
    """Read the table of a log. A line is a row if its `key` column (or its first) is an integer.

    `default` names the columns of a log that may have no header.
    """
    lines = [
        (n, line) for n, line in enumerate(read_log_text(path).splitlines(), 1) if line.strip()
    ]
    require(bool(lines), f"{path} must hold a header and at least one row, got an empty file")
    separator = next((s for s in SEPARATORS if s in lines[0][1]), None)
    first = _split_line(lines[0][1].lstrip("#"), separator)
    require(bool(first), f"{path} must hold a header and at least one row, got {lines[0][1]!r:.40}")
    if default and is_integer(first[0]):
        names = tuple(default[: len(first)])
    else:
        names = tuple(name.lower() for name in first)
        lines = lines[1:]
    twice = sorted({name for name in names if name and names.count(name) > 1})
    require(not twice, f"{path} must name each column once, got {', '.join(twice)} several times")
    at = next((names.index(name) for name in key if name in names), 0)
    kept, left_out = [], []
    for place, (number, line) in enumerate(lines):
        row = _split_line(line, separator)
        if _is_row(row, at, names):
            kept.append((number, row))
            continue
        cut_short = place == len(lines) - 1 and len(row) < len(names)
        if len(row) > at and is_integer(row[at]) and not cut_short:
            raise InvalidInput(
                f"{path} line {number} must have {len(names)} cells ({', '.join(names)}), "
                f"got {len(row)}: {line!r:.{SHOWN_CHARACTERS}}"
            )
        left_out.append(f"line {number}, {line.strip()!r:.{SHOWN_CHARACTERS}}")
    require(bool(kept), f"{path} must hold at least one row, got only {', '.join(names)}")
    return LogTable(path, names, [r for _, r in kept], [n for n, _ in kept], tuple(left_out))


def read_log_text(path: Path) -> str:
    """Read the text of a log."""
    require(path.is_file(), f"file must be a log that exists, got {str(path)!r}")
    return read_text(path, MOST_LOG, encoding="utf-8-sig")


def _split_line(line: str, separator: str | None) -> list[str]:
    """Split a line into cells without the blanks around them."""
    if separator is None:
        return line.split()
    if '"' not in line and len(line) <= csv.field_size_limit():  # nothing is quoted or too long
        return [cell.strip() for cell in line.split(separator)]
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=separator), [])]
    except csv.Error as error:  # a cell of more than 128 kB
        raise InvalidInput(
            f"a line of a log must be made of cells, got {line[:SHOWN_CHARACTERS]!r}: {error}"
        ) from None


def _is_row(row: list[str], at: int, names: tuple[str, ...]) -> bool:
    """Tell whether a line has all its cells and an integer in its key column."""
    return len(row) == len(names) and is_integer(row[at])


def is_integer(cell: str) -> bool:
    """Tell whether a cell is an integer, as an index or a class is."""
    try:
        parse_integer(cell)
    except (ValueError, ArithmeticError):
        return False
    return True


def parse_integer(text: str) -> int:
    """Parse an integer, also "[3]" (a label that was an array) or "3.0" (a column with gaps)."""
    if len(text) < USUAL_DIGITS and text.isascii() and text.isdigit():
        return int(text)
    number = Decimal(_require_finite_text(text.strip("[]")))
    if abs(number) >= MOST or number != int(number):
        raise ValueError(text)
    return int(number)


def parse_class(text: str) -> int:
    """Parse a class; it is negative where the log gives none, -1 for an empty cell."""
    return -1 if text.lower() in NO_NUMBER else parse_integer(text)


def parse_boolean(text: str) -> int:
    """Parse 0 or 1, True or False; any other integer is kept for the audit to judge."""
    return SWITCHES[text.lower()] if text.lower() in SWITCHES else parse_integer(text)


def parse_number_text(text: str) -> str:
    """Return the text of a finite number as it is printed; "" where there is none."""
    return "" if text.lower() in NO_NUMBER else _require_finite_text(text)


def parse_seconds(text: str) -> float:
    """Parse seconds, H:MM:SS.ffffff, or Python's "1 day, H:MM:SS"; NaN where there is none."""
    if text.lower() in NO_NUMBER:
        return float("nan")
    days, _, clock = text.rpartition(", ")
    parts = [float(_require_finite_text(part)) for part in clock.split(":")]
    if len(parts) == 1:
        return _require_seconds(parts[0], text)
    hours, minutes, rest = parts
    whole_days = int(days.split()[0]) if days else 0
    spent = timedelta(days=whole_days, hours=hours, minutes=minutes, seconds=rest)
    return _require_seconds(spent.total_seconds(), text)


def _require_seconds(seconds: float, text: str) -> float:
    """Return a time that can be added and shown; nobody waited longer than MOST_SECONDS."""
    if abs(seconds) >= MOST_SECONDS:
        raise ValueError(text)
    return seconds


def _require_finite_text(text: str) -> str:
    """Return the text if it is a finite number."""
    if USUAL_NUMBER.fullmatch(text):
        return text
    try:
        finite = isfinite(float(Decimal(text)))
    except InvalidOperation:
        finite = False
    if not finite:
        raise ValueError(text)
    return text


class PrintedNumbers(NamedTuple):
    """Printed numbers, and the intervals they may stand for; NaN where there is no text."""

    value: Floats  # (N,)
    lower: Floats  # (N,) rounded down
    upper: Floats  # (N,) rounded up


def printed_intervals(texts: Sequence[str]) -> PrintedNumbers:
    """Return the intervals of numbers that print as these texts; "" stands for no number."""
    told = list(dict.fromkeys(text for text in texts if text))  # few of them differ
    numbers = [Decimal(text) for text in told]
    ends: dict[str, tuple[float, float, float]] = {"": (np.nan, np.nan, np.nan)}
    for text, number, unit in zip(told, numbers, _last_digit_units(numbers), strict=True):
        low, high = float(number - unit / 2), float(number + unit / 2)
        ends[text] = float(number), np.nextafter(low, -np.inf), np.nextafter(high, np.inf)
    value, lower, upper = np.array([ends[text] for text in texts], dtype=float).reshape(-1, 3).T
    return PrintedNumbers(value, lower, upper)


def _last_digit_units(numbers: Sequence[Decimal]) -> list[Decimal]:
    """Return the unit of the last digit of each number, never smaller than the one it had."""
    digits = max((len(n.as_tuple().digits) for n in numbers if n), default=1)
    finest = min((_last_digit_exponent(n) for n in numbers), default=0)
    return [
        Decimal((0, (1,), max(finest, n.adjusted() - digits + 1 if n else finest))) for n in numbers
    ]


def _last_digit_exponent(number: Decimal) -> int:
    """Return the power of ten of the last digit in the text."""
    power = number.as_tuple().exponent
    assert isinstance(power, int)  # the number is finite: parse_number_text refuses others
    return power
