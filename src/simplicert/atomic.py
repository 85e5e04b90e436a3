"""Write files that appear complete or not at all, even after a crash.

A file is written under a temporary name, flushed to the disk and then renamed. The module also
removes temporary files whose writers have ended, makes and protects run folders, and computes the
checksums of what is written.
"""

import contextlib
import errno
import functools
import hashlib
import logging
import os
import platform
import secrets
import time
from pathlib import Path

from simplicert.errors import DamagedRun, InvalidInput, require

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

MINUTE, DAY = 60.0, 86400.0  # age of a stale file whose writer has ended, and of any stale file


def write_atomically(path: Path, content: bytes, *, only_if_new: bool = False) -> None:
    """Write to a temporary name beside `path`, flush to the disk, then rename.

    A killed process or a full disk leaves the old file, or none, and never a torn one. With
    `only_if_new` a file that is already there stays: of several writers the first one wins.
    """
    temporary = path.with_name(f".{path.name}.{temporary_mark()}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if only_if_new:
            _link_if_new(temporary, path)
        else:
            temporary.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):  # the first error is the one to report
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno is not None:  # name `path` in the message
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    _sync_folder(path.parent)


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


def _sync_folder(folder: Path) -> None:
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


def temporary_mark() -> str:
    """Return machine, process and a random number, which name the writer of a temporary file."""
    return f"{_machine_mark()}-{os.getpid()}-{secrets.token_hex(4)}"


def _machine_mark() -> str:
    """Return eight digits that stand for this machine's name."""
    return hashlib.sha256(platform.node().encode()).hexdigest()[:8]


def remove_stale_files(folder: Path) -> None:
    """Remove temporary files whose writers are gone.

    A temporary file lives for the moment that writing takes. It is stale if its process ran on this
    machine and has ended, or if it is a day old: of a process on another machine we cannot tell.
    Should the writer live after all (suspended for a day), its renaming fails in a sentence, and
    what it wrote is drawn again: no file with a name of its own is ever removed here.
    """
    for path in folder.glob(".*.tmp"):
        with contextlib.suppress(OSError):
            age = time.time() - path.lstat().st_mtime
            if age > DAY or (age > MINUTE and _has_writer_ended(path.name)):
                path.unlink()


def _has_writer_ended(name: str) -> bool:
    """Whether the process that a temporary file is named after ran here and has ended."""
    machine, _, rest = name.rsplit(".", 2)[1].partition("-")
    number = rest.partition("-")[0]
    if machine != _machine_mark() or not number.isdecimal() or os.name != "posix":
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


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
