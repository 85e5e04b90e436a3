"""What the commands print: tables on stdout, warnings on stderr."""

import sys

from rich.console import Console
from rich.table import Table

from simplicert.analysis.tables import Grid

PIPED = 200  # columns where there is no terminal to ask


def show(grid: Grid) -> None:
    """A table with a title line; words to the left, numbers to the right, nothing cut."""
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = PIPED
    console.print(grid.title, style="bold", soft_wrap=True)
    table = Table(box=None, pad_edge=False, header_style="dim")
    for place, heading in enumerate(grid.headings):
        words = any(row[place][:1].isalpha() for row in grid.rows)
        table.add_column(heading, justify="left" if words else "right", overflow="fold")
    for row in grid.rows:
        table.add_row(*row)
    console.print(table)
    for note in grid.notes:
        console.print(note, style="dim", soft_wrap=True)


def warn(message: str) -> None:
    """One line that a pipe of the table does not swallow."""
    print(f"simplicert: {message}", file=sys.stderr)
