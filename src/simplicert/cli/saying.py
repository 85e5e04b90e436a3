"""Every sentence that a command prints goes through here, and none of them moves a cursor.

Names, errors and findings come from files that others wrote. A control character in them could
clear the screen, colour a failure green or write a line of its own; it is shown as `?`.
"""

import sys
import unicodedata
from contextlib import suppress

import typer

CONTROL = ("C", "Zl", "Zp")  # categories: control, format, surrogate; separators of lines


def clean(text: str) -> str:
    """Text whose only control characters are ends of lines and tabs."""
    if text.isascii() and text.isprintable():
        return text
    whole = text.replace("\r\n", "\n")
    return "".join(c if c in "\n\t" or not moves(c) else "?" for c in whole)


def moves(letter: str) -> bool:
    """Whether a terminal does something else with it than to show it."""
    return unicodedata.category(letter).startswith(CONTROL)


def one_line(text: str) -> str:
    """The same, without ends of lines."""
    return " ".join(clean(text).split("\n"))


def say(*lines: str) -> None:
    """Lines on stdout, each of which stays one."""
    for line in lines or ("",):
        typer.echo(one_line(line))


def say_file(content: str) -> None:
    """On stdout what would be in a file, with its own ends of lines."""
    typer.echo(clean(content), nl=False)


def warn(message: str) -> None:
    """One line on stderr, which a pipe of the table does not swallow."""
    note(f"simplicert: {message}")


def note(line: str) -> None:
    """One line on stderr as it is; a terminal that is gone is no reason to end."""
    with suppress(OSError):
        print(one_line(line), file=sys.stderr)
