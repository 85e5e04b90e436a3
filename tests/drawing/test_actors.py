"""The actors of the Ray engine, with a Ray that answers as each test says."""

import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from fake_ray import NEVER, FakeRay, RayError

import simplicert as sc
from simplicert.drawing import driver
from simplicert.drawing.engines import actors
from simplicert.drawing.engines.actors import (
    WORKER_DIED,
    RayWorkers,
    RemoteWorker,
    WorkerResources,
    read_file_mask,
)
from simplicert.drawing.preparation import Preparation
from simplicert.drawing.queue import Unit, UnitResult
from simplicert.sampling.forward import ClassifierFailed
from simplicert.store.settings import DrawingSettings

PREPARED = Preparation(None, np.arange(3), None)
READY = ("ready", None)
DONE = UnitResult(name="part", content=b"x")
JOINED = ("join", "manifest")


class Clock:
    """A clock that moves only when the code sleeps or a test says so."""

    def __init__(self):
        """Begin anywhere."""
        self.now, self.slept = 100.0, []

    def monotonic(self):
        """Return the time."""
        return self.now

    def sleep(self, seconds):
        """Let time pass."""
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    for module in (actors, driver):
        monkeypatch.setattr(module, "time", made)
    return made


def settings(**more):
    return DrawingSettings("", "", 1.0, 1, Path(), **{"patience": 10.0, **more})


def workers_of(ray, **more):
    return RayWorkers(ray, ray, settings(**more), WorkerResources(1.0, 0.0))


def unit_of(*items):
    return Unit(0, np.array(items), (0, 9), None)


def count_nothing(rows):
    return False


def joining(ray, answer, **more):
    """Workers that were told to join a run, and answer this."""
    ray.answers |= {"prepare": ("prepared", PREPARED), "join": answer}
    workers = workers_of(ray, **more)
    workers.prepare(None)
    workers.join("manifest")
    return workers


def begun(ray, **more):
    """Workers that have joined a run, all of them ready."""
    workers = joining(ray, READY, **more)
    while not workers.idle() or len(workers.idle()) < workers.size():
        workers.wait(count_nothing)
    return workers


# ---------------------------------------------------------------- preparing


def test_one_worker_prepares_and_the_others_start_when_all_join(clock):
    ray = FakeRay({"CPU": 2.0}, {"CPU": 1.0})
    ray.answers["prepare"] = ("prepared", PREPARED)
    workers = workers_of(ray)
    assert workers.prepare("before") is PREPARED
    assert [actor.sent for actor in ray.actors] == [[("prepare", "before")]]
    assert clock.slept == [0]
    workers.join("manifest")
    assert ray.actors[0].sent[1:] == [JOINED]
    assert workers.idle() == []
    ray.answers[0, 1] = READY
    assert workers.wait(count_nothing) == []
    clock.now += 4
    assert workers.idle() == [0]
    assert [actor.sent for actor in ray.actors[1:]] == [[JOINED]] * 2
    assert workers.size() == 3


def test_what_an_actor_is_made_with(clock):
    """It never starts again by itself, and a second thread of it hears when to stop."""
    ray = FakeRay()
    workers = begun(ray, workers=1)
    assert ray.options == {
        "num_cpus": 1.0,
        "num_gpus": 0.0,
        "max_restarts": 0,
        "max_task_retries": 0,
        "max_concurrency": 2,
    }
    (actor,) = ray.actors
    assert actor.made == (workers.settings, str(Path.cwd()), 1, read_file_mask())
    elsewhere = RayWorkers(ray, ray, settings(address="10.0.0.1:1"), WorkerResources(2.5, 0.5))
    assert elsewhere.mask is None and ray.options["num_gpus"] == 0.5
    ray.answers["prepare"] = ("prepared", PREPARED)
    ray.resources = [{"CPU": 8.0, "GPU": 1.0}]
    elsewhere.prepare(None)
    assert ray.actors[-1].made[2:] == (2, None)


@pytest.mark.parametrize(
    ("answer", "error", "sentence"),
    [
        (("refused", sc.InvalidInput("no such data")), sc.InvalidInput, "no such data"),
        (("failed", "HTTP 503"), ClassifierFailed, "HTTP 503"),
        (RayError("out of memory\nand more"), sc.SamplingFailed, r"died: out of memory$"),
    ],
)
def test_a_worker_that_cannot_prepare(clock, answer, error, sentence):
    ray = FakeRay()
    ray.answers["prepare"] = answer
    with pytest.raises(error, match=sentence):
        workers_of(ray).prepare(None)


def test_the_head_is_looked_for_while_model_and_data_load(clock):
    """Ray itself would wait for ever."""
    ray = FakeRay()

    def require():
        ray.checks += 1
        if ray.checks == 3:
            raise sc.SamplingFailed("the head is gone")

    ray.require = require
    with pytest.raises(sc.SamplingFailed, match="the head is gone"):
        workers_of(ray).prepare(None)


def test_the_first_worker_waits_for_a_free_core(clock):
    """Other programs of the cluster use it now."""
    ray = FakeRay({"CPU": 1.0})
    ray.others, ray.answers["prepare"] = 1.0, ("prepared", PREPARED)
    sleep, clock.sleep = clock.sleep, lambda seconds: (sleep(seconds), leave())

    def leave():
        if len(clock.slept) == 3:
            ray.others = 0.0

    assert workers_of(ray).prepare(None) is PREPARED
    assert clock.slept == [1.0, 1.0, 1.0, 0]


def test_a_worker_that_fits_no_node_is_a_sentence():
    ray = FakeRay({"CPU": 2.0}, {"CPU": 2.0})
    workers = RayWorkers(ray, ray, settings(), WorkerResources(4.0, 0.0))
    with pytest.raises(sc.InvalidInput, match=r"no node of the cluster has 4 CPUs and 0 GPUs for"):
        workers.prepare(None)


def test_room_is_counted_node_by_node():
    assert WorkerResources(1.0, 0.0).fits({"CPU": 8.0}) == 8
    assert WorkerResources(3.0, 0.0).fits({"CPU": 8.0, "GPU": 4.0}) == 2
    assert WorkerResources(1.0, 1.0).fits({"CPU": 8.0, "GPU": 4.0}) == 4
    assert WorkerResources(1.0, 0.1).fits({"CPU": 16.0, "GPU": 1.0}) == 10
    assert WorkerResources(0.1, 0.0).fits({"CPU": 0.3}) == 3  # .3 / .1 is less in doubles
    assert WorkerResources(1.0, 1.0).fits({"CPU": 8.0}) == 0
    assert WorkerResources(1.0, 0.0).fits({"GPU": 8.0}) == 0


# ---------------------------------------------------------------- how many there are


@pytest.mark.parametrize(("asked", "free", "count"), [(None, 5, 5), (2, 5, 2), (9, 5, 5)])
def test_as_many_workers_as_asked_for_and_as_fit(clock, asked, free, count):
    ray = FakeRay({"CPU": float(free)})
    workers = joining(ray, READY, workers=asked)
    workers.wait(count_nothing)
    workers.idle()
    assert workers.size() == count


def test_room_is_looked_for_now_and_then(clock):
    ray = FakeRay({"CPU": 3.0})
    ray.others = 2.0
    workers = begun(ray)
    assert workers.size() == 1
    ray.others = 1.0
    clock.now += 3.0  # not longer ago than this
    assert workers.idle() == [0] and workers.size() == 1
    clock.now += 0.1
    assert workers.idle() == [0] and workers.size() == 2
    clock.now += 4
    ray.others = 0.0
    assert workers.idle() == [0] and workers.size() == 2  # one is still starting: the next waits


def test_none_is_started_once_all_stop(clock):
    ray = FakeRay({"CPU": 3.0})
    ray.others = 2.0
    workers = begun(ray)
    workers.stop()
    workers.stop()
    assert [actor.stops for actor in ray.actors] == [1]
    ray.others, clock.now = 0.0, clock.now + 10
    workers.idle()
    assert workers.size() == 1
    workers.close()
    assert ray.actors[0].killed and workers.size() == 0


# ---------------------------------------------------------------- drawing


def test_a_result_comes_with_its_worker_and_unit(clock):
    ray = FakeRay({"CPU": 2.0})
    workers = begun(ray)
    assert workers.idle() == [0, 1]
    units = unit_of(1), unit_of(2)
    for number, unit in enumerate(units):
        workers.assign(number, unit)
        assert ray.actors[number].sent[-1] == ("draw", unit)
    assert workers.idle() == []
    ray.checks = 0
    assert workers.wait(count_nothing) == [] and ray.checks == 1
    ray.answers["draw"] = ("result", DONE)
    assert workers.wait(count_nothing) == [(0, units[0], DONE), (1, units[1], DONE)]
    assert workers.idle() == [0, 1]
    assert workers.wait(count_nothing) == [] and clock.slept[-1] == 0.2  # nothing is awaited


def test_the_unit_of_a_lost_worker_comes_back_and_another_takes_its_place(clock):
    ray = FakeRay({"CPU": 2.0})
    workers = begun(ray)
    unit = unit_of(1)
    workers.assign(1, unit)
    ray.answers[1, len(ray.actors[1].sent) - 1] = RayError("gone")
    ((number, back, result),) = workers.wait(count_nothing)
    assert (number, back, result) == (1, unit, UnitResult(error=WORKER_DIED, lost=True))
    assert ray.actors[1].killed and not ray.actors[0].killed
    assert workers.size() == 1
    workers.idle()  # at once, and under a new number
    workers.wait(count_nothing)
    assert workers.idle() == [0, 2]


def test_a_worker_that_is_lost_without_a_unit(clock):
    ray = FakeRay({"CPU": 2.0})
    workers = begun(ray, workers=1)
    assert workers.size() == 1
    workers.members[0].send("join", "manifest")
    ray.answers[0, len(ray.actors[0].sent) - 1] = RayError("gone")
    assert workers.wait(count_nothing) == []
    assert workers.size() == 0


def test_workers_that_die_while_they_load_end_the_drawing_at_the_third(clock):
    ray = FakeRay({"CPU": 1.0})
    workers = joining(ray, RayError("killed: memory"))
    for _ in range(2):
        assert workers.wait(count_nothing) == []
        workers.idle()
    with pytest.raises(sc.SamplingFailed, match=r"die while they load the model: killed: memory$"):
        workers.wait(count_nothing)


def test_one_that_is_ready_meanwhile_begins_the_count_anew(clock):
    ray = FakeRay({"CPU": 1.0})
    workers = joining(ray, RayError("killed"))
    for number in range(2, 7):
        workers.wait(count_nothing)
        workers.idle()
        assert len(ray.actors) == number
        if number % 2:  # every second one gets ready, and is lost with its unit
            ray.answers[number - 1, 0] = READY
            workers.wait(count_nothing)
            workers.assign(number - 1, unit_of(1))
            ray.answers[number - 1, 1] = RayError("killed")
    assert workers.failed_starts < 3


def test_a_worker_with_another_model_is_left_out_and_none_takes_its_place(clock, caplog):
    ray = FakeRay({"CPU": 2.0})
    workers = joining(ray, READY)
    workers.wait(count_nothing)
    workers.idle()
    ray.answers[1, 0] = ("refused", sc.InvalidInput("another model\nand more"))
    assert workers.wait(count_nothing) == []
    assert ray.actors[1].killed and workers.size() == 1
    assert "a worker is left out: another model" in caplog.text and "more" not in caplog.text
    clock.now += 4
    assert workers.idle() == [0] and workers.size() == 1  # its slot stays empty
    ray.answers[0, 2] = ("refused", sc.InvalidInput("this one too"))
    workers.members[0].send("join", "manifest")
    with pytest.raises(sc.InvalidInput, match="this one too"):
        workers.wait(count_nothing)


def test_a_model_that_fails_its_probe_is_tried_again_after_a_pause(clock):
    ray = FakeRay({"CPU": 1.0})
    workers = joining(ray, ("failed", "HTTP 503"), patience=10.0)
    workers.wait(count_nothing)
    assert workers.idle() == []
    (actor,) = ray.actors
    workers.wait(count_nothing)
    assert len(actor.sent) == 2  # the pause is not over
    clock.now += 0.6
    workers.wait(count_nothing)
    assert actor.sent[2:] == [JOINED]
    clock.now += 20
    ray.answers["join"] = READY
    workers.wait(count_nothing)
    assert workers.idle() == [0] and len(actor.sent) == 4
    clock.now += 20
    assert workers.wait(count_nothing) == [] and len(actor.sent) == 4


def test_without_patience_a_failed_probe_ends_the_drawing(clock):
    ray = FakeRay({"CPU": 1.0})
    workers = joining(ray, ("failed", "HTTP 503"), patience=0.0)
    with pytest.raises(ClassifierFailed, match="HTTP 503"):
        workers.wait(count_nothing)


def test_an_answer_that_never_comes_blocks_nothing(clock):
    ray = FakeRay({"CPU": 2.0})
    workers = begun(ray)
    for number in (0, 1):
        workers.assign(number, unit_of(number))
    ray.answers |= {"draw": NEVER, (1, len(ray.actors[1].sent) - 1): ("result", DONE)}
    ((number, _, result),) = workers.wait(count_nothing)
    assert (number, result) == (1, DONE)
    assert workers.idle() == [1]


# ---------------------------------------------------------------- inside an actor


def test_the_worker_inside_counts_its_draws_and_hears_the_end(tmp_path, monkeypatch):
    """A result says how many draws were made; a second thread's `stop` ends it after a batch."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    before, heard = read_file_mask(), []

    class Drawer:
        def __init__(self, settings):
            self.settings = settings

        def run_command(self, command, value, after_batch):
            if command == "prepare":
                return "prepared", value
            heard.extend([after_batch(64, 1), after_batch(32, 2)])
            remote.stop()
            heard.append(after_batch(1, 3))
            return "result", DONE

    monkeypatch.setattr(actors, "Worker", Drawer)
    try:
        remote = RemoteWorker(settings(), str(tmp_path), 3, 0o027)
        assert read_file_mask() == 0o027
        assert os.environ["OMP_NUM_THREADS"] == "3"
    finally:
        os.umask(before)
    assert remote.run_command("prepare", "x") == ("prepared", "x")
    for _ in range(2):  # each result counts its own draws
        remote.stopping = False
        reply, result = remote.run_command("draw", None)
        assert (reply, result.rows, result.name) == ("result", 97, "part")
    assert heard == [False, False, True] * 2
    RemoteWorker(settings(), str(tmp_path), 1)
    assert read_file_mask() == before


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells it")
def test_the_mask_of_new_files_is_only_read(monkeypatch):
    """Other threads of this process may be writing files."""
    before = os.umask(0o027)
    try:
        with monkeypatch.context() as patch:
            patch.setattr(actors, "os", SimpleNamespace())
            assert read_file_mask() == 0o027
    finally:
        os.umask(before)


@pytest.mark.parametrize("said", [None, "Name:\tpython\n"])
def test_where_the_system_does_not_tell_the_mask_it_is_set_and_put_back(
    monkeypatch, tmp_path, said
):
    if said is not None:
        (tmp_path / "status").write_text(said)
    set_to = []
    monkeypatch.setattr(actors, "STATUS", tmp_path / "status")
    monkeypatch.setattr(actors, "os", SimpleNamespace(umask=lambda mask: set_to.append(mask) or 18))
    assert read_file_mask() == 18
    assert set_to == [0o077, 18]
