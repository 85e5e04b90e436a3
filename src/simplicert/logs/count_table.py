"""Read counts written as a table: one row per input, separated by blanks, tabs or commas.

`read_count_table` refuses what would silently give wrong counts: a column that numbers the inputs,
a label read as a count, a count read as a label, or a header read as a row.
"""

import re
from pathlib import Path

import numpy as np

from simplicert.errors import InvalidInput, require
from simplicert.logs.count_lists import CountTable
from simplicert.logs.table import SHOWN_CHARACTERS, read_log_text
from simplicert.types import Ints

WHOLE = re.compile(r"([+-]?[0-9]+)(?:\.0*)?")  # also 7.0: some libraries turn columns into floats
FEWEST_COLUMNS = 3  # with this many columns or more, the first may be an index
FEWEST_NUMBERED = 3  # with this many cells or more, 0, 1, 2, ... are column numbers
ABSTAINED_NAMES = {"abstain", "abstained", "abstentions", "invalid"}  # draws without a class

# Headings of columns that hold no counts; only the last column may have one of them.
OTHERS = {
    *("", "id", "idx", "index", "input", "image", "img", "file", "filename", "path", "row"),
    *("sample", "unnamed: 0", "label", "labels", "target", "truth", "class", "y", "y_true"),
    *("predict", "predicted", "prediction", "total", "draws"),
}


def read_count_table(path: Path, labelled: bool) -> CountTable:
    """Read the counts and, if the last column holds them, the labels; # starts a comment.

    A column that the header names as abstentions holds draws without a class, which count against
    every class.
    """
    lines = [line.partition("#")[0].strip() for line in read_log_text(path).splitlines()]
    lines = [line for line in lines if line]
    names: list[str] = []
    if lines and _is_header(_split_names(lines[0])):
        names, lines = _check_column_names(path, lines[0], lines[1:], labelled), lines[1:]
    require(bool(lines), f"{path} must hold at least one row of counts, got none")
    classes = [name for name in names if name.lower() not in ABSTAINED_NAMES]
    table = _parse_count_rows(path, lines, classes[:-1] if labelled else [])
    labels = table[:, -1]
    if not labelled:
        if _is_label(labels, table.shape[1] - 1).all():
            _refuse_misread_labels(path, table, table[:, :-1], "--labels")
        return _split_abstentions(_check_draws(path, table), None, names)
    counts = table[:, :-1]
    _refuse_misread_labels(path, counts, table, "--no-labels")
    held = _split_abstentions(_check_draws(path, counts), labels, names)
    outside = ~_is_label(labels, held.counts.shape[1])
    if outside.any():
        row = outside.argmax()
        raise InvalidInput(
            f"{path} must end each row with a label in 0..{held.counts.shape[1] - 1}, got "
            f"{labels[row]} in row {row + 1}; a table without labels needs --no-labels"
        )
    return held


def _split_names(line: str) -> list[str]:
    """Split a header into names; between tabs, a name may contain blanks."""
    tabbed = "," not in line and "\t" in line
    return [cell.strip() for cell in line.split("\t")] if tabbed else _split_cells(line)


def _split_cells(line: str) -> list[str]:
    """Split a line into cells; a cell between commas may be empty, and is then no number."""
    return [cell.strip() for cell in line.split(",")] if "," in line else line.split()


def _is_header(cells: list[str]) -> bool:
    """Tell whether a first line holds names: no number at all, or 0, 1, 2, ... and a last word."""
    numbered = len(cells) >= FEWEST_NUMBERED and cells[:-1] == [
        str(place) for place in range(len(cells) - 1)
    ]
    return not any(map(_is_number, cells)) or (numbered and not _is_number(cells[-1]))


def _is_number(cell: str) -> bool:
    """Tell whether a cell is any number, so that a row of fractions is not taken for a header."""
    try:
        float("".join(cell.split()))  # "7 2" between tabs is two numbers
    except ValueError:
        return False
    return True


def _check_column_names(path: Path, header: str, lines: list[str], labelled: bool) -> list[str]:
    """Return the column names; refuse a name of something other than counts."""
    names = [cell.strip("\"'") for cell in _split_names(header)]
    wide = len(_split_cells(lines[0])) if lines else len(names)
    require(
        len(names) == wide,
        f"{path} must name each column in its header, got {len(names)} names for {wide} columns",
    )
    require(
        not (labelled and names[-1].lower() in ABSTAINED_NAMES),
        f"{path} must hold the label in its last column, got the name {names[-1]!r}; "
        "a table without labels needs --no-labels",
    )
    counted = names[: -1 if labelled else None]
    other = next((name for name in counted if name.lower() in OTHERS), None)
    where = "but the last, the label" if labelled else "with --no-labels"
    require(
        other is None,
        f"{path} must hold counts in all columns {where}, got a column with the name {other!r}: "
        "leave it out, or move it to the end if it holds the labels",
    )
    return names


def _parse_count_rows(path: Path, lines: list[str], classes: list[str]) -> Ints:
    """Parse the whole numbers of all rows; an error names the first bad row, counted from 1.

    A label may also be one of the `classes` that the header names.
    """
    rows: list[Ints] = []
    for number, line in enumerate(lines, 1):
        cells = _split_cells(line)
        if classes.count(cells[-1].strip("\"'")) == 1 and not _is_number(cells[-1]):
            cells[-1] = str(classes.index(cells[-1].strip("\"'")))
        whole = [WHOLE.fullmatch(cell) for cell in cells]
        if None in whole:
            raise InvalidInput(
                f"{path} must hold whole numbers between blanks, tabs or commas, "
                f"got {line!r:.{SHOWN_CHARACTERS}} in row {number}{_explain_unreadable_row(cells)}"
            )
        wide = len(rows[0]) if rows else len(cells)
        require(
            len(cells) == wide,
            f"{path} must hold as many numbers in each row as in row 1, {wide}, "
            f"got {len(cells)} in row {number}",
        )
        try:
            rows.append(np.array([int(match[1]) for match in whole if match], np.int64))
        except (OverflowError, ValueError):  # Python parses no number with thousands of digits
            raise InvalidInput(
                f"{path} must hold numbers below 2^63, got more in row {number}"
            ) from None
    table = np.stack(rows)
    below = (table[:, :-1] < 0).any(axis=1)  # a label, if last, is checked later
    require(
        not below.any(),
        f"{path}: counts must not be negative, got {lines[below.argmax()]!r:.{SHOWN_CHARACTERS}} "
        f"in row {below.argmax() + 1}",
    )
    return table


def _explain_unreadable_row(cells: list[str]) -> str:
    """Say what an unreadable row seems to hold, if that is easy to tell."""
    if not _is_number(cells[-1]) and all(WHOLE.fullmatch(cell) for cell in cells[:-1]):
        return "; a label must be a class's number, from 0, or its name in the header"
    if all(map(_is_number, cells)):
        return "; shares of the draws are no counts"
    return ""


def _is_label(column: Ints, classes: int) -> Ints:
    """Mark the values of a column that may be labels."""
    return np.asarray((column >= 0) & (column < classes))


def _refuse_misread_labels(path: Path, read: Ints, other: Ints, option: str) -> None:
    """Refuse a table whose rows have unequal draws as read, but equal draws under the other option.

    A class read as a label, or a label read as a class, would certify draws that were never made.
    """
    draws, equal = read.sum(axis=1, dtype=float), other.sum(axis=1, dtype=float)
    if np.ptp(draws) > 0 and np.ptp(equal) == 0:
        labelled = option == "--labels"
        holds = "a label" if labelled else "a count"
        raise InvalidInput(
            f"{path} seems to hold {holds} in its last column, give {option}: its rows have "
            f"{draws.min():.0f} to {draws.max():.0f} draws as read, and all {equal[0]:.0f} so"
        )


def _check_draws(path: Path, counts: Ints) -> Ints:
    """Return the counts, if each row has draws and none seems to number the columns."""
    draws, numbers = counts.sum(axis=1, dtype=float), np.arange(counts.shape[1])
    header = (
        len(numbers) >= FEWEST_NUMBERED and np.array_equal(counts[0], numbers) and np.ptp(draws) > 0
    )
    require(not header, f"{path} must hold counts in row 1, got the numbers of its columns")
    _refuse_index_column(path, counts)
    if (draws == 0).any():
        row = (draws == 0).argmax() + 1
        raise InvalidInput(f"{path} must hold at least one draw in each row, got none in row {row}")
    return counts


def _refuse_index_column(path: Path, counts: Ints) -> None:
    """Refuse a first column that numbers the inputs: without it, all rows have equal draws."""
    draws, rest = counts.sum(axis=1, dtype=float), counts[:, 1:].sum(axis=1, dtype=float)
    if (
        counts.shape[1] >= FEWEST_COLUMNS
        and np.ptp(draws) > 0
        and np.ptp(rest) == 0
        and rest[0] > 0
    ):
        raise InvalidInput(
            f"{path} seems to hold no counts in its first column, leave it out: its rows have "
            f"{draws.min():.0f} to {draws.max():.0f} draws as read, and all {rest[0]:.0f} without; "
            "counts that are so by chance go into an npz file"
        )


def _split_abstentions(counts: Ints, labels: Ints | None, names: list[str]) -> CountTable:
    """Separate the draws without a class, if the header names such a column, from the counts."""
    abstained = np.zeros(counts.shape[1], dtype=bool)
    for place, name in enumerate(names[: len(abstained)]):
        abstained[place] = name.lower() in ABSTAINED_NAMES
    invalid = counts[:, abstained].sum(axis=1) if abstained.any() else None
    return CountTable(counts[:, ~abstained], labels, None, invalid)
