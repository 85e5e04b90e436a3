"""Name temporary files after their writers, and remove those whose writers are gone."""

import contextlib
import glob
import hashlib
import os
import platform
import re
import secrets
import time
from pathlib import Path

# The name of a temporary file: of the file that it becomes, of machine and process (which earlier
# versions left out), and random digits. No system counts processes in more than nine digits.
_NAME = re.compile(
    r"\.(?P<becomes>.+)\.((?P<machine>[0-9a-f]{8})-(?P<process>[1-9][0-9]{0,8})-)?[0-9a-f]{8}\.tmp"
)
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
    is a day ahead), it writes the file again. A file with another kind of name is not ours.
    """
    begin = "." if name is None else f".{glob.escape(name)}."
    for path in folder.glob(f"{begin}*.tmp"):
        found = _NAME.fullmatch(path.name)
        if found is None or name not in (None, found["becomes"]):
            continue
        with contextlib.suppress(OSError):
            age = time.time() - path.lstat().st_mtime
            lives = _does_writer_live(found["machine"], found["process"])
            if (age > DAY and not lives) or (age > MINUTE and lives is False):
                path.unlink()


def _does_writer_live(machine: str | None, process: str) -> bool | None:
    """Whether the process that a temporary file is named after lives; None if it ran elsewhere."""
    if machine != _machine_mark() or os.name != "posix":
        return None
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except OSError:  # another user's
        return True
    return True
