"""What the commands print: tables on stdout, warnings on stderr."""

import sys

from rich.console import Console
from rich.table import Table

from simplicert.analysis.tables import Grid


def show(grid: Grid) -> None:
    """A table with a title line, its first column left-aligned."""
    console = Console(highlight=False)
    console.print(grid.title, style="bold", soft_wrap=True)
    table = Table(box=None, pad_edge=False, header_style="dim")
    for place, heading in enumerate(grid.headings):
        table.add_column(heading, justify="left" if place == 0 else "right", no_wrap=True)
    for row in grid.rows:
        table.add_row(*row)
    console.print(table)
    for note in grid.notes:
        console.print(note, style="dim", soft_wrap=True)


def warn(message: str) -> None:
    """One line that a pipe of the table does not swallow."""
    print(f"simplicert: {message}", file=sys.stderr)
