"""Write a table as Markdown, LaTeX, HTML, CSV or JSON; all text from outside is escaped.

Markdown is aligned in the source too, LaTeX uses booktabs rules, HTML is a page of its own, CSV
holds the records at full precision, and JSON holds both. FORMATS lists the functions that write
them, and `choose_format` picks a format by its name or by the suffix of the file.
"""

import csv
import re
import unicodedata
from collections.abc import Callable
from html import escape
from io import StringIO
from pathlib import Path
from typing import Any

from simplicert.errors import choose, require
from simplicert.records import write_json
from simplicert.tables.grid import Grid, Value, group_headings, is_text_column, to_one_line
from simplicert.tables.html import render_html

MARKDOWN_SPECIAL = "\\`*_{}[]|~$#!"  # letters that may begin markup

LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    "[": "{[}",  # a row that began with one would be read as the length of the line break
    "]": "{]}",
    "*": "{*}",
    "±": r"$\pm$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "\u00d7": r"$\times$",
}

GREEK = "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ"  # the letters that LaTeX has a name for
SYMBOLS = {"sigma": r"$\sigma$", ">": "$>$"}  # headings that papers print as symbols
NUMBER = re.compile(r"([<>]?)(\+-|\+|-)?(\d+(?:\.\d+)?)(?:e([+-]\d+))?")
RANGE = re.compile(r"(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)")
FORMULA = tuple("=+-@\t\r")  # a spreadsheet would run a cell that begins with one of these
SUFFIXES = {
    ".md": "markdown",
    ".tex": "latex",
    ".html": "html",
    ".csv": "csv",
    ".json": "json",
}


def choose_format(name: str | None, out: Path | None) -> str:
    """Return the format by its name, or by the file's suffix; without a file, the screen."""
    if name is not None:
        chosen = choose("format", name, {"screen": "screen"} | {each: each for each in FORMATS})
        require(
            out is None or chosen != "screen",
            f"format must be one of {', '.join(FORMATS)} to be written to {out}, got 'screen'",
        )
        expected = chosen if out is None else SUFFIXES.get(out.suffix, chosen)
        require(
            expected == chosen,
            f"format must be {expected} to be written to {out}, or be left out, got {chosen!r}",
        )
        return chosen
    if out is None:
        return "screen"
    require(
        out.suffix in SUFFIXES,
        f"out must end in {', '.join(SUFFIXES)}, or format be given, got {str(out)!r}",
    )
    return SUFFIXES[out.suffix]


def _render_markdown(grid: Grid) -> str:
    """Write a title line, a table and a list of notes."""
    rows = [
        [_markdown_cell(grid, place, column) for column in range(len(cells))]
        for place, cells in enumerate(grid.rows)
    ]
    table = [_markdown_headings(grid), *rows]
    left = [is_text_column(grid, column) for column in range(len(grid.headings))]
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
    notes = ["", *(f"- {escape_markdown(note)}" for note in grid.notes)] if grid.notes else []
    return "\n".join([f"**{escape_markdown(grid.title)}**", "", *lines, *notes, ""])


def _markdown_headings(grid: Grid) -> list[str]:
    """Return the headings; if two read the same, each begins with the heading above it."""
    texts = [escape_markdown(heading) for heading in grid.headings]
    if len(set(texts)) == len(texts):
        return texts
    for text, columns in group_headings(grid):
        for column in columns:
            texts[column] = f"{escape_markdown(text)} {texts[column]}".strip()
    return texts


def _markdown_cell(grid: Grid, place: int, column: int) -> str:
    """Return one cell, in bold type where the table says so."""
    text = escape_markdown(grid.rows[place][column])
    return f"**{text}**" if (place, column) in grid.bold and text else text


def escape_markdown(text: str) -> str:
    """Escape text so that it shows as itself: no markup, no HTML, no second cell."""
    marked = "".join(
        f"\\{letter}" if letter in MARKDOWN_SPECIAL else letter for letter in to_one_line(text)
    )
    return escape(marked, quote=False)


def _render_latex(grid: Grid) -> str:
    """Write a floating table: caption, rules, rows, and the notes below in small type."""
    columns = "".join(
        "l" if is_text_column(grid, place) else "r" for place in range(len(grid.headings))
    )
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{table*}",
        rf"\caption{{{escape_latex(grid.title)}}}",
        r"\centering",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        *_latex_group_headings(grid),
        _latex_row([_latex_heading(heading) for heading in grid.headings]),
        r"\midrule",
    ]
    for place, cells in enumerate(grid.rows):
        lines += [r"\midrule"] if place in grid.rules else []
        lines.append(_latex_row([_latex_cell(grid, place, column) for column in range(len(cells))]))
    lines += [r"\bottomrule", r"\end{tabular}"]
    if grid.notes:
        lines += ["", r"\smallskip", r"\begin{minipage}{\linewidth}\footnotesize"]
        lines += [rf"{escape_latex(note)}\par" for note in grid.notes]
        lines.append(r"\end{minipage}")
    return "\n".join([*lines, r"\end{table*}", ""])


def _latex_group_headings(grid: Grid) -> list[str]:
    """Return the line of spanning headings, with a rule below each."""
    groups = group_headings(grid)
    if not any(text for text, _ in groups):
        return []
    cells = [
        rf"\multicolumn{{{len(columns)}}}{{c}}{{{_latex_heading(text)}}}" if text else ""
        for text, columns in groups
    ]
    rules = [
        rf"\cmidrule(lr){{{columns[0] + 1}-{columns[-1] + 1}}}" for text, columns in groups if text
    ]
    return [_latex_row(cells), " ".join(rules)]


def _latex_heading(text: str) -> str:
    """Write a heading, which is ours: its signs may be printed as papers print them."""
    return SYMBOLS.get(text, escape_latex(text.replace(">=", "≥").replace("<=", "≤")))


def _latex_row(cells: list[str]) -> str:
    """Join the cells of a row and end it."""
    return " & ".join(cells) + r" \\"


def _latex_cell(grid: Grid, place: int, column: int) -> str:
    """Return one cell in its type; numbers are set as mathematics where text would look wrong."""
    text = to_one_line(grid.rows[place][column])
    shown = escape_latex(text) if column < grid.keys else latex_number(text)
    if (place, column) in grid.bold:
        return rf"\textbf{{{shown}}}"
    return rf"{{\scriptsize {shown}}}" if place in grid.faint and shown else shown


def latex_number(text: str) -> str:
    """Write a number, an interval or other text in LaTeX."""
    if match := NUMBER.fullmatch(text):
        sign, plus, digits, power = match.groups()
        plus = {"+-": r"\pm", "+": "+", "-": "-", None: ""}[plus]
        if not (sign or plus or power):
            return digits
        times = "" if digits == "1" else rf"{digits} \times "
        tail = rf"{times}10^{{{int(power)}}}" if power else digits
        return f"${sign}{plus}{tail}$"
    if match := RANGE.fullmatch(text):
        return f"{match[1]}--{match[2]}"
    return escape_latex(text)


def escape_latex(text: str) -> str:
    """Escape text to print as itself; letters beyond Latin and Greek need XeLaTeX or LuaLaTeX."""
    safe = "".join(LETTERS.get(letter, letter) for letter in to_one_line(text))
    return re.sub("-(?=-)", "-{}", safe)  # two hyphens would print as a dash


def _latex_greek_letter(letter: str) -> str:
    """Write a Greek letter by the name that Unicode and LaTeX share, except for one spelling."""
    name = unicodedata.name(letter).split()[-1].replace("LAMDA", "LAMBDA")
    return rf"$\{name.capitalize() if letter.isupper() else name.lower()}$"


LETTERS = LATEX_SPECIAL | {letter: _latex_greek_letter(letter) for letter in GREEK}


def _render_csv(grid: Grid) -> str:
    """Write the records at full precision: floats read back as the same number."""
    require(bool(grid.records), f"format csv needs records, and the table {grid.title!r} has none")
    names = list(dict.fromkeys(name for record in grid.records for name in record))
    sink = StringIO()
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(
        [_format_csv_cell(record.get(name)) for name in names] for record in grid.records
    )
    return sink.getvalue()


def _format_csv_cell(value: Value) -> str:
    """Return one cell: empty for None, true or false, no text that a spreadsheet would run."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        text = to_one_line(value)
        return f"'{text}" if text.startswith(FORMULA) else text
    return repr(float(value)) if isinstance(value, float) else str(int(value))


def table_record(grid: Grid) -> dict[str, Any]:
    """Return a table as values that JSON can hold: the texts that are shown, and the numbers."""
    return {
        "table": grid.name,
        "title": grid.title,
        "headings": grid.headings,
        "rows": grid.rows,
        "notes": grid.notes,
        "records": grid.records,
    }


def _render_json(grid: Grid) -> str:
    """Write the table as JSON on one line."""
    return f"{write_json(table_record(grid))}\n"


FORMATS: dict[str, Callable[[Grid], str]] = {
    "markdown": _render_markdown,
    "latex": _render_latex,
    "html": render_html,
    "csv": _render_csv,
    "json": _render_json,
}
