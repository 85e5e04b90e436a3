"""A table before anything is drawn."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

Value = str | float | int | bool | None


class Grid(NamedTuple):
    """A table before anything is drawn: the same rows serve every format.

    Cells are the texts a reader sees, rounded to the safe side; `records` hold the same numbers at
    full precision, one record a row of a file for machines.
    """

    title: str
    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    notes: tuple[str, ...] = ()
    spans: tuple[tuple[str, int], ...] = ()  # headings over so many headings, from the left
    keys: int = 1  # leading columns that name a row
    bold: frozenset[tuple[int, int]] = frozenset()  # (row, column)
    faint: frozenset[int] = frozenset()  # rows of lesser weight: intervals
    rules: frozenset[int] = frozenset()  # rows with a line above
    records: tuple[Mapping[str, Value], ...] = ()


def words(grid: Grid, column: int) -> bool:
    """Whether a column holds words, which stand to the left, or numbers, to the right."""
    cells = [row[column].lstrip("<>+-[ ") for row in grid.rows]
    return column == 0 or any(cell[:1].isalpha() for cell in cells)


def spans(grid: Grid) -> list[tuple[str, list[int]]]:
    """Each heading over headings with its columns; columns without one stand alone."""
    found: list[tuple[str, list[int]]] = []
    place = 0
    for text, count in grid.spans:
        columns = list(range(place, place + count))
        found += [(text, columns)] if text else [("", [column]) for column in columns]
        place += count
    return found + [("", [column]) for column in range(place, len(grid.headings))]


def one_line(text: str) -> str:
    """Text from outside as one line: nothing in it can move a cursor or break a row."""
    return "".join(
        letter if letter.isprintable() else "?" for letter in " ".join(text.split())
    ).strip()
