"""The Ray engine: one actor per worker, on this machine or on a cluster.

Ray starts processes, finds room for them and moves their messages. What is drawn again after a
loss, and by whom, is decided by the queue, so Ray itself restarts and retries nothing: a unit whose
actor died goes to any free worker, not to a successor that may have to wait for room.
"""

import os
import secrets
import signal
import socket
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from simplicert.drawing.engines.actors import RayWorkers, WorkerResources
from simplicert.drawing.engines.cluster import ClusterHead, has_process_ended, private_folder
from simplicert.drawing.engines.guard import MARK, note_start
from simplicert.drawing.workers import Workers
from simplicert.errors import InvalidInput
from simplicert.importing import first_error_line, import_library
from simplicert.machine import available_cores
from simplicert.store.settings import DrawingSettings

STORE_BYTES = 200_000_000  # shared memory for messages: units and parts are small
CONNECT_SECONDS = 10.0  # seconds for a cluster to accept a connection


@contextmanager
def ray_workers(settings: DrawingSettings) -> Iterator[Workers]:
    """Join the cluster at `address`, or start one that only this machine and user can reach."""
    if settings.address is None:
        keep_ray_private()
    ray = import_library("ray", "ray", "engine ray")
    if settings.address is not None:
        _require_listener(settings.address)
    with connect_to_ray(ray, settings):
        head = ClusterHead(ray, own=settings.address is None)
        workers = RayWorkers(ray, head, settings, _choose_resources(ray, settings))
        try:
            yield workers
        finally:
            workers.close()


def keep_ray_private() -> None:
    """Set Ray's environment so that it sends no reports and lets no other user in.

    Best called before ray is imported. By default Ray listens on all interfaces and keeps its token
    in the home folder; this token is never written down. What the user has set stays.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_worker_niceness", "0")  # else its workers run at low priority
    os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")  # listen on 127.0.0.1 only
    if "RAY_AUTH_MODE" not in os.environ:
        os.environ["RAY_AUTH_MODE"] = "token"
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))


@contextmanager
def connect_to_ray(ray: Any, settings: DrawingSettings) -> Iterator[None]:
    """Connect to Ray; an existing connection is used, and left as it is."""
    if ray.is_initialized():
        yield
        return
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    folder: Path | None = None
    with ExitStack() as stack:
        if settings.address is None:
            cpus = settings.cpus_per_worker or 1
            folder = stack.enter_context(private_folder())
            options |= {
                "address": "local",
                "include_dashboard": False,
                "num_cpus": settings.workers * cpus if settings.workers else available_cores(),
                "object_store_memory": STORE_BYTES,
                "_node_ip_address": "127.0.0.1",
                "_temp_dir": str(folder),
            }
            _read_environment_again(ray)
        else:
            options["address"] = settings.address
        stack.callback(ray.shutdown)
        with _block_cloud_requests(ray), _set_up_processes(ray, folder), ExitStack() as private:
            if folder is not None:
                private.enter_context(note_start(folder.parent))
                private.enter_context(_silence_errors(ray))
                private.enter_context(_check_before_connecting(ray))
            _start_ray(ray, options, f"at {settings.address}" if settings.address else "of its own")
            if folder is not None:
                _close_files(folder)
        yield


def _read_environment_again(ray: Any) -> None:
    """Make Ray see what `keep_ray_private` set, also where somebody imported it before.

    Ray reads its environment once, when it is imported. Without this the cluster would ask for a
    token that this very process does not send, and listen on all interfaces.
    """
    everywhere = os.environ.get("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0").lower() in ("1", "true")
    with suppress(AttributeError):  # these have no public names, and another Ray may lack them
        ray._raylet.Config.initialize("")
        ray._raylet.AuthenticationTokenLoader.instance().reset_cache()
        ray._private.ray_constants.ENABLE_RAY_CLUSTER = everywhere


@contextmanager
def _block_cloud_requests(ray: Any) -> Iterator[None]:
    """Start Ray without the process that asks in which cloud it runs.

    Even with no dashboard and no usage reports Ray starts a process for both, and the first thing
    it does is to send requests to 169.254.169.254 and metadata.google.internal. There is no
    setting against it; Ray itself goes on if that process does not start.
    """
    with _replace(ray, "services", "start_api_server", lambda *_, **__: (None, None)):
        yield


@contextmanager
def _silence_errors(ray: Any) -> Iterator[None]:
    """Start Ray without the thread that prints pages of its own logs when a part of it dies.

    The leader notices by itself, and says one sentence.
    """
    with _replace(ray, "worker", "listen_error_messages", lambda *_, **__: None):
        yield


@contextmanager
def _check_before_connecting(ray: Any) -> Iterator[None]:
    """Connect to a node only if it lives: else Ray's C++ ends this process without a word.

    A node that has ended counts as a start that took too long, which is tried again.
    """
    before = getattr(_private_module(ray, "worker"), "connect", None)

    def connect(node: Any, *arguments: Any, **more: Any) -> Any:
        if has_process_ended(node, "raylet", "gcs_server"):
            raise RuntimeError("Ray timed out: a part of it ended while it was starting")
        assert before is not None
        return before(node, *arguments, **more)

    with _replace(ray, "worker", "connect", connect):
        yield


def _private_module(ray: Any, name: str) -> Any:
    """Return a module of Ray that is not public, or None: another Ray may lack it."""
    return getattr(getattr(ray, "_private", None), name, None)


@contextmanager
def _replace(ray: Any, module: str, name: str, other: Any) -> Iterator[None]:
    """Put another function into a module of Ray for a while, where it has one of this name."""
    home = _private_module(ray, module)
    before = getattr(home, name, None)
    if before is None:
        yield
        return
    setattr(home, name, other)
    try:
        yield
    finally:
        setattr(home, name, before)


@contextmanager
def _set_up_processes(ray: Any, folder: Path | None) -> Iterator[None]:
    """Let Ray's processes outlive the terminal; the leader hears of its end, and stops Ray.

    Those of our own Ray, with this folder, bear its mark too, and make files of mode 600. All of it
    is set in them alone: programs that other threads start meanwhile must not take it over. A
    worker then takes this process's own mask: parts are as open as those of other engines.
    """
    before = getattr(_private_module(ray, "services"), "ConsolePopen", None)

    def start(*words: Any, **more: Any) -> Any:
        first = more.get("preexec_fn")

        def set_up() -> None:  # in the new process, before it becomes one of Ray's programs
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            if folder is not None:
                os.umask(0o077)
            if first is not None:
                first()

        if folder is not None:
            more["env"] = {**(more.get("env") or os.environ), MARK: str(folder.parent)}
        assert before is not None
        return before(*words, **{**more, "preexec_fn": set_up})

    if not hasattr(signal, "SIGHUP"):  # Windows has neither hangups, nor masks, nor a guard
        yield
        return
    with _replace(ray, "services", "ConsolePopen", start):
        yield


def _close_files(folder: Path) -> None:
    """Close what this process has written for our own Ray; Ray's processes write closed files."""
    for home, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):  # Ray has just removed it
                mode = Path(home, name).lstat().st_mode
                if stat.S_ISREG(mode) and mode & 0o077:
                    Path(home, name).chmod(mode & 0o700)


def _start_ray(ray: Any, options: dict[str, Any], where: str) -> None:
    """Start Ray or connect to it, with three tries.

    On a busy machine it may take longer than the half minute that Ray allows for its own start.
    """
    for last in (False, False, True):
        try:
            ray.init(**options)
        except Exception as error:  # Ray has no class of its own for a start that took too long
            ray.shutdown()
            if last or "timed out" not in str(error):
                raise InvalidInput(
                    f"a Ray cluster {where} is not to be had: {first_error_line(error)}"
                ) from None
        else:
            return


def _require_listener(address: str) -> None:
    """Refuse an address where nothing listens; Ray itself would try for minutes."""
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdigit():  # auto, or another name that Ray knows
        return
    try:
        socket.create_connection((host.removeprefix("ray://"), int(port)), CONNECT_SECONDS).close()
    except OSError as error:
        raise InvalidInput(
            f"address must be that of a running Ray cluster, host:port or auto, got {address!r}: "
            f"{error.strerror or error}"
        ) from None


def _choose_resources(ray: Any, settings: DrawingSettings) -> WorkerResources:
    """Choose what one worker takes: by default a core, and a GPU if the cluster has any."""
    gpus = settings.gpus_per_worker
    if gpus is None:
        wanted = settings.device is None or settings.device.startswith("cuda")
        gpus = 1.0 if wanted and ray.cluster_resources().get("GPU", 0) >= 1 else 0.0
    return WorkerResources(float(settings.cpus_per_worker or 1), gpus)
