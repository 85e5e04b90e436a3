"""A table as Markdown, aligned in its source too; every text from outside is escaped."""

from html import escape

from simplicert.analysis.tables.grid import Grid, one_line, spans, words

SPECIAL = "\\`*_{}[]|~$#!"  # letters that may begin something


def markdown(grid: Grid) -> str:
    """A title line, a table and a list of notes."""
    rows = [
        [weighted(grid, place, column) for column in range(len(cells))]
        for place, cells in enumerate(grid.rows)
    ]
    table = [headings(grid), *rows]
    left = [words(grid, column) for column in range(len(grid.headings))]
    widths = [max(3, *(len(line[column]) for line in table)) for column in range(len(left))]
    rule = [
        f":{'-' * (width - 1)}" if side else f"{'-' * (width - 1)}:"
        for side, width in zip(left, widths, strict=True)
    ]
    lines = [
        "| "
        + " | ".join(
            text.ljust(width) if side else text.rjust(width)
            for text, width, side in zip(line, widths, left, strict=True)
        )
        + " |"
        for line in (table[0], rule, *rows)
    ]
    notes = ["", *(f"- {escaped(note)}" for note in grid.notes)] if grid.notes else []
    return "\n".join([f"**{escaped(grid.title)}**", "", *lines, *notes, ""])


def headings(grid: Grid) -> list[str]:
    """A line of headings; where two read the same, with the heading over each before it."""
    texts = [escaped(heading) for heading in grid.headings]
    if len(set(texts)) == len(texts):
        return texts
    for text, columns in spans(grid):
        for column in columns:
            texts[column] = f"{escaped(text)} {texts[column]}".strip()
    return texts


def weighted(grid: Grid, place: int, column: int) -> str:
    """One cell, bold where it is."""
    text = escaped(grid.rows[place][column])
    return f"**{text}**" if (place, column) in grid.bold and text else text


def escaped(text: str) -> str:
    """Text that shows as itself: no markup, no HTML, no second cell."""
    marked = "".join(f"\\{letter}" if letter in SPECIAL else letter for letter in one_line(text))
    return escape(marked, quote=False)
