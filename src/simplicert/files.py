"""Read files from strangers without trusting their type, size or depth.

Only plain files are opened, and only if they fit. Reading a pipe could wait forever, a device never
ends, a link shows another file, and a text of a few bytes may nest deeper, or hold longer numbers,
than Python can handle. Every limit has its number here.
"""

import json
import os
import re
import stat
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from simplicert.errors import DamagedRun, InvalidInput
from simplicert.machine import format_bytes, require_memory

MOST_TEXT = 2**26  # bytes of settings: run.toml, model.toml, a recipe, the JSON of a model

MOST_LOG = 2**31  # bytes of a log, a table of counts or of certificates

MOST_DEPTH = 100  # levels of lists and tables inside each other

MOST_DIGITS = 1000  # digits of one number

INTEGER_LIMIT = 2**63  # integers of TOML lie below this, as the format says

_LONG_NUMBER = re.compile(f"[0-9_]{{{MOST_DIGITS + 1}}}")

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFLNK: "a link",
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}

OPEN_FLAGS = ("O_NONBLOCK", "O_CLOEXEC", "O_BINARY")  # each where the system has it


def open_file(path: Path, *, follow: bool = True) -> IO[bytes]:
    """Open a plain file for reading; with `follow` False, refuse a link to one too."""
    _refuse_special(path, path.stat(follow_symlinks=follow))
    flags = [getattr(os, name, 0) for name in OPEN_FLAGS]
    handle = os.open(
        path, os.O_RDONLY | sum(flags) | (0 if follow else getattr(os, "O_NOFOLLOW", 0))
    )
    try:
        _refuse_special(path, os.fstat(handle))  # it may have been replaced since
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_file(path: Path, most: int = MOST_TEXT, *, follow: bool = True) -> bytes:
    """Read a plain file of at most `most` bytes."""
    with open_file(path, follow=follow) as file:
        held = os.fstat(file.fileno()).st_size
        content = b"" if held > most else file.read(most + 1)
    held = max(held, len(content))
    if held > most:
        raise InvalidInput(
            f"{path} must have at most {format_bytes(most)}, got {format_bytes(held)}"
        )
    return content


def read_text(path: Path, most: int = MOST_TEXT, *, encoding: str = "utf-8") -> str:
    """Read the text of a plain file, whose lines may end as on any system."""
    if path.is_file():
        require_memory(str(path), 4 * path.stat().st_size)  # as bytes, as text and as lines
    return _decode_text(path, read_file(path, most), encoding)


def read_run_file(path: Path, most: int = MOST_TEXT) -> bytes:
    """Read a file of a run folder; not a link, which could show any file as the run's."""
    try:
        return read_file(path, most, follow=False)
    except InvalidInput as error:
        raise DamagedRun(str(error)) from None


def read_toml(path: Path) -> dict[str, Any]:
    """Read the settings in a TOML file."""
    return parse_toml(path, read_file(path))


def parse_toml(what: Path | str, content: bytes) -> dict[str, Any]:
    """Parse TOML with 64-bit integers and a limited depth; `what` is the file's name."""
    text = _decode_text(what, content)
    _refuse_long_numbers(str(what), text)
    try:
        held = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{what} cannot be read as TOML: {error}") from None
    for value in _walk_values(str(what), held):
        if isinstance(value, int) and not -INTEGER_LIMIT <= value < INTEGER_LIMIT:
            raise InvalidInput(f"{what} must hold integers of 64 bits, got {value}")
    return held


def read_json(path: Path) -> Any:
    """Read a JSON file."""
    return parse_json(str(path), read_file(path))


def parse_json(what: str, content: bytes | str) -> Any:
    """Parse JSON with a limited depth and short numbers; `what` names the file or the member."""
    try:
        text = content if isinstance(content, str) else content.decode()
        _refuse_long_numbers(what, text)
        held = json.loads(text)
    except InvalidInput:
        raise
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{what} cannot be read as JSON: {error}") from None
    for _ in _walk_values(what, held):
        pass
    return held


def _decode_text(what: Path | str, content: bytes, encoding: str = "utf-8") -> str:
    """Turn bytes into text, or raise an error that names the file."""
    try:
        return content.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{what} must be UTF-8 text: {error}") from None


def _refuse_special(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "something else")
        raise InvalidInput(f"{path} must be a plain file, got {kind}")


def _refuse_long_numbers(what: str, text: str) -> None:
    if _LONG_NUMBER.search(text):
        raise InvalidInput(
            f"{what} must hold numbers of at most {MOST_DIGITS} digits, got a longer one"
        )


def _walk_values(what: str, held: Any) -> Iterator[Any]:
    """Yield every value inside, without recursion; refuse more than MOST_DEPTH levels."""
    waiting = [(held, 1)]
    while waiting:
        value, depth = waiting.pop()
        yield value
        if isinstance(value, (dict, list)):
            if depth > MOST_DEPTH:
                raise InvalidInput(f"{what} must nest at most {MOST_DEPTH} levels, got more")
            inner = value.values() if isinstance(value, dict) else value
            waiting.extend((item, depth + 1) for item in inner)
