"""Counts as a table: one row an input, whole numbers between blanks, tabs or commas."""

import re
from pathlib import Path

import numpy as np

from simplicert.errors import InvalidInput, require
from simplicert.runs.logs.table import SHOWN, text_of
from simplicert.types import Ints

WHOLE = re.compile(r"[+-]?[0-9]+")
# Headings of columns that hold no counts; the last column may be one of them.
OTHERS = {"", "id", "idx", "index", "input", "label", "labels", "target", "y"}
NUMBERED = 3  # cells from which on 0, 1, 2, ... are taken for the numbers of columns


def read_count_table(path: Path, labelled: bool) -> tuple[Ints, Ints | None]:
    """Counts and, where the last column holds them, labels; from # on a line is a comment."""
    lines = [line.partition("#")[0].strip() for line in text_of(path).splitlines()]
    lines = [line for line in lines if line]
    if lines and is_header(names_of(lines[0])):
        header, lines = lines[0], lines[1:]
        check_header(path, header, lines, labelled)
    require(bool(lines), f"{path} must hold at least one row of counts, got none")
    table = numbers_of(path, lines)
    labels = table[:, -1]
    if not labelled:
        if is_label(labels, table.shape[1] - 1).all():
            refuse_other(path, table, table[:, :-1], "--labels")
        return with_draws(path, table), None
    counts = table[:, :-1]
    refuse_other(path, counts, table, "--no-labels")
    outside = ~is_label(labels, counts.shape[1])
    if outside.any():
        row = outside.argmax()
        raise InvalidInput(
            f"{path} must end each row with a label in 0..{counts.shape[1] - 1}, got "
            f"{labels[row]} in row {row + 1}; a table without labels needs --no-labels"
        )
    return with_draws(path, counts), labels


def with_draws(path: Path, counts: Ints) -> Ints:
    """The counts, or an error where a row has none, or seems to number the columns."""
    draws, numbers = counts.sum(axis=1, dtype=float), np.arange(counts.shape[1])
    header = len(numbers) >= NUMBERED and np.array_equal(counts[0], numbers) and np.ptp(draws) > 0
    require(not header, f"{path} must hold counts in row 1, got the numbers of its columns")
    if (draws == 0).any():
        row = (draws == 0).argmax() + 1
        raise InvalidInput(f"{path} must hold at least one draw in each row, got none in row {row}")
    return counts


def cells_of(line: str) -> list[str]:
    """The cells of a line; between commas there may be none, which no number can be read from."""
    return [cell.strip() for cell in line.split(",")] if "," in line else line.split()


def names_of(line: str) -> list[str]:
    """The cells of a header: between tabs a name may hold blanks."""
    tabbed = "," not in line and "\t" in line
    return [cell.strip() for cell in line.split("\t")] if tabbed else cells_of(line)


def is_header(cells: list[str]) -> bool:
    """Whether a first line holds names: no number at all, or 0, 1, 2, ... and a word at the end."""
    numbered = len(cells) >= NUMBERED and cells[:-1] == [
        str(place) for place in range(len(cells) - 1)
    ]
    return not any(map(is_number, cells)) or (numbered and not is_number(cells[-1]))


def is_number(cell: str) -> bool:
    """Whether a cell is a number of any sort: a row of fractions is refused, and no header."""
    try:
        float("".join(cell.split()))  # "7 2" between tabs is two of them
    except ValueError:
        return False
    return True


def check_header(path: Path, header: str, lines: list[str], labelled: bool) -> None:
    """Refuse a table whose names say that a column of counts holds something else."""
    names = [cell.strip("\"'").lower() for cell in names_of(header)]
    wide = len(cells_of(lines[0])) if lines else len(names)
    require(
        len(names) == wide,
        f"{path} must name each column in its header, got {len(names)} names for {wide} columns",
    )
    other = next((name for name in names[: -1 if labelled else None] if name in OTHERS), None)
    where = "but the last, the label" if labelled else "with --no-labels"
    require(
        other is None,
        f"{path} must hold counts in all columns {where}, got a column with the name {other!r}",
    )


def numbers_of(path: Path, lines: list[str]) -> Ints:
    """The whole numbers of all rows; the first row that is not made of them is named, from 1."""
    rows: list[Ints] = []
    for number, line in enumerate(lines, 1):
        cells = cells_of(line)
        if not all(WHOLE.fullmatch(cell) for cell in cells):
            raise InvalidInput(
                f"{path} must hold whole numbers between blanks, tabs or commas, "
                f"got {line!r:.{SHOWN}} in row {number}"
            )
        wide = len(rows[0]) if rows else len(cells)
        require(
            len(cells) == wide,
            f"{path} must hold as many numbers in each row as in row 1, {wide}, "
            f"got {len(cells)} in row {number}",
        )
        try:
            rows.append(np.array([int(cell) for cell in cells], dtype=np.int64))
        except (OverflowError, ValueError):  # Python reads no number of thousands of digits
            raise InvalidInput(
                f"{path} must hold numbers below 2^63, got more in row {number}"
            ) from None
    table = np.stack(rows)
    below = (table[:, :-1] < 0).any(axis=1)  # the last column may be a label, which has its own
    require(
        not below.any(),
        f"{path}: counts must not be negative, got {lines[below.argmax()]!r:.{SHOWN}} "
        f"in row {below.argmax() + 1}",
    )
    return table


def is_label(column: Ints, classes: int) -> Ints:
    """Which of a column's values may be labels."""
    return np.asarray((column >= 0) & (column < classes))


def refuse_other(path: Path, read: Ints, other: Ints, option: str) -> None:
    """Refuse a table whose rows differ in draws as read, and not with, or without, a label last.

    A class read as a label, or a label as a class, makes certificates of draws that never were.
    """
    draws, equal = read.sum(axis=1, dtype=float), other.sum(axis=1, dtype=float)
    if np.ptp(draws) > 0 and np.ptp(equal) == 0:
        labelled = option == "--labels"
        holds = "a label" if labelled else "a count"
        raise InvalidInput(
            f"{path} seems to hold {holds} in its last column, give {option}: its rows have "
            f"{draws.min():.0f} to {draws.max():.0f} draws as read, and all {equal[0]:.0f} so"
        )
