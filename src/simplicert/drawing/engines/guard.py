"""Outlive a leader that is killed, end what its Ray has left, and remove its private folder.

This file is run as a program of its own, by its path, and imports nothing of the package: a small
process that waits for the end of the leader's pipe. A leader that has stopped its Ray says so
first; Ray's helpers may still be there, and what they use is removed at once. If it was killed,
they have some seconds to notice. What is left is killed, and the folder removed.

Ray's processes are known by the private folder, whose name is random: a process of this user that
has a file in it open, or that names it in its command, is the leader's.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

INSIDE = "r"  # Ray makes its own folder open to all users: the one around it is closed
PATIENCE = 3.0  # seconds for Ray's processes to end by themselves
MOST = 45.0  # seconds from the leader's end on
PAUSE = 0.2
STOPPED = b"."  # said by a leader that has stopped its Ray


@contextmanager
def guard_folder(folder: Path) -> Iterator[None]:
    """Start the guard of a leader's private folder, where the system has what it needs."""
    if not Path("/proc/self/fd").is_dir():
        yield
        return
    words = [sys.executable, "-I", "-S", __file__, str(folder)]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True
    ) as guard:
        try:
            yield
        finally:
            with suppress(OSError):  # somebody has ended the guard
                guard.communicate(STOPPED)


def remove_tree(folder: Path) -> None:
    """Remove a folder, its lock last: as long as anything is left, it is known as a leader's."""
    shutil.rmtree(folder / INSIDE, ignore_errors=True)
    if not (folder / INSIDE).exists():
        shutil.rmtree(folder, ignore_errors=True)


def users_of(folder: str) -> set[int]:
    """Return the processes of this user that have a file of the folder open, or that name it."""
    found = set()
    for name in os.listdir("/proc"):  # noqa: PTH208
        if not name.isdecimal() or int(name) == os.getpid():
            continue
        process = Path("/proc", name)
        with suppress(OSError):  # it has just ended, or is another user's
            if process.stat().st_uid == os.getuid() and _uses(process, folder):
                found.add(int(name))
    return found


def _uses(process: Path, folder: str) -> bool:
    """Tell whether a process has a file of the folder open, or names it in its command."""
    inside = f"{folder}/"
    if inside.encode() in (process / "cmdline").read_bytes():
        return True
    for handle in list((process / "fd").iterdir()):
        with suppress(OSError):
            if str(handle.readlink()).startswith(inside):
                return True
    return False


def clear_folder(folder: Path, leader: int, patience: float) -> None:
    """Wait for the end of those who use the folder, kill the rest, and remove it.

    The leader is never killed: if it lives, it waits for this.
    """
    begun = time.monotonic()
    while time.monotonic() - begun < MOST:
        users = users_of(str(folder)) - {leader}
        if not users:
            remove_tree(folder)
            if not folder.exists():
                return
        elif time.monotonic() - begun >= patience:
            for pid in users:
                with suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
        time.sleep(PAUSE)


if __name__ == "__main__":
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # they are meant for the leader
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    parent = os.getppid()
    last = sys.stdin.buffer.read()
    clear_folder(Path(sys.argv[1]), parent, 0.0 if last == STOPPED else PATIENCE)
