"""What the Ray engine needs around Ray: a private folder, and calls to the cluster's head.

`private_folder` makes a folder that no other user can enter and that is removed afterwards.
`ClusterHead` calls the head of the cluster only while it is there. When the head (its process is
called gcs) is gone, Ray's own calls wait for a minute and then end this process with a line of C++.
So the leader first checks whether the head still listens at its address. If not, it ends all of
Ray's processes, removes its folders, and gives up with a clear message.
"""

import os
import re
import socket
import stat
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from simplicert.drawing.engines.guard import INSIDE, STARTING, guard_folder, remove_tree
from simplicert.errors import SamplingFailed

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PREFIX = "simplicert-"
NAME = re.compile(rf"{PREFIX}[0-9]+-[a-z0-9_]{{8}}")  # as mkdtemp ends it
LOCK = "lock"  # the leading process holds it as long as it lives
REMOVAL_TRIES, REMOVAL_PAUSE = 20, 0.25  # seconds: Ray's helpers may still write while they end

# Seconds without a head, on this machine and over a network; Ray itself waits 60.
LOCAL_SECONDS, REMOTE_SECONDS = 3.0, 40.0
KEPT = "what was drawn is kept, and the same command continues"
HEAD_CHECK_SECONDS = 0.5  # seconds between checks of the head


@contextmanager
def private_folder() -> Iterator[Path]:
    """Make a folder inside one of mode 0700; remove those that killed leaders have left.

    A guard outlives this process, should it be killed, and removes the folder within a minute.
    """
    # The names of sockets must be short.
    parent = Path("/tmp") if Path("/tmp").is_dir() else Path(tempfile.gettempdir())
    remove_abandoned_folders(parent)
    while True:
        outer = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=parent))
        try:
            (outer / LOCK).touch(mode=0o600)
            with guard_folder(outer), (outer / LOCK).open("wb") as lock:
                _lock_file(lock, wait=True)
                if not (outer / LOCK).exists():  # taken for abandoned, just before it was locked
                    continue
                (outer / INSIDE).mkdir()
                yield outer / INSIDE
                return
        finally:
            _remove_folder(outer)


def _lock_file(lock: IO[bytes], *, wait: bool) -> None:
    """Lock this file as long as it is open; Windows has no such lock."""
    if fcntl is not None:
        fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


def _remove_folder(folder: Path) -> None:
    """Remove a folder, and try again for some seconds while others still write into it."""
    for _ in range(REMOVAL_TRIES):
        remove_tree(folder)
        if not folder.exists():
            return
        time.sleep(REMOVAL_PAUSE)


def remove_abandoned_folders(parent: Path) -> None:
    """Remove folders of leaders that were killed: they belong to this user and are not locked.

    The kernel keeps the lock, so this is also right for processes in other containers, whose ids
    mean nothing here.
    """
    if fcntl is None:
        return
    for folder in parent.glob(f"{PREFIX}[0-9]*-*"):
        with suppress(OSError):
            if not _is_private_folder(folder):
                continue
            with (folder / LOCK).open("rb") as lock:
                _lock_file(lock, wait=False)
                remove_tree(folder)


def _is_private_folder(folder: Path) -> bool:
    """Tell whether a leader of this user made this folder, by all that is known of such a folder.

    It is about to be removed whole: anybody may have called a folder of his own nearly the same.
    """
    found = folder.lstat()
    ours = NAME.fullmatch(folder.name) is not None and found.st_uid == os.getuid()
    closed = stat.S_ISDIR(found.st_mode) and found.st_mode & 0o777 == stat.S_IRWXU
    return ours and closed and set(os.listdir(folder)) <= {LOCK, INSIDE, STARTING}  # noqa: PTH208


def has_process_ended(node: Any, *kinds: str) -> bool:
    """Tell whether a process of these kinds that this process has started for a node has ended."""
    try:
        started = [one for kind in kinds for one in node.all_processes.get(kind, [])]
        return any(one.process.poll() is not None for one in started)
    except AttributeError:  # these have no public names, and another Ray may lack them
        return False


class ClusterHead:
    """Calls to the head of a cluster, and the address where it listens, if that is known."""

    def __init__(self, ray: Any, *, own: bool) -> None:
        """Find the head's address; `own`: this process has started Ray on this machine."""
        self.ray, self.own = ray, own
        self.allowed = LOCAL_SECONDS if own else REMOTE_SECONDS
        try:
            host, _, port = ray.get_runtime_context().gcs_address.rpartition(":")
            self.address: tuple[str, int] | None = (host.strip("[]"), int(port))
        except (AttributeError, ValueError, RuntimeError):  # a client of a proxy: ray://
            self.address = None

    def require(self) -> None:
        """Raise if the head has not listened at its address for a while, or our node has ended.

        A head that comes back in time, or a connection that was lost for a while, changes nothing.
        """
        if self.own and self._has_node_ended():
            raise SamplingFailed(f"the node of this run's own Ray is gone: {KEPT}")
        deadline, away = time.monotonic() + self.allowed, False
        while not self._listens():
            away = True
            if time.monotonic() > deadline:
                raise SamplingFailed(f"the head of the Ray cluster is gone: {KEPT}")
            time.sleep(HEAD_CHECK_SECONDS)
        if away and self._is_another_cluster():
            raise SamplingFailed(f"the head of the Ray cluster was restarted: {KEPT}")

    def _is_another_cluster(self) -> bool:
        """Tell whether the head that came back is of another cluster, which knows nothing of us.

        A call of Ray's would then end this process with pages of C++.
        """
        try:
            assert self.address is not None
            asked = self.ray._raylet.GcsClient(address=f"{self.address[0]}:{self.address[1]}")
            known = self.ray._private.worker._global_node.cluster_id
            return bool(asked.cluster_id != known)
        except Exception:  # these have no public names, and another Ray may lack them
            return False

    def _has_node_ended(self) -> bool:
        """Tell whether the raylet that this process started has ended: no worker can start then.

        Ray tells no one, and on a cluster a node may come back: alone, a run would wait for ever.
        """
        try:
            node = self.ray._private.worker._global_node
        except AttributeError:  # it has no public name, and another Ray may lack it
            return False
        return has_process_ended(node, "raylet")

    def _listens(self) -> bool:
        if self.address is None:
            return True
        try:
            socket.create_connection(self.address, self.allowed).close()
        except OSError:
            return False
        return True

    def nodes(self) -> list[dict[str, Any]]:
        """Return the nodes that are alive."""
        return [node for node in self._call(self.ray.nodes) if node["Alive"]]

    def free(self) -> dict[str, float]:
        """Return the resources that are not in use."""
        return dict(self._call(self.ray.available_resources))

    def _call(self, function: Callable[[], Any]) -> Any:
        """Call a function of Ray in another thread, as the head may vanish before it replies."""
        self.require()
        replies: list[Any] = []

        def ask() -> None:
            with suppress(Exception):  # a head that was restarted knows nothing of this run
                replies.append(function())

        thread = threading.Thread(target=ask, daemon=True)
        thread.start()
        while thread.is_alive():
            thread.join(HEAD_CHECK_SECONDS)
            self.require()
        if not replies:
            raise SamplingFailed(f"the head of the Ray cluster did not answer: {KEPT}")
        return replies[0]
