"""The table itself, before it is shown or written, and the options a caller may set.

`Grid` holds the rows as text, and `TableOptions` the options. `is_text_column`, `group_headings`
and `to_one_line` are what every format needs to write a table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

MOST_RADII = 9  # columns of accuracies: 0, 0.25, ... 2 are as many
Value = str | float | int | bool | None


@dataclass(frozen=True)
class TableOptions:
    """Options of a table; a style takes some of them, and None is the style's own default.

    >>> import simplicert as sc
    >>> options = sc.tables.TableOptions(radii=(0.25, 0.5), population="correct")
    >>> options.column is None  # so the style's own default
    True
    """

    kind: str | None = None  # multinomial or softmax; by default what each run declared
    column: str | None = None  # of the certificates, such as a mechanism
    population: str | None = None  # all or correct
    radii: tuple[float, ...] | None = None
    inclusive: bool | None = None  # radius >= r instead of radius > r
    intervals: bool | None = None  # whether a second line shows intervals
    published: str | None = None  # the literature's rows of this benchmark, under those of the runs
    common: bool | None = None  # only the inputs that all runs hold


class Grid(NamedTuple):
    """A table before it is shown or written: the same rows serve every format.

    Cells are the texts a reader sees, rounded to the safe side; `records` hold the same numbers at
    full precision, one record per row of a CSV file.

    >>> import simplicert as sc
    >>> grid = sc.tables.Grid("Radii", ("input", "radius"), [("0", "0.99"), ("1", "0.57")])
    >>> print(sc.tables.FORMATS["markdown"](grid), end="")
    **Radii**
    <BLANKLINE>
    | input | radius |
    | :---- | -----: |
    | 0     |   0.99 |
    | 1     |   0.57 |
    """

    title: str
    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    notes: tuple[str, ...] = ()
    spans: tuple[tuple[str, int], ...] = ()  # heading, columns that it spans; from the left
    keys: int = 1  # leading columns that name a row
    bold: frozenset[tuple[int, int]] = frozenset()  # (row, column)
    faint: frozenset[int] = frozenset()  # rows of lesser weight: intervals
    rules: frozenset[int] = frozenset()  # rows with a line above
    records: tuple[Mapping[str, Value], ...] = ()
    name: str = ""  # by which the glossary explains it


def is_text_column(grid: Grid, column: int) -> bool:
    """Whether a column holds words, aligned to the left, and not numbers, aligned to the right."""
    cells = [row[column].lstrip("<>+-[ ") for row in grid.rows]
    return column == 0 or any(cell[:1].isalpha() for cell in cells)


def group_headings(grid: Grid) -> list[tuple[str, list[int]]]:
    """Return each spanning heading with its columns; columns without one stand alone."""
    groups: list[tuple[str, list[int]]] = []
    place = 0
    for text, count in grid.spans:
        columns = list(range(place, place + count))
        groups += [(text, columns)] if text else [("", [column]) for column in columns]
        place += count
    return groups + [("", [column]) for column in range(place, len(grid.headings))]


def to_one_line(text: str) -> str:
    """Make text from outside one line: nothing in it can move a cursor or break a row."""
    return "".join(
        letter if letter.isprintable() else "?" for letter in " ".join(text.split())
    ).strip()
