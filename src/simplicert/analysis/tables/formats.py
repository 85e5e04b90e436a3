"""A table as the text of a file, by the name of a format or the suffix of the file."""

import csv
from collections.abc import Callable
from io import StringIO
from pathlib import Path

from simplicert.analysis.tables.grid import Grid, Value, one_line
from simplicert.analysis.tables.latex import latex
from simplicert.analysis.tables.markdown import markdown
from simplicert.errors import choose, require

FORMULA = tuple("=+-@\t\r")  # a spreadsheet would calculate a cell that begins so


def comma_separated(grid: Grid) -> str:
    """The records at full precision: floats read back as the same number."""
    require(bool(grid.records), f"format csv needs records, and the table {grid.title!r} has none")
    names = list(dict.fromkeys(name for record in grid.records for name in record))
    sink = StringIO()
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([machine(record.get(name)) for name in names] for record in grid.records)
    return sink.getvalue()


def machine(value: Value) -> str:
    """One cell: nothing for None, true or false, and no text that a spreadsheet would run."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        text = one_line(value)
        return f"'{text}" if text.startswith(FORMULA) else text
    return repr(float(value)) if isinstance(value, float) else str(int(value))


FORMATS: dict[str, Callable[[Grid], str]] = {
    "markdown": markdown,
    "latex": latex,
    "csv": comma_separated,
}
SUFFIXES = {".md": "markdown", ".tex": "latex", ".csv": "csv"}


def format_of(name: str | None, out: Path | None) -> str:
    """The format asked for, or that of the file's suffix; the screen where there is no file."""
    if name is not None:
        found = choose("format", name, {"screen": "screen"} | {each: each for each in FORMATS})
        require(
            out is None or found != "screen",
            f"format must be one of {', '.join(FORMATS)} to be written to {out}, got 'screen'",
        )
        named = found if out is None else SUFFIXES.get(out.suffix, found)
        require(
            named == found,
            f"format must be {named} to be written to {out}, or be left out, got {found!r}",
        )
        return found
    if out is None:
        return "screen"
    require(
        out.suffix in SUFFIXES,
        f"out must end in {', '.join(SUFFIXES)}, or format be given, got {str(out)!r}",
    )
    return SUFFIXES[out.suffix]
