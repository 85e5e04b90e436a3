"""Print sentences safely: lines on stdout, warnings and notes on stderr; and read --label RUN=name.

Every sentence that a command prints goes through `print_lines`, `print_content`, `print_warning` or
`print_note`, and all JSON through `print_json`. Names, errors and findings come from files that
others wrote. A control character in them could clear the screen, colour a failure green or write a
line of its own; it is shown as `?`.
`parse_labels` reads the names for runs.
"""

import sys
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import typer

from simplicert.errors import require
from simplicert.records import write_json

CONTROL = ("C", "Zl", "Zp")  # Unicode categories: control, format, surrogate; line separators


def print_lines(*lines: str) -> None:
    """Print lines on stdout, each of which stays one line."""
    for line in lines or ("",):
        typer.echo(_clean_line(line))


def print_content(content: str) -> None:
    """Print on stdout the content of a file, with its own line ends."""
    typer.echo(replace_controls(content), nl=False)


def print_json(content: object) -> None:
    """Print one line of JSON on stdout, as `write_json` writes it."""
    print_lines(write_json(content))


def print_warning(message: str) -> None:
    """Print one line on stderr, which stays visible if the table goes into a pipe."""
    print_note(f"simplicert: {message}")


def print_note(line: str) -> None:
    """Print one line on stderr without a prefix; a closed terminal does not end the command."""
    with suppress(OSError):
        print(_clean_line(line), file=sys.stderr)


def replace_controls(text: str) -> str:
    """Replace control characters, except line ends and tabs, by `?`."""
    if text.isascii() and text.isprintable():
        return text
    whole = text.replace("\r\n", "\n")
    return "".join(c if c in "\n\t" or not _is_control(c) else "?" for c in whole)


def _clean_line(text: str) -> str:
    """Replace control characters, and line ends by blanks."""
    return " ".join(replace_controls(text).split("\n"))


def _is_control(letter: str) -> bool:
    """Tell whether a terminal would do something other than show this character."""
    return unicodedata.category(letter).startswith(CONTROL)


def parse_labels(texts: Sequence[str], folders: Sequence[Path | str] = ()) -> dict[str, str]:
    """Parse RUN=name, once for each run that gets another name.

    Both sides may contain an equals sign: the split is the one after a run of `folders`, else the
    last.
    """
    runs = {str(Path(folder)) for folder in folders}
    labels: dict[str, str] = {}
    for text in texts:
        places = [place for place, letter in enumerate(text) if letter == "="]
        ends = [place for place in places if str(Path(text[:place])) in runs] or places[-1:]
        place = ends[-1] if ends else -1
        folder, name = text[: max(place, 0)], text[place + 1 :].strip()
        require(bool(folder and name), f"label must be RUN=name, got {text!r}")
        labels[folder] = name
    return labels
