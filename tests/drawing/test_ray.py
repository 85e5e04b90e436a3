"""The Ray engine, with one real Ray on 127.0.0.1 for this file, which is stopped at its end."""

import os
import secrets
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import scenes
from places import HOT, asked, drawn, heat, marked, soon, words

import simplicert as sc
from simplicert.drawing import draw_missing, open_workers
from simplicert.drawing.engines.actors import read_file_mask
from simplicert.drawing.engines.ray import connect_to_ray, keep_ray_private
from simplicert.drawing.resume import prepare_run
from simplicert.store.settings import DrawingSettings

pytestmark = pytest.mark.slow  # starts clusters of Ray

OURS = ("USAGE_STATS_ENABLED", "ENABLE_WINDOWS_OR_OSX_CLUSTER", "AUTH_MODE", "AUTH_TOKEN")
RAY = {"engine": "ray"}


@pytest.fixture(scope="module")
def ray():
    """Start a Ray with two slots; nothing of it is left afterwards."""
    mark = secrets.token_hex(8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SCENE", mark)
        keep_ray_private()
        library = pytest.importorskip("ray")
        with connect_to_ray(library, DrawingSettings("", "", 1.0, 1, Path(), workers=2)):
            yield library
    soon(lambda: not marked(mark))
    assert not list(Path("/tmp").glob(f"simplicert-{os.getpid()}-*"))


def test_no_other_user_can_enter_its_folder(ray):
    """Ray opens its own folder to all users, who could replace a socket and speak for Ray."""
    (folder,) = Path("/tmp").glob(f"simplicert-{os.getpid()}-*")
    assert folder.stat().st_mode & 0o777 == 0o700
    session = Path(ray._private.worker._global_node.get_session_dir_path())
    assert folder in session.parents
    assert list(session.glob("sockets/*"))
    modes = [path.lstat().st_mode for path in folder.rglob("*")]
    assert not any(mode & 0o077 for mode in modes if stat.S_ISREG(mode))


def test_it_listens_here_only_and_asks_for_a_token(ray):
    assert [node["NodeManagerAddress"] for node in ray.nodes()] == ["127.0.0.1"]
    code = (
        "import os, sys\n"
        "os.environ['RAY_AUTH_TOKEN'] = '0' * 64\n"
        "import ray\n"
        "try:\n    ray.init(address=sys.argv[1], log_to_driver=False)\n"
        "except Exception as error:\n    print(type(error).__name__, error)\n"
        "else:\n    print('let in')\n"
    )
    address = ray.get_runtime_context().gcs_address
    said = subprocess.run(
        [sys.executable, "-c", code, address], capture_output=True, text=True, check=False
    )
    assert "let in" not in said.stdout
    assert "token" in said.stdout.lower() + said.stderr.lower()


def test_any_number_of_workers_draws_the_same_bits(place, ray):
    scenes.same_bits(place, (1, 2), **RAY)
    modes = {path.stat().st_mode & 0o777 for path in place[0].glob("*/parts/*.parquet")}
    assert modes == {0o666 & ~read_file_mask()}  # Ray's own files are closed, parts are not


def test_texts_are_drawn_with_the_same_bits(text_place, ray):
    scenes.same_bits(text_place, (2,), **RAY)


def test_shards_on_ray(place, ray):
    for shard in ("2/2", "1/2"):
        assert drawn(asked(place, "run", shard=shard, **RAY))[0]
    assert sc.open_run("run").tally() == drawn(asked(place, "alone"))[1].tally()


def test_a_killed_worker_costs_its_unit_only(place, ray):
    scenes.killed_worker(place, **RAY)


def test_a_poisoned_input_is_given_up_and_the_rest_drawn(place, ray):
    scenes.poisoned_input(place, workers=2, **RAY)


def test_a_model_that_fails_is_called_again(place, ray, monkeypatch):
    scenes.failing_model(place, monkeypatch, workers=2, **RAY)


def test_an_input_that_kills_the_worker(place, ray):
    heat()
    complete, run = drawn(asked(place, "run", model=f"{place[1]}:deadly", **RAY))
    assert not complete
    assert run.failed == {HOT: "the worker that drew it died"}
    assert run.missing == 1


def test_parts_are_handed_over_where_the_folder_is_not_shared(place, ray):
    scenes.no_shared_folder(place, **RAY)


def test_stopped_and_resumed(place, ray):
    scenes.stopped_and_resumed(place, **RAY)


def test_a_worker_with_another_model_is_left_out(place, ray, caplog):
    """The worker that prepared the run goes on alone, and draws all of it."""
    outcome = scenes.other_model(place, **RAY)
    assert outcome.complete
    assert sc.open_run("run").missing == 0
    assert "a worker is left out" in caplog.text
    assert "was made with answers of the model" in caplog.text


@pytest.mark.long
def test_workers_join_when_there_is_room(place, ray):
    """One actor draws while another program has a core, then two; never more than slots."""

    @ray.remote(num_cpus=1)
    class Guest:
        def here(self):
            return True

    guest = Guest.remote()
    assert ray.get(guest.here.remote())
    leaving = [guest]
    request = asked(place, "run", model=f"{place[1]}:patient", draws=6000, **RAY)
    sizes = []
    with open_workers(request) as workers:
        prepared = prepare_run(request, workers)

        def look(progress):
            sizes.append(workers.size())
            if progress.done >= 3 and leaving:
                ray.kill(leaving.pop())
            if sizes[-1] == 2:  # a worker may take long to start: the model waits for it
                (place[0] / "enough").touch()

        assert draw_missing(prepared, workers, report=look).complete
    assert sizes[0] == 1
    assert sizes[-1] == 2
    assert sc.open_run("run").tally() == drawn(asked(place, "alone", draws=6000))[1].tally()


def test_a_worker_that_fits_nowhere_is_refused(place, ray):
    cases = [
        ({"cpus_per_worker": 64, **RAY}, "no node of the cluster has 64 CPUs and 0 GPUs"),
        ({"gpus_per_worker": 1.0, **RAY}, "no node of the cluster has 1 CPUs and 1 GPUs"),
    ]
    scenes.bad_options(place, cases)


def test_settings_are_refused_with_the_same_sentence_as_alone(place, ray):
    with pytest.raises(sc.InvalidInput, match="pilot must be positive with scheme split"):
        drawn(asked(place, "run", scheme="split", **RAY))
    assert not (place[0] / "run").exists()


def test_a_killed_leader_takes_its_cluster_with_it(place):
    """Here the command starts its own Ray, as a user does; in the end nothing of it is left."""
    pytest.importorskip("ray")
    scenes.killed_leader(place, "--engine", "ray")


BESIDE = """
import subprocess, sys, threading
import simplicert as sc
stop, started = threading.Event(), []
def start_others():
    while not stop.wait(0.2):
        started.append(subprocess.Popen(["sleep", "600"]))
other = threading.Thread(target=start_others)
other.start()
try:
    sc.draw(sys.argv[1] + ":make", "data.npz", 0.5, 20, "run", select=slice(4), engine="ray",
        workers=1)
finally:
    stop.set()
    other.join()
    print(len(started), [one.poll() for one in started if one.poll() is not None])
    for one in started:
        one.kill()
"""


def test_programs_that_the_user_starts_meanwhile_live_on(place):
    """Those that another thread started while Ray did bore its mark, and its guard killed them."""
    pytest.importorskip("ray")
    done = subprocess.run(
        [sys.executable, "-c", BESIDE, place[1]], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    number, ended = done.stdout.split(maxsplit=1)
    assert int(number) > 5 and ended.strip() == "[]"


@pytest.mark.long
def test_it_may_have_been_imported_before(place):
    """Ray reads its settings when it is imported, and the user may have done so long ago."""
    pytest.importorskip("ray")
    _, name = place
    code = (
        "import ray\n"
        "import simplicert as sc\n"
        "def look(*_):\n"
        "    print(*(node['NodeManagerAddress'] for node in ray.nodes()))\n"
        f"sc.draw('{name}:make', 'data.npz', 0.5, 20, 'run', select=slice(4), engine='ray',\n"
        "    workers=1, report=look)\n"
    )
    environment = {key: value for key, value in os.environ.items() if not key.startswith("RAY_")}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) == {"127.0.0.1"}
    assert not sc.open_run("run").missing


WATCH = """
import os, socket, sys
HERE = ("127.0.0.1", "::1", "localhost", "0.0.0.0", "::", "", None, socket.gethostname())
def watch(event, args):
    if event not in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname"):
        return
    where = args[1] if event == "socket.connect" else args[0]
    if event == "socket.connect" and (isinstance(where, (str, bytes)) or args[0].type == 2):
        return  # a socket in a folder; one for datagrams, which sends nothing when it connects
    host = where[0] if isinstance(where, tuple) else where
    host = host.decode() if isinstance(host, bytes) else host
    with open(os.environ["SEEN"], "a") as file:
        print(os.getpid(), "here" if host in HERE else host, file=file)
    if host not in HERE:
        raise OSError("watched")
sys.addaudithook(watch)
with open(os.environ["SEEN"], "a") as file:
    print(os.getpid(), "here", file=file)
"""


@pytest.mark.long
def test_the_head_dies_and_no_one_was_asked_about_a_cloud(place):
    """One sentence, exit code 2, nothing left behind, nothing lost; no address but loopback."""
    pytest.importorskip("ray")
    folder, name = place
    (folder / "watch").mkdir()
    (folder / "watch" / "sitecustomize.py").write_text(WATCH)
    seen, mark = folder / "seen.txt", secrets.token_hex(8)
    path = os.pathsep.join([str(folder / "watch"), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "SCENE": mark, "SEEN": str(seen), "PYTHONPATH": path}
    for name_ in OURS:
        environment.pop(f"RAY_{name_}", None)
    longer = ("--draws", "1500", "--model", f"{name}:patient")
    command = [*words(place, "run", *longer), "--engine", "ray", "--workers", "1"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as leader:
        soon(lambda: list((folder / "run" / "parts").glob("*.parquet")) or leader.poll())
        (head,) = [pid for pid in marked(mark) if "gcs_server" in command_of(pid)]
        os.kill(head, signal.SIGKILL)
        _, said = leader.communicate(timeout=200)
    assert leader.returncode == 2
    assert said.splitlines()[-1] == (
        "simplicert: the head of the Ray cluster is gone: what was drawn is kept, and the same "
        "command continues"
    )
    assert "GCS" not in said
    assert not list(Path("/tmp").glob(f"simplicert-{leader.pid}-*"))
    soon(lambda: not marked(mark))
    lines = [line.split() for line in seen.read_text().splitlines()]
    assert len({pid for pid, _ in lines}) >= 4  # leader, Ray's own, worker
    assert {host for _, host in lines} == {"here"}
    assert sc.open_run("run").missing > 0
    (folder / "enough").touch()
    assert drawn(asked(place, "run", model=f"{name}:patient", draws=1500))[0]
    alone = drawn(asked(place, "alone", draws=1500))[1]
    assert sc.open_run("run").tally() == alone.tally()


def command_of(pid):
    """The program that a process runs."""
    return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode()


def test_no_cluster_at_the_address(place):
    pytest.importorskip("ray")
    for address in ("127.0.0.1:1", "nowhere.invalid:1"):
        with pytest.raises(sc.InvalidInput, match=f"address must be that of .*, got '{address}'"):
            drawn(asked(place, "run", address=address, **RAY))


def test_without_ray_it_says_how_to_install_it(place):
    code = (
        "import sys\n"
        "class Blocked:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'ray':\n"
        "            raise ModuleNotFoundError(name, name=name)\n"
        "sys.meta_path.insert(0, Blocked())\n"
        "from simplicert.cli import run_program\n"
        "run_program()\n"
    )
    command = [sys.executable, "-c", code, *words(place, "run")[3:], "--engine", "ray"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.endswith(
        "simplicert: engine ray needs ray, which is not installed: pip install 'simplicert[ray]'\n"
    )
    assert not (place[0] / "run").exists()
