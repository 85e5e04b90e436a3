"""Write a table as HTML: a page that opens from disk, or the markup that the report takes over.

All text from outside is escaped. `table_markup` serves both, so that a table looks the same on
every page; table.css has its look, light, dark and in print. What a table and a column say is
shown where they are pointed at, from the glossary.
"""

from html import escape
from importlib.resources import files

from simplicert.glossary import COLUMNS, TABLES
from simplicert.tables.grid import Grid, group_headings, is_text_column, to_one_line

MANY = 5  # columns beyond which a narrow screen shows rows one below the other

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; \
img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="simplicert {version}">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<main>
{table}
</main>
<footer><p class="note">Made by simplicert {version}.</p></footer>
</body>
</html>
"""


def render_html(grid: Grid) -> str:
    """Write a page of its own, without scripts, that calls nothing over the network."""
    from simplicert.store.manifest import package_version

    return PAGE.format(
        version=escape(package_version()),
        title=escape(to_one_line(grid.title)),
        style=read_table_style(),
        table=table_markup(grid, tip="title"),
    )


def read_table_style() -> str:
    """Return the colours and the look of tables, which every page of ours begins with."""
    return (files("simplicert.tables") / "table.css").read_text(encoding="utf-8")


def table_markup(grid: Grid, look: str = "grid", tip: str = "data-tip") -> str:
    """Write the table and the notes below it; `tip` is the attribute that holds explanations."""
    title, width = escape(to_one_line(grid.title)), len(grid.headings)
    names = f"{look}{' many' if width > MANY else ''}"
    lines = [
        f'<div class="scroll" role="region" aria-label="{title}" tabindex="0">'
        f'<table class="{escape(names)}">',
        f"  <caption{tip_attributes(TABLES.get(grid.name, ''), tip)}>{title}</caption>",
        f"  <thead>{_group_row(grid)}<tr>{''.join(_heading(grid, at, tip) for at in range(width))}"
        "</tr></thead>",
        "  <tbody>",
        *(f"  {_row(grid, place)}" for place in range(len(grid.rows))),
        "  </tbody>",
        "</table></div>",
    ]
    lines += [f'<p class="note">{escape(to_one_line(note))}</p>' for note in grid.notes]
    return "\n".join(lines)


def _group_row(grid: Grid) -> str:
    """Write the line of headings that span several columns, if there is any."""
    groups = group_headings(grid)
    if not any(text for text, _ in groups):
        return ""
    cells = [
        f'<th scope="colgroup" colspan="{len(columns)}">{escape(text)}</th>'
        if text
        else "<td></td>"
        for text, columns in groups
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _heading(grid: Grid, column: int, tip: str) -> str:
    """Write the heading of a column; what it says is explained where the glossary knows it."""
    text = to_one_line(grid.headings[column])
    if not text:
        return "<td></td>"
    side = ' class="word"' if column and is_text_column(grid, column) else ""
    known = COLUMNS.get(text, "") if tip == "title" else ""  # the report's script has more words
    return f'<th scope="col"{side}{tip_attributes(known, tip)}>{escape(text)}</th>'


def _row(grid: Grid, place: int) -> str:
    """Write one row: its first cell names it."""
    marks = [name for name, rows in (("ruled", grid.rules), ("faint", grid.faint)) if place in rows]
    opened = f'<tr class="{" ".join(marks)}">' if marks else "<tr>"
    cells = [_cell(grid, place, column) for column in range(len(grid.rows[place]))]
    return f"{opened}{''.join(cells)}</tr>"


def _cell(grid: Grid, place: int, column: int) -> str:
    """Write one cell; on a narrow screen its heading stands beside it."""
    text = escape(to_one_line(grid.rows[place][column]))
    shown = f"<b>{text}</b>" if (place, column) in grid.bold else text
    if column == 0:
        return f'<th scope="row">{shown}</th>'
    side = ' class="word"' if is_text_column(grid, column) else ""
    return f'<td{side} data-heading="{escape(to_one_line(grid.headings[column]))}">{shown}</td>'


def tip_attributes(text: str, tip: str = "data-tip") -> str:
    """Write the attributes that show an explanation to the pointer and to the keyboard."""
    return f' {tip}="{escape(text)}" tabindex="0"' if text else ""
