"""Name temporary files after their writers, and remove those whose writers are gone."""

import contextlib
import glob
import hashlib
import os
import platform
import secrets
import time
from pathlib import Path

MINUTE, DAY = 60.0, 86400.0  # age of a stale file whose writer has ended, and of any other


def temporary_mark() -> str:
    """Return machine, process and a random number, which name the writer of a temporary file."""
    return f"{_machine_mark()}-{os.getpid()}-{secrets.token_hex(4)}"


def _machine_mark() -> str:
    """Return eight digits that stand for this machine's name."""
    return hashlib.sha256(platform.node().encode()).hexdigest()[:8]


def remove_stale_files(folder: Path, name: str | None = None) -> None:
    """Remove temporary files whose writers are gone: all, or those that were to get this name.

    A temporary file lives for the moment that writing takes. It is stale if its process ran on this
    machine and has ended, or if it is a day old and its process is not seen here: of one on another
    machine we cannot tell. Should the writer live after all (suspended for a day, or a clock that
    is a day ahead), it writes the file again: no file with a name of its own is ever removed here.
    """
    begin = "." if name is None else f".{glob.escape(name)}."
    for path in folder.glob(f"{begin}*.tmp"):
        with contextlib.suppress(OSError):
            age, lives = time.time() - path.lstat().st_mtime, _does_writer_live(path.name)
            if (age > DAY and not lives) or (age > MINUTE and lives is False):
                path.unlink()


def _does_writer_live(name: str) -> bool | None:
    """Whether the process that a temporary file is named after lives; None if it ran elsewhere."""
    machine, _, rest = name.rsplit(".", 2)[1].partition("-")
    number = rest.partition("-")[0]
    if machine != _machine_mark() or not number.isdecimal() or os.name != "posix":
        return None
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except OSError:  # another user's
        return True
    return True
