"""A folder for a Ray of our own, which no other user can enter, and which is gone afterwards."""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PREFIX = "simplicert-"
INSIDE = "r"  # Ray makes its own folder open to everybody: the one around it is closed
LOCK = "lock"  # held by the process that leads, as long as it lives
TRIES, MOMENT = 20, 0.25  # Ray's helpers may still write while they end


@contextmanager
def private_folder() -> Iterator[Path]:
    """A new folder inside one of mode 0700; what dead processes of ours left is removed, too."""
    short = Path("/tmp") if Path("/tmp").is_dir() else Path(tempfile.gettempdir())  # for sockets
    remove_abandoned(short)
    while True:
        outer = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=short))
        try:
            with (outer / LOCK).open("wb") as lock:
                hold(lock, wait=True)
                if not (outer / LOCK).exists():  # taken for abandoned, just before it was locked
                    continue
                (outer / INSIDE).mkdir()
                yield outer / INSIDE
                return
        finally:
            remove(outer)


def hold(lock: IO[bytes], *, wait: bool) -> None:
    """Lock this file as long as it is open, where the system can."""
    if fcntl is not None:
        fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


def remove(folder: Path) -> None:
    """All of it, however long others go on writing, within reason."""
    for _ in range(TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(MOMENT)


def remove_abandoned(place: Path) -> None:
    """Folders of leaders that were killed: ours, and no one holds their lock.

    The lock is the kernel's, so it is right about processes in other containers as well, whose
    numbers mean nothing here.
    """
    if fcntl is None:
        return
    for folder in place.glob(f"{PREFIX}[0-9]*-*"):
        with suppress(OSError):
            if folder.is_symlink() or folder.stat().st_uid != os.getuid():
                continue
            with (folder / LOCK).open("rb") as lock:
                hold(lock, wait=False)
                shutil.rmtree(folder, ignore_errors=True)
