"""What the commands print: tables on stdout, warnings on stderr."""

from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from simplicert.analysis.tables import Grid
from simplicert.analysis.tables.grid import one_line, spans, words
from simplicert.cli.saying import warn

__all__ = ["show", "warn"]

PIPED = 200  # columns where there is no terminal to ask
GAP = 2  # blanks between columns, one where that saves breaking the table


def show(grid: Grid) -> None:
    """A table with a title line; words to the left, numbers to the right, nothing cut.

    A table too wide for the terminal is broken into blocks, each with the columns that name a row.
    """
    console = Console(highlight=False, markup=False, emoji=False)
    terminal = console.is_terminal
    stars = bool(grid.bold) and not terminal  # a file shows no weight
    console.print(one_line(grid.title), style="bold", soft_wrap=True)
    for line in drawn(grid, console.width if terminal else PIPED, stars=stars):
        console.print(line, soft_wrap=True)
    for note in (*grid.notes, *["* stands for bold"] * stars):
        console.print(one_line(note), style="dim", soft_wrap=not terminal)


class Layout(NamedTuple):
    """Cells as they are printed, and where they stand."""

    cells: list[list[str]]  # headings first
    widths: list[int]
    left: list[bool]
    gap: int

    def room(self, columns: list[int]) -> int:
        """The width of these columns side by side."""
        return sum(self.widths[column] + self.gap for column in columns) - self.gap

    def padded(self, line: int, column: int) -> str:
        """One cell, filled up by the width that a terminal gives it."""
        text = self.cells[line][column]
        fill = " " * (self.widths[column] - cell_len(text))
        return text + fill if self.left[column] else fill + text


def drawn(grid: Grid, width: int, *, stars: bool = False) -> list[Text]:
    """The lines of the table, block after block."""
    layout = laid_out(grid, width, stars)
    lines: list[Text] = []
    for block in blocks(grid, layout, width):
        lines += [Text()] if lines else []
        lines += [Text(line, "dim") for line in over_headings(grid, layout, block)]
        for line in range(len(layout.cells)):
            if line - 1 in grid.rules:
                lines.append(Text("-" * layout.room(block), "dim"))
            parts = [
                Text(layout.padded(line, column), weight(grid, line - 1, column))
                for column in block
            ]
            lines.append(Text(" " * layout.gap).join(parts))
            lines[-1].rstrip()
    return lines


def laid_out(grid: Grid, width: int, stars: bool) -> Layout:
    """Cells, and the widest of each column."""
    marked = {column for _, column in grid.bold} if stars else set()
    cells = [[one_line(heading) for heading in grid.headings]]
    for place, row in enumerate(grid.rows):
        star = ["*" if (place, column) in grid.bold else " " for column in range(len(row))]
        cells.append(
            [
                one_line(text) + (star[column] if column in marked else "")
                for column, text in enumerate(row)
            ]
        )
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    fits = sum(widths) + GAP * (len(widths) - 1) <= width
    tight = sum(widths) + len(widths) - 1 <= width
    left = [words(grid, column) for column in range(len(widths))]
    return Layout(cells, widths, left, 1 if tight and not fits else GAP)


def blocks(grid: Grid, layout: Layout, width: int) -> list[list[int]]:
    """Columns that fit beside each other; those under one heading stay together if they can."""
    keys = list(range(min(grid.keys, len(layout.widths))))
    found = [list(keys)]
    for _, group in spans(grid):
        rest = [column for column in group if column not in keys]
        if layout.room(found[-1] + rest) > width >= layout.room(keys + rest):
            found.append(list(keys))
        for column in rest:
            if layout.room([*found[-1], column]) > width and found[-1] != keys:
                found.append(list(keys))
            found[-1].append(column)
    return found


def over_headings(grid: Grid, layout: Layout, block: list[int]) -> list[str]:
    """The line of headings over headings, each over its columns of this block."""
    if not grid.spans:
        return []
    line = ""
    for text, group in spans(grid):
        columns = [column for column in group if column in block]
        if columns:
            start = layout.room(block[: block.index(columns[0])]) + layout.gap
            line = line.ljust(max(start, len(line) + 1 if text and line else 0)) + one_line(text)
    return [line.rstrip()]


def weight(grid: Grid, place: int, column: int) -> str:
    """How a cell is printed; the headings stand at place -1."""
    if (place, column) in grid.bold:
        return "bold"
    return "dim" if place in grid.faint or place < 0 else ""
