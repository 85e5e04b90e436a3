"""A table before anything is drawn."""

from typing import NamedTuple


class Grid(NamedTuple):
    """A table before anything is drawn: the same rows serve every format."""

    title: str
    headings: tuple[str, ...]
    rows: list[tuple[str, ...]]
    notes: tuple[str, ...] = ()
