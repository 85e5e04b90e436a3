"""Go on where only this program's own processes and files can be reached: Linux's `unshare`.

What could end other people's processes, or remove their folders in `/tmp`, sees neither there.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

UNSHARE = ("unshare", "--mount", "--pid", "--mount-proc", "--fork", "--kill-child")
EMPTY = "mount -t tmpfs tmpfs /tmp"
KEPT_OUT = Path("/tmp")


def is_alone():
    """Whether this process is the first of its own space of process ids."""
    return os.getpid() == 1


def go_on_alone(written):
    """Begin this program again in a space of its own, and end with it; else go on as we are.

    `written` are the files it writes: what it wrote under its own /tmp would be gone.
    """
    if is_alone() or not can_be_alone():
        return
    for path in (Path(one).absolute() for one in written):
        if path.is_relative_to(KEPT_OUT):
            sys.exit(f"results must not be written under {KEPT_OUT}, got {path}")
    words = [sys.executable, *sys.orig_argv[1:]]
    here = [*UNSHARE, "sh", "-c", f'{EMPTY} && exec "$@"', "sh", *words]
    sys.stdout.flush()
    os.execvp(here[0], here)  # so that whoever ends this process ends that one too


def can_be_alone():
    """Whether the system has `unshare` and allows it."""
    if shutil.which(UNSHARE[0]) is None:
        return False
    tried = subprocess.run([*UNSHARE, "sh", "-c", EMPTY], capture_output=True, check=False)
    return tried.returncode == 0
