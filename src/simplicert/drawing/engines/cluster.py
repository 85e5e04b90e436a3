"""What the Ray engine needs around Ray: a private folder, and calls to the cluster's head.

`private_folder` makes a folder that no other user can enter and that is removed afterwards.
`ClusterHead` calls the head of the cluster only while it is there. When the head (its process is
called gcs) is gone, Ray's own calls wait for a minute and then end this process with a line of C++.
So the leader first checks whether anyone listens at its address, and gives up with a clear message,
with all of Ray's processes ended and its folders removed.
"""

import os
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from simplicert.errors import SamplingFailed

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PREFIX = "simplicert-"

INSIDE = "r"  # Ray makes its own folder open to everybody: the one around it is closed

LOCK = "lock"  # held by the process that leads, as long as it lives

TRIES, MARKED_MOMENT = 20, 0.25  # Ray's helpers may still write while they end


@contextmanager
def private_folder() -> Iterator[Path]:
    """A new folder inside one of mode 0700; what dead processes of ours left is removed, too."""
    short = Path("/tmp") if Path("/tmp").is_dir() else Path(tempfile.gettempdir())  # for sockets
    remove_abandoned_folders(short)
    while True:
        outer = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=short))
        try:
            with (outer / LOCK).open("wb") as lock:
                _lock_file(lock, wait=True)
                if not (outer / LOCK).exists():  # taken for abandoned, just before it was locked
                    continue
                (outer / INSIDE).mkdir()
                yield outer / INSIDE
                return
        finally:
            _remove_folder(outer)


def _lock_file(lock: IO[bytes], *, wait: bool) -> None:
    """Lock this file as long as it is open, where the system can."""
    if fcntl is not None:
        fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


def _remove_folder(folder: Path) -> None:
    """All of it, however long others go on writing, within reason."""
    for _ in range(TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(MARKED_MOMENT)


def remove_abandoned_folders(place: Path) -> None:
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
                _lock_file(lock, wait=False)
                shutil.rmtree(folder, ignore_errors=True)


LOCAL_SECONDS, REMOTE_SECONDS = (
    3.0,
    40.0,
)  # seconds without a head, on this machine and over a network; Ray has 60

MOMENT = 0.5


class ClusterHead:
    """Where the head listens, if that can be known."""

    def __init__(self, ray: Any, *, own: bool) -> None:
        """`own`: a Ray that was started here, on this machine."""
        self.ray, self.allowed = ray, LOCAL_SECONDS if own else REMOTE_SECONDS
        try:
            host, _, port = ray.get_runtime_context().gcs_address.rpartition(":")
            self.address: tuple[str, int] | None = (host.strip("[]"), int(port))
        except (AttributeError, ValueError, RuntimeError):  # a client of a proxy: ray://
            self.address = None

    def require(self) -> None:
        """Raise if no one has listened at the head's address for a while."""
        until = time.monotonic() + self.allowed
        while not self._listens():
            if time.monotonic() > until:
                raise SamplingFailed(
                    "the head of the Ray cluster is gone: what was drawn is kept, and the same "
                    "command continues"
                )
            time.sleep(MOMENT)

    def _listens(self) -> bool:
        if self.address is None:
            return True
        try:
            socket.create_connection(self.address, self.allowed).close()
        except OSError:
            return False
        return True

    def nodes(self) -> list[dict[str, Any]]:
        """The nodes that are alive."""
        return [node for node in self._call(self.ray.nodes) if node["Alive"]]

    def free(self) -> dict[str, float]:
        """Resources that no one uses."""
        return dict(self._call(self.ray.available_resources))

    def _call(self, question: Callable[[], Any]) -> Any:
        """In a thread of its own, as the head may vanish before it answers."""
        self.require()
        answers: list[Any] = []
        thread = threading.Thread(target=lambda: answers.append(question()), daemon=True)
        thread.start()
        while thread.is_alive():
            thread.join(MOMENT)
            self.require()
        if not answers:
            raise SamplingFailed("the head of the Ray cluster did not answer")
        return answers[0]
