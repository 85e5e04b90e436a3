"""Read files that somebody else may have made, and write our own whole or not at all.

`open_file`, `read_file`, `read_text`, `read_toml` and `read_json` open plain files only, of limited
size, depth and digits. `write_atomically` writes under a temporary name, flushes and renames: a
killed process leaves the old file or the new one, never half of one.
"""

import contextlib
import errno
import functools
import hashlib
import json
import logging
import os
import re
import stat
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NoReturn

from simplicert.errors import DamagedRun, InvalidInput, require
from simplicert.machine import format_bytes, require_memory
from simplicert.temporary import remove_stale_files, temporary_mark

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
        try:
            content = b"" if held > most else file.read(held + 1)  # more would be reserved at once
            if len(content) > held:  # it grew, or does not say its size, as those of /proc
                content += file.read(most + 1 - len(content))
        except OSError as error:  # such as EIO, which does not know the name
            _raise_naming(path, error)
    held = max(held, len(content))
    if held > most:
        raise InvalidInput(
            f"{path} must have at most {format_bytes(most)}, got {format_bytes(held)}"
        )
    return content


def read_text(
    path: Path, most: int = MOST_TEXT, *, encoding: str = "utf-8", follow: bool = True
) -> str:
    """Read the text of a plain file, whose lines may end as on any system."""
    if path.is_file():
        require_memory(str(path), 4 * path.stat().st_size)  # as bytes, as text and as lines
    return _decode_text(path, read_file(path, most, follow=follow), encoding)


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


# How a file system answers if it has no hard links, or cannot flush a folder.
UNSUPPORTED_ERRORS = (
    errno.EPERM,
    errno.EINVAL,
    errno.ENOSYS,
    errno.ENOTSUP,
    errno.EOPNOTSUPP,
    errno.EMLINK,
)

LOCK = ".lock"  # end of the name of the folder by which writers take turns

PATIENCE, MOMENT = 10.0, 0.05  # seconds to wait for another writer's turn, and between looks


def write_atomically(
    path: Path, content: bytes, *, only_if_new: bool = False, sweep: bool = True
) -> None:
    """Write to a temporary name beside `path`, flush to the disk, then rename.

    A killed process or a full disk leaves the old file, or none, and never a torn one. With
    `only_if_new` a file that is already there stays: of several writers the first one wins. With
    `sweep` what killed writers of `path` have left is removed; not in folders of very many files.
    A network file system may report that a renaming failed though it happened: what counts is
    whether `path` holds the content then. A temporary file that somebody has removed, because his
    clock is a day ahead, is written again.
    """
    home = _identify_folder(path.parent)
    for last in (False, False, True):
        temporary = path.with_name(f".{path.name}.{temporary_mark()}.tmp")
        try:
            _write_flushed(temporary, content)
            if only_if_new:
                _link_if_new(temporary, path)
            else:
                temporary.replace(path)
        except BaseException as error:
            vanished = isinstance(error, FileNotFoundError) and not temporary.exists()
            with contextlib.suppress(OSError):  # the first error is the one to report
                temporary.unlink(missing_ok=True)
            if isinstance(error, OSError) and _holds(path, content):
                break
            same = home is not None and _identify_folder(path.parent) == home
            if vanished and same and not last:  # and the folder is not one that took its place
                continue
            _raise_naming(path, error)
        else:
            break
    try:
        sync_folder(path.parent)
    except OSError as error:
        _raise_naming(path, error)
    if sweep:
        with contextlib.suppress(OSError):  # what was written is safe
            remove_stale_files(path.parent, path.name)


def _write_flushed(path: Path, content: bytes) -> None:
    """Write a new file and flush it to the disk; a flush that failed is never tried again."""
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _identify_folder(folder: Path) -> tuple[int, int] | None:
    """Return what tells a folder from another of the same name; None if there is none."""
    try:
        held = folder.stat()
    except OSError:
        return None
    return held.st_dev, held.st_ino


def wait_for_name(path: Path) -> None:
    """Wait for a file that was written to be seen; on a network a name may appear late."""
    until = time.monotonic() + PATIENCE
    while not path.exists() and time.monotonic() < until:
        time.sleep(MOMENT)


def _raise_naming(path: Path, error: BaseException) -> NoReturn:
    """Raise an error again; one of the system names the file that was to be read or written."""
    if isinstance(error, OSError) and error.errno is not None:
        raise OSError(error.errno, error.strerror, str(path)) from error
    raise error


def _holds(path: Path, content: bytes) -> bool:
    """Tell whether a file has this content."""
    try:
        return read_file(path, max(len(content), 1), follow=False) == content
    except (OSError, InvalidInput):
        return False


def _link_if_new(temporary: Path, path: Path) -> None:
    """Give a whole file its name unless it is taken; a hard link does both in one step."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        pass
    except OSError as error:
        if error.errno not in UNSUPPORTED_ERRORS:
            raise
        warn_once(
            f"the file system of {path.parent} has no hard links: processes that begin at the same "
            f"time take turns by a folder .{path.name}{LOCK}; one that is killed meanwhile leaves "
            "it behind"
        )
        _rename_under_lock(temporary, path)
    temporary.unlink(missing_ok=True)


def _rename_under_lock(temporary: Path, path: Path) -> None:
    """Do the same without links: only the process that made the lock folder may rename."""
    turn = path.with_name(f".{path.name}{LOCK}")
    until = time.monotonic() + PATIENCE
    while not path.exists():
        try:
            turn.mkdir()
        except FileExistsError:
            if time.monotonic() > until:
                raise InvalidInput(
                    f"{turn} must not be there for long: remove it if no other process is "
                    f"beginning {path.parent}"
                ) from None
            time.sleep(MOMENT)
            continue
        try:
            if not path.exists():
                temporary.replace(path)
        finally:
            turn.rmdir()


def sync_folder(folder: Path) -> None:
    """Make a rename in this folder survive a power cut, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in UNSUPPORTED_ERRORS:
            raise
        warn_once(
            f"the file system of {folder} cannot flush folders: after a power cut the last files "
            "may be missing, and their inputs are drawn again"
        )
    finally:
        os.close(handle)


def make_folder(folder: Path) -> Path:
    """Make a folder of a run unless it is there; refuse a link, which would lead elsewhere."""
    if folder.is_symlink():
        raise DamagedRun(f"{folder} must be a folder, got a link")
    folder.mkdir(exist_ok=True)
    return folder


def refuse_existing_folder(folder: Path) -> None:
    """Refuse a folder that holds something: a new run never touches what exists."""
    require(
        not folder.exists() or (folder.is_dir() and not any(folder.iterdir())),
        f"out must be a new or empty folder, and {folder} already holds something",
    )


@functools.cache
def warn_once(sentence: str) -> None:
    """Log a warning; a process logs the same sentence only once."""
    logging.getLogger("simplicert").warning("simplicert: %s", sentence)


def content_checksum(content: bytes) -> str:
    """Return 128 bits of SHA-256, as 32 hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()[:32]
