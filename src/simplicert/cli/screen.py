"""Print tables on stdout: words to the left, numbers to the right, nothing cut.

A table too wide for the terminal is broken into blocks. Sentences are printed by `saying`, which
needs no rich and so starts faster.
"""

from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from simplicert.cli.saying import print_warning
from simplicert.tables import Grid
from simplicert.tables.grid import group_headings, is_text_column, to_one_line

__all__ = ["print_table", "print_warning"]

PIPED_WIDTH = 200  # characters in a line if there is no terminal

GAP = 2  # blanks between columns; one if that saves breaking the table


def print_table(grid: Grid) -> None:
    """Print a table with its title and notes.

    A table too wide for the terminal is broken into blocks, each with the columns that name a row.
    """
    console = Console(highlight=False, markup=False, emoji=False)
    terminal = console.is_terminal
    stars = bool(grid.bold) and not terminal  # plain text has no bold
    console.print(to_one_line(grid.title), style="bold", soft_wrap=True)
    for line in table_lines(grid, console.width if terminal else PIPED_WIDTH, stars=stars):
        console.print(line, soft_wrap=True)
    for note in (*grid.notes, *["* marks what a terminal shows in bold"] * stars):
        console.print(to_one_line(note), style="dim", soft_wrap=not terminal)


class TableLayout(NamedTuple):
    """The cells as they are printed, and the widths and sides of their columns."""

    cells: list[list[str]]  # headings first
    widths: list[int]
    left: list[bool]
    gap: int

    def total_width(self, columns: list[int]) -> int:
        """Return the width of these columns side by side."""
        return sum(self.widths[column] + self.gap for column in columns) - self.gap

    def pad_cell(self, line: int, column: int) -> str:
        """Return one cell, padded to its column by the width that a terminal shows."""
        text = self.cells[line][column]
        fill = " " * (self.widths[column] - cell_len(text))
        return text + fill if self.left[column] else fill + text


def table_lines(grid: Grid, width: int, *, stars: bool = False) -> list[Text]:
    """Return the lines of the table, block after block."""
    layout = _lay_out_table(grid, width, stars)
    lines: list[Text] = []
    for block in _column_blocks(grid, layout, width):
        lines += [Text()] if lines else []
        lines += [Text(line, "dim") for line in _span_headings(grid, layout, block)]
        for line in range(len(layout.cells)):
            if line - 1 in grid.rules:
                lines.append(Text("-" * layout.total_width(block), "dim"))
            parts = [
                Text(layout.pad_cell(line, column), _cell_style(grid, line - 1, column))
                for column in block
            ]
            lines.append(Text(" " * layout.gap).join(parts))
            lines[-1].rstrip()
    return lines


def _lay_out_table(grid: Grid, width: int, stars: bool) -> TableLayout:
    """Prepare the cells, and measure the widest of each column."""
    marked = {column for _, column in grid.bold} if stars else set()
    cells = [[to_one_line(heading) for heading in grid.headings]]
    for place, row in enumerate(grid.rows):
        star = ["*" if (place, column) in grid.bold else " " for column in range(len(row))]
        cells.append(
            [
                to_one_line(text) + (star[column] if column in marked else "")
                for column, text in enumerate(row)
            ]
        )
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    fits = sum(widths) + GAP * (len(widths) - 1) <= width
    tight = sum(widths) + len(widths) - 1 <= width
    left = [is_text_column(grid, column) for column in range(len(widths))]
    return TableLayout(cells, widths, left, 1 if tight and not fits else GAP)


def _column_blocks(grid: Grid, layout: TableLayout, width: int) -> list[list[int]]:
    """Group columns that fit side by side; those under one heading stay together if they can."""
    keys = list(range(min(grid.keys, len(layout.widths))))
    blocks = [list(keys)]
    for _, group in group_headings(grid):
        rest = [column for column in group if column not in keys]
        if layout.total_width(blocks[-1] + rest) > width >= layout.total_width(keys + rest):
            blocks.append(list(keys))
        for column in rest:
            if layout.total_width([*blocks[-1], column]) > width and blocks[-1] != keys:
                blocks.append(list(keys))
            blocks[-1].append(column)
    return blocks


def _span_headings(grid: Grid, layout: TableLayout, block: list[int]) -> list[str]:
    """Return the line of upper headings, each over its columns of this block."""
    if not grid.spans:
        return []
    line = ""
    for text, group in group_headings(grid):
        columns = [column for column in group if column in block]
        if columns:
            start = layout.total_width(block[: block.index(columns[0])]) + layout.gap
            line = line.ljust(max(start, len(line) + 1 if text and line else 0)) + to_one_line(text)
    return [line.rstrip()]


def _cell_style(grid: Grid, place: int, column: int) -> str:
    """Return the style of a cell; the headings are at place -1."""
    if (place, column) in grid.bold:
        return "bold"
    return "dim" if place in grid.faint or place < 0 else ""
