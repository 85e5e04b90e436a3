"""Every sentence that a command prints goes through here, and none of them moves a cursor.

Names, errors and findings come from files that others wrote. A control character in them could
clear the screen, colour a failure green or write a line of its own; it is shown as `?`.

Names for runs as the command line takes them: --label RUN=name.
"""

import sys
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import typer

from simplicert.errors import require

CONTROL = ("C", "Zl", "Zp")  # categories: control, format, surrogate; separators of lines


def replace_controls(text: str) -> str:
    """Text whose only control characters are ends of lines and tabs."""
    if text.isascii() and text.isprintable():
        return text
    whole = text.replace("\r\n", "\n")
    return "".join(c if c in "\n\t" or not _is_control(c) else "?" for c in whole)


def _is_control(letter: str) -> bool:
    """Whether a terminal does something else with it than to show it."""
    return unicodedata.category(letter).startswith(CONTROL)


def _clean_line(text: str) -> str:
    """The same, without ends of lines."""
    return " ".join(replace_controls(text).split("\n"))


def print_lines(*lines: str) -> None:
    """Lines on stdout, each of which stays one."""
    for line in lines or ("",):
        typer.echo(_clean_line(line))


def print_content(content: str) -> None:
    """On stdout what would be in a file, with its own ends of lines."""
    typer.echo(replace_controls(content), nl=False)


def print_warning(message: str) -> None:
    """One line on stderr, which a pipe of the table does not swallow."""
    print_note(f"simplicert: {message}")


def print_note(line: str) -> None:
    """One line on stderr as it is; a terminal that is gone is no reason to end."""
    with suppress(OSError):
        print(_clean_line(line), file=sys.stderr)


def parse_labels(texts: Sequence[str], folders: Sequence[Path | str] = ()) -> dict[str, str]:
    """RUN=name, once for each run that is to have another name.

    Both sides may hold an equals sign: the split is where a run of `folders` ends, else the last.
    """
    runs = {str(Path(folder)) for folder in folders}
    found: dict[str, str] = {}
    for text in texts:
        places = [place for place, letter in enumerate(text) if letter == "="]
        ends = [place for place in places if str(Path(text[:place])) in runs] or places[-1:]
        place = ends[-1] if ends else -1
        folder, name = text[: max(place, 0)], text[place + 1 :].strip()
        require(bool(folder and name), f"label must be RUN=name, got {text!r}")
        found[folder] = name
    return found
