"""Outlive a leader that is killed, end what its Ray has left, and remove its private folder.

This file is run as a program of its own, by its path, and imports nothing of the package: a small
process that waits for the end of the leader's pipe. A leader that has stopped its Ray says so
first; Ray's helpers may still be there, and what they use is removed at once. If it was killed,
they have some seconds to notice. What is left is killed, and the folder removed.

Ray's processes are known by a mark in the environment that they were started with: the name of the
private folder, part of which is random. A process that merely reads a log in that folder has none,
and neither has what the leader's own program starts beside Ray. Ray's processes that give
themselves a title write it over their arguments and variables, sometimes over the mark: they are
known by the title and by the files of the folder that they have open. Another Ray may start its
processes in a way that leaves no mark: those that run a file of Ray's are known by the folder's
name among their arguments.
"""

import os
import re
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
QUIET = 4  # times in a row that none is seen: one that is just being started has no mark yet
STOPPED = b"."  # said by a leader that has stopped its Ray
MARK = "SIMPLICERT_RAY_FOLDER"  # in the environment of a leader's Ray, and of what that starts
TITLE = b"ray::"  # begins the titles that Ray's processes give themselves
PROGRAM = re.compile(rb"/ray/(core/src/ray|_private|dashboard|autoscaler)/")  # a file of Ray's
PROGRAM_WORDS = 3  # it stands among the first arguments, as in python -u FILE
STARTING = "starting"  # a file that is there while a leader starts its Ray
# Ray's C++ ends the leader without a word if a part of it dies while the two connect.
CUT_SHORT = (
    "simplicert: the drawing ended while its own Ray was starting: what was drawn is kept, and the "
    "same command continues"
)


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


@contextmanager
def note_start(folder: Path) -> Iterator[None]:
    """Tell the guard, by a file in the private folder, that the leader is starting its Ray."""
    (folder / STARTING).touch(mode=0o600)
    try:
        yield
    finally:
        (folder / STARTING).unlink(missing_ok=True)


def remove_tree(folder: Path) -> None:
    """Remove a folder, its lock last: as long as anything is left, it is known as a leader's."""
    shutil.rmtree(folder / INSIDE, ignore_errors=True)
    if not (folder / INSIDE).exists():
        shutil.rmtree(folder, ignore_errors=True)


def marked_processes(folder: str) -> set[int]:
    """Return the processes of this user that were started as parts of this folder's Ray."""
    found = set()
    for name in os.listdir("/proc"):  # noqa: PTH208
        if not name.isdecimal() or int(name) == os.getpid():
            continue
        process = Path("/proc", name)
        with suppress(OSError):  # it has just ended, or is another user's
            if process.stat().st_uid == os.getuid() and _is_marked(process, folder):
                found.add(int(name))
    return found


def _is_marked(process: Path, folder: str) -> bool:
    """Tell whether a process has the folder's mark, or is Ray's and has to do with the folder."""
    if f"{MARK}={folder}".encode() in (process / "environ").read_bytes().split(b"\0"):
        return True
    words = (process / "cmdline").read_bytes().split(b"\0")
    if words[0].startswith(TITLE):
        return any(name.startswith(f"{folder}/") for name in _open_files(process))
    runs_ray = any(PROGRAM.search(word) for word in words[:PROGRAM_WORDS])
    return runs_ray and any(f"{folder}/".encode() in word for word in words)


def _open_files(process: Path) -> Iterator[str]:
    """Name the files that a process has open, also removed ones."""
    for one in (process / "fd").iterdir():
        with suppress(OSError):  # it was closed meanwhile
            yield os.readlink(one)  # noqa: PTH115


def clear_folder(folder: Path, leader: int, patience: float) -> None:
    """Wait for the end of the folder's Ray, kill what is left of it, and remove the folder.

    The leader is never killed: if it lives, it waits for this.
    """
    begun, quiet = time.monotonic(), 0 if patience else QUIET
    while time.monotonic() - begun < MOST:
        left = marked_processes(str(folder)) - {leader}
        quiet = 0 if left and patience else quiet + 1
        if not left and (quiet < QUIET or time.monotonic() - begun < patience):
            pass  # what a killed leader, or its Ray, was just starting gets its mark late
        elif not left:
            remove_tree(folder)
            if not folder.exists():
                return
        elif time.monotonic() - begun >= patience:
            for pid in left:
                with suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
        time.sleep(PAUSE)


if __name__ == "__main__":
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # they are meant for the leader
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    parent = os.getppid()
    last = sys.stdin.buffer.read()
    if last != STOPPED and Path(sys.argv[1], STARTING).exists():
        print(CUT_SHORT, file=sys.stderr, flush=True)
    clear_folder(Path(sys.argv[1]), parent, 0.0 if last == STOPPED else PATIENCE)
