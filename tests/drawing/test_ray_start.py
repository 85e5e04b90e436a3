"""How the leader starts Ray or connects to it: what is set, tried again, refused and put back."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

import simplicert as sc
from simplicert.drawing.engines import ray as engine
from simplicert.drawing.engines.actors import WorkerResources, read_file_mask
from simplicert.drawing.engines.guard import MARK
from simplicert.store.settings import DrawingSettings


def settings(**more):
    return DrawingSettings("", "", 1.0, 1, Path(), **more)


LOOK = """
import json, os, signal
hangup = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
blocked = signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])
print(json.dumps([os.environ.get("SIMPLICERT_RAY_FOLDER"), os.umask(0), hangup, blocked]))
"""  # what a process was given: mark, mask, whether it outlives the terminal, what Ray itself set


def look_around(popen=subprocess.Popen, **more):
    """Start a program by this function, and return what it was given."""
    with popen([sys.executable, "-S", "-c", LOOK], stdout=subprocess.PIPE, **more) as process:
        return json.loads(process.stdout.read())


def look_from_another_thread():
    """Start a program as a user's own thread does."""
    seen = []
    other = threading.Thread(target=lambda: seen.append(look_around()))
    other.start()
    other.join()
    return seen[0]


def block_interrupts():
    """Do in a new process what Ray does there."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


class StartedRay:
    """The module, before `init` and after it: it notes how the process was when it started."""

    def __init__(self, *errors, resources=()):
        """Fail with these errors, one after another, before it starts."""
        self.errors, self.resources = list(errors), dict(resources)
        self.options, self.seen, self.shutdowns, self.up = [], [], 0, False
        worker = SimpleNamespace(connect=self._connect, listen_error_messages=lambda: "said")
        services = SimpleNamespace(
            start_api_server=lambda *_, **__: "asked a cloud", ConsolePopen=subprocess.Popen
        )
        constants = SimpleNamespace(ENABLE_RAY_CLUSTER=True)
        self._private = SimpleNamespace(
            worker=worker, services=services, ray_constants=constants, node=None
        )
        self.read = []
        loader = SimpleNamespace(reset_cache=lambda: self.read.append("token"))
        self._raylet = SimpleNamespace(
            Config=SimpleNamespace(initialize=self.read.append),
            AuthenticationTokenLoader=SimpleNamespace(instance=lambda: loader),
        )
        self.connected = []

    def _connect(self, *arguments, **more):
        self.connected.append((arguments, more))
        return "connected"

    def is_initialized(self):
        """Whether somebody has started it."""
        return self.up

    def init(self, **options):
        """Start, and note options, what processes get and what stands in for Ray's functions."""
        self.options.append(options)
        if "_temp_dir" in options:
            for name in ("open", "closed"):
                Path(options["_temp_dir"], name).touch()
            Path(options["_temp_dir"], "closed").chmod(0o400)
            Path(options["_temp_dir"], "link").symlink_to(__file__)
        own = {"env": dict(os.environ), "preexec_fn": block_interrupts}
        self.seen.append(
            {
                "own": look_around(self._private.services.ConsolePopen, **own),
                "user's": look_from_another_thread(),
                "here": [os.environ.get(MARK), read_file_mask(), signal.getsignal(signal.SIGHUP)],
                "cloud": self._private.services.start_api_server("", x=1),
                "errors": self._private.worker.listen_error_messages(),
            }
        )
        if self.errors:
            raise self.errors.pop(0)
        self.up = True

    def shutdown(self):
        """End it."""
        self.shutdowns, self.up = self.shutdowns + 1, False

    def cluster_resources(self):
        """Return all that the nodes have."""
        return self.resources


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch):
    """Ray's variables are not set, and what a test sets is gone afterwards."""
    monkeypatch.setattr(engine.os, "environ", dict(os.environ))
    for name in list(os.environ):
        if name.startswith("RAY_"):
            monkeypatch.delitem(engine.os.environ, name)


# ---------------------------------------------------------------- the environment


def test_no_reports_no_other_user_no_other_machine():
    engine.keep_ray_private()
    token = os.environ.pop("RAY_AUTH_TOKEN")
    assert len(token) == 64 and int(token, 16) >= 0
    found = {name: value for name, value in os.environ.items() if name.startswith("RAY_")}
    assert found == {
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_worker_niceness": "0",
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
        "RAY_AUTH_MODE": "token",
    }
    os.environ.pop("RAY_AUTH_MODE")
    engine.keep_ray_private()
    assert os.environ["RAY_AUTH_TOKEN"] != token  # another one each time


def test_what_the_user_has_set_stays():
    given = {"RAY_AUTH_MODE": "disabled", "RAY_worker_niceness": "5"}
    os.environ.update(given)
    engine.keep_ray_private()
    assert {name: os.environ[name] for name in given} == given
    assert "RAY_AUTH_TOKEN" not in os.environ
    os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN="mine")
    engine.keep_ray_private()
    assert os.environ["RAY_AUTH_TOKEN"] == "mine"


@pytest.mark.parametrize(
    ("given", "everywhere"), [(None, False), ("0", False), ("1", True), ("True", True)]
)
def test_a_ray_that_was_imported_before_reads_it_again(given, everywhere):
    if given is not None:
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = given
    ray = StartedRay()
    engine._read_environment_again(ray)
    assert ray.read == ["", "token"]
    assert ray._private.ray_constants.ENABLE_RAY_CLUSTER is everywhere
    engine._read_environment_again(SimpleNamespace())  # another Ray, without these names


# ---------------------------------------------------------------- starting one


def test_a_ray_of_our_own_is_private_and_ends_with_us():
    ray = StartedRay()
    mask, hangup = read_file_mask(), signal.getsignal(signal.SIGHUP)
    with engine.connect_to_ray(ray, settings(workers=3, cpus_per_worker=2)):
        (options,) = ray.options
        folder = Path(options.pop("_temp_dir"))
        assert folder.is_dir() and folder.parent.stat().st_mode & 0o777 == 0o700
        assert options == {
            "log_to_driver": False,
            "logging_level": "ERROR",
            "address": "local",
            "include_dashboard": False,
            "num_cpus": 6,
            "object_store_memory": engine.STORE_BYTES,
            "_node_ip_address": "127.0.0.1",
        }
        assert ray.seen == [
            {
                "own": [str(folder.parent), 0o077, True, True],
                "user's": [None, mask, False, False],
                "here": [None, mask, hangup],
                "cloud": (None, None),
                "errors": None,
            }
        ]
        assert ray.read == ["", "token"]
        assert ray._private.services.ConsolePopen is subprocess.Popen  # what follows is no part
        modes = {path.name: path.lstat().st_mode & 0o777 for path in folder.iterdir()}
        assert modes == {"open": 0o600, "closed": 0o400, "link": 0o777}
        assert ray._private.worker.listen_error_messages() == "said"
        assert ray._private.services.start_api_server() == "asked a cloud"
        assert ray.shutdowns == 0
    assert ray.shutdowns == 1 and not folder.parent.exists()


@pytest.mark.parametrize(
    ("given", "cpus"), [({}, 7), ({"workers": 2}, 2), ({"cpus_per_worker": 3}, 7)]
)
def test_how_many_cores_it_has(monkeypatch, given, cpus):
    monkeypatch.setattr(engine, "available_cores", lambda: 7)
    ray = StartedRay()
    with engine.connect_to_ray(ray, settings(**given)):
        assert ray.options[0]["num_cpus"] == cpus


def test_a_ray_that_is_there_is_used_and_left():
    ray = StartedRay()
    ray.up = True
    with engine.connect_to_ray(ray, settings()):
        assert not ray.options
    assert ray.up and not ray.shutdowns


def test_a_cluster_is_joined_as_it_is():
    ray = StartedRay()
    mask = read_file_mask()
    with engine.connect_to_ray(ray, settings(address="10.0.0.1:6379")):
        assert ray.options == [
            {"log_to_driver": False, "logging_level": "ERROR", "address": "10.0.0.1:6379"}
        ]
        assert ray.seen[0]["own"] == [None, mask, True, True]
        assert ray.seen[0]["errors"] == "said" and ray.seen[0]["cloud"] == (None, None)
        assert not ray.read
    assert ray.shutdowns == 1


def test_a_start_that_took_too_long_is_tried_three_times():
    late = RuntimeError("The current node timed out during startup")
    ray = StartedRay(late, late)
    engine._start_ray(ray, {"x": 1}, "of its own")
    assert ray.options == [{"x": 1}] * 3 and ray.shutdowns == 2 and ray.up
    ray = StartedRay(late, late, late)
    with pytest.raises(sc.InvalidInput, match=r"a Ray cluster of its own is not to be had: The c"):
        engine._start_ray(ray, {}, "of its own")
    assert len(ray.options) == 3 and ray.shutdowns == 3


def test_another_error_is_not_tried_again():
    ray = StartedRay(RuntimeError("no such version\nand a stack"))
    with pytest.raises(sc.InvalidInput, match=r"cluster at x is not to be had: no such version$"):
        engine._start_ray(ray, {}, "at x")
    assert len(ray.options) == 1 and ray.shutdowns == 1


def test_a_part_that_has_ended_counts_as_late():
    """Ray's C++ would end the leader without a word."""
    ray = StartedRay()

    def node(kind, code):
        process = SimpleNamespace(process=SimpleNamespace(poll=lambda: code))
        return SimpleNamespace(all_processes={kind: [process]})

    with engine._check_before_connecting(ray):
        connect = ray._private.worker.connect
        assert connect(alive := node("raylet", None), 1, mode=2) == "connected"
        assert connect(node("log_monitor", 1)) == "connected"
        for kind in ("raylet", "gcs_server"):
            with pytest.raises(RuntimeError, match="Ray timed out: a part of it ended while"):
                connect(node(kind, -9))
    assert ray.connected[0] == ((alive, 1), {"mode": 2}) and len(ray.connected) == 2
    assert ray._private.worker.connect == ray._connect
    with engine._check_before_connecting(SimpleNamespace()):  # another Ray, without this name
        pass


def test_a_function_of_ray_is_put_back_after_an_error():
    ray = StartedRay()
    before = ray._private.services.start_api_server
    with pytest.raises(KeyError), engine._replace(ray, "services", "start_api_server", None):
        assert ray._private.services.start_api_server is None
        raise KeyError
    assert ray._private.services.start_api_server is before
    with engine._replace(ray, "services", "unknown", None), engine._replace(ray, "no", "x", None):
        assert not hasattr(ray._private.services, "unknown")


def test_a_ray_that_another_thread_starts_outlives_the_terminal_too():
    ray, opened = StartedRay(), []

    def lead():
        with engine.connect_to_ray(ray, settings()):
            opened.append(ray.options[0]["_temp_dir"])

    other = threading.Thread(target=lead)
    other.start()
    other.join()
    assert ray.seen[0]["own"] == [str(Path(opened[0]).parent), 0o077, True, True]


def test_another_ray_that_starts_its_processes_in_another_way_is_left_as_it_is(tmp_path):
    ray = SimpleNamespace(_private=SimpleNamespace(services=SimpleNamespace()))
    with engine._set_up_processes(ray, tmp_path / "r"):
        assert not hasattr(ray._private.services, "ConsolePopen")
        assert MARK not in os.environ
    with engine._set_up_processes(SimpleNamespace(), None):
        pass


def test_a_file_that_ray_removes_meanwhile_is_no_error(tmp_path, monkeypatch):
    (tmp_path / "here").touch(0o644)
    found = [(str(tmp_path), [], ["gone", "here"])]
    monkeypatch.setattr(engine.os, "walk", lambda folder: found)
    engine._close_files(tmp_path)
    assert (tmp_path / "here").stat().st_mode & 0o777 == 0o600


# ---------------------------------------------------------------- an address, and the workers


def test_an_address_where_nobody_listens_is_refused():
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        for name in (address, f"ray://{address}", "auto", "local", "a:b", "1234"):
            engine._require_listener(name)
    with pytest.raises(sc.InvalidInput, match=rf"address must be that of .* got '{address}': Conn"):
        engine._require_listener(address)


@pytest.mark.parametrize(
    ("given", "gpus", "expected"),
    [
        ({}, 0, WorkerResources(1.0, 0.0)),
        ({}, 1, WorkerResources(1.0, 1.0)),
        ({"device": "cuda:0"}, 2, WorkerResources(1.0, 1.0)),
        ({"device": "cpu"}, 2, WorkerResources(1.0, 0.0)),
        ({}, 0.5, WorkerResources(1.0, 0.0)),
        ({"gpus_per_worker": 0.25, "cpus_per_worker": 4}, 0, WorkerResources(4.0, 0.25)),
        ({"gpus_per_worker": 0.0}, 8, WorkerResources(1.0, 0.0)),
    ],
)
def test_what_one_worker_takes(given, gpus, expected):
    resources = {"GPU": gpus} if gpus else {}
    assert engine._choose_resources(StartedRay(resources=resources), settings(**given)) == expected


@pytest.mark.parametrize("address", [None, "127.0.0.1:1"])
def test_workers_are_closed_also_after_an_error(monkeypatch, address):
    ray, calls = StartedRay(), []

    class Group:
        def __init__(self, ray, head, settings, need):
            calls.append((head, need))

        def close(self):
            calls.append("closed")

    monkeypatch.setattr(engine, "import_library", lambda *words: ray)
    monkeypatch.setattr(engine, "RayWorkers", Group)
    monkeypatch.setattr(engine, "ClusterHead", lambda ray, own: own)
    monkeypatch.setattr(engine, "_require_listener", calls.append)
    asked = settings(address=address)
    with pytest.raises(KeyError), engine.ray_workers(asked) as workers:
        assert isinstance(workers, Group)
        assert ("RAY_AUTH_TOKEN" in os.environ) == (address is None)
        raise KeyError
    made = (address is None, WorkerResources(1.0, 0.0))
    assert calls == [*([] if address is None else [address]), made, "closed"]
    assert ray.shutdowns == 1
