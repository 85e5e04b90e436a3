"""The processes of the local engine, by their pipes: what the leader says and hears."""

import signal
from contextlib import suppress
from multiprocessing import Pipe
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import simplicert as sc
from simplicert.drawing.driver import Backoff
from simplicert.drawing.engines import processes
from simplicert.drawing.engines.processes import PROCESS_DIED, DrawsReporter, ProcessWorkers
from simplicert.drawing.preparation import Preparation
from simplicert.drawing.queue import Unit, UnitResult
from simplicert.sampling.forward import ClassifierFailed
from simplicert.store.settings import DrawingSettings

PREPARED = Preparation(None, np.arange(3), None)
READY = ("ready", None)
UNIT, DONE = Unit(0, np.array([1]), (0, 9), None), UnitResult(name="part", content=b"x")


class FakeProcess:
    """A process that only notes what is done to it."""

    def __init__(self):
        """Live until it is killed."""
        self.exitcode, self.joins, self.kills = -9, [], 0

    def join(self, seconds=None):
        """Wait for its end."""
        self.joins.append(seconds)

    def is_alive(self):
        """Whether it must be killed."""
        return not self.kills

    def kill(self):
        """End it."""
        self.kills += 1


class FakeMember:
    """The leader's side of a process; the test holds the other end of the pipe."""

    made: list

    def __init__(self, settings, share):
        """Start nothing."""
        self.share, self.process = share, FakeProcess()
        self.pipe, self.far = Pipe()
        self.ready, self.probe_failed, self.unit = False, False, None
        self.backoff = Backoff(settings.patience)
        self.made.append(self)

    send = processes.WorkerProcess.send

    def heard(self):
        """What the leader has sent since."""
        found = []
        with suppress(EOFError):  # the leader has closed its end
            while self.far.poll():
                found.append(self.far.recv())
        return found


@pytest.fixture
def made(monkeypatch):
    """All that were started, in their order."""
    monkeypatch.setattr(processes, "WorkerProcess", FakeMember)
    monkeypatch.setattr(processes, "SECOND", 0.01)
    monkeypatch.setattr(FakeMember, "made", [], raising=False)
    yield FakeMember.made
    for member in FakeMember.made:
        member.pipe.close()
        member.far.close()


def group(made, count=2, patience=10.0):
    settings = DrawingSettings("", "", 1.0, 1, Path(), patience=patience)
    return ProcessWorkers(settings, [{"OMP_NUM_THREADS": str(n + 1)} for n in range(count)])


def joined(made, count=2):
    """Workers that are all ready."""
    workers = group(made, count)
    workers.join("manifest")
    for member in made:
        assert member.heard() == [("join", "manifest")]
        member.far.send(READY)
    while len(workers.idle()) < count:
        assert workers.wait(count_nothing) == []
    return workers


def count_nothing(rows):
    return False


def test_the_first_one_prepares(made):
    workers = group(made)
    made[0].far.send(("prepared", PREPARED))
    assert workers.prepare("before").index.tolist() == [0, 1, 2]
    assert made[0].heard() == [("prepare", "before")] and made[1].heard() == []
    assert workers.size() == 2 and workers.idle() == []


@pytest.mark.parametrize(
    ("reply", "error", "sentence"),
    [
        (("refused", sc.InvalidInput("no such data")), sc.InvalidInput, "no such data"),
        (("failed", "HTTP 503"), ClassifierFailed, "HTTP 503"),
        (None, sc.SamplingFailed, "the process that loaded the model died"),
    ],
)
def test_one_that_cannot_prepare(made, reply, error, sentence):
    workers = group(made)
    made[0].far.send(reply) if reply else made[0].far.close()
    with pytest.raises(error, match=sentence):
        workers.prepare(None)


def test_a_result_comes_with_its_worker_and_draws_are_counted(made):
    workers, counted = joined(made), []
    workers.assign(1, UNIT)
    assert workers.idle() == [0]
    ((command, unit),) = made[1].heard()
    assert command == "draw" and unit.span == UNIT.span
    made[1].far.send(("rows", 64))
    made[1].far.send(("rows", 36))
    made[1].far.send(("result", DONE))
    found = []
    while not found:
        found = workers.wait(counted.append)
    assert found == [(1, UNIT, DONE)] and counted == [64, 36]
    assert workers.idle() == [0, 1]


def test_a_process_that_died_returns_its_unit_and_is_replaced_at_once(made):
    workers = joined(made)
    workers.assign(0, UNIT)
    made[0].far.close()
    assert workers.wait(count_nothing) == [(0, UNIT, UnitResult(error=PROCESS_DIED, lost=True))]
    assert made[0].process.kills == 1 and made[0].pipe.closed
    assert len(made) == 3 and workers.members[0] is made[2]
    assert made[2].share == made[0].share and made[2].heard() == [("join", "manifest")]
    assert workers.idle() == [1] and workers.size() == 2
    made[1].far.close()  # without a unit
    assert workers.wait(count_nothing) == [] and len(made) == 4
    assert workers.failed_starts == 0


def test_a_process_that_dies_while_all_stop_is_not_replaced(made):
    workers = joined(made)
    workers.assign(0, UNIT)
    workers.stop()
    workers.stop()
    assert [command for command, _ in made[1].heard()] == ["stop"]
    made[0].far.close()
    assert len(workers.wait(count_nothing)) == 1 and len(made) == 2
    assert workers.idle() == [1]
    assert workers.wait(count_nothing) == []  # its pipe is closed, and nobody waits for it


def test_processes_that_die_while_they_load_end_the_drawing_at_the_third(made):
    workers = group(made, 1)
    workers.join("manifest")
    for number in range(2):
        made[number].far.close()
        assert workers.wait(count_nothing) == []
    made[2].far.close()
    with pytest.raises(sc.SamplingFailed, match=r"die while they load the model \(exit code -9\)"):
        workers.wait(count_nothing)
    assert made[2].process.joins == [processes.END_SECONDS]


def test_one_that_is_ready_meanwhile_begins_the_count_anew(made):
    workers = group(made, 1)
    workers.join("manifest")
    for number in range(6):
        if number % 2:
            made[number].far.send(READY)
            while not workers.idle():
                workers.wait(count_nothing)
        made[number].far.close()
        workers.wait(count_nothing)
    assert len(made) == 7


def test_a_refusal_ends_the_drawing(made):
    workers = group(made)
    workers.join("manifest")
    made[1].far.send(("refused", sc.InvalidInput("another model")))
    with pytest.raises(sc.InvalidInput, match="another model"):
        workers.wait(count_nothing)


def test_a_model_that_fails_its_probe_is_tried_again_after_a_pause(made, monkeypatch):
    workers = group(made, 1)
    workers.join("manifest")
    (member,) = made
    assert member.heard() == [("join", "manifest")]
    pause = SimpleNamespace(fail=lambda words: words == "HTTP 503", left=lambda: 1.0)
    member.backoff = pause
    member.far.send(("failed", "HTTP 503"))
    while not member.probe_failed:
        workers.wait(count_nothing)
    workers.wait(count_nothing)
    assert member.heard() == [] and workers.idle() == []
    pause.left = lambda: 0.0
    workers.wait(count_nothing)
    workers.wait(count_nothing)
    assert member.heard() == [("join", "manifest")]
    pause.fail = lambda words: False
    member.far.send(("failed", "HTTP 503"))
    with pytest.raises(ClassifierFailed, match="HTTP 503"):
        workers.wait(count_nothing)


def test_all_are_told_to_end_and_only_ready_ones_are_waited_for(made):
    """One that still loads its libraries hears nothing yet."""
    workers = joined(made)
    made[1].ready = False
    made[0].process.is_alive = lambda: False
    workers.close()
    assert made[0].heard() == [("end", None)] == made[1].heard()
    assert made[0].process.joins == [processes.END_SECONDS] and made[0].process.kills == 0
    assert made[1].process.joins == [0, None] and made[1].process.kills == 1
    assert made[0].pipe.closed and made[1].pipe.closed
    workers.close()  # nothing is sent into a closed pipe


# ---------------------------------------------------------------- inside a process


def test_draws_are_reported_once_a_second_and_any_command_stops(monkeypatch):
    near, far = Pipe()
    clock = SimpleNamespace(now=5.0)
    monkeypatch.setattr(processes, "time", SimpleNamespace(monotonic=lambda: clock.now))
    report = DrawsReporter(far)
    report.flush()
    assert not near.poll()  # nothing was drawn
    assert report(64, 1) is False
    clock.now += 0.9
    assert report(64, 2) is False and not near.poll()
    clock.now += 0.1
    assert report(1, 3) is False
    assert near.recv() == ("rows", 129)
    clock.now += 0.5  # since the last report, not since the first batch
    assert report(7, 4) is False and not near.poll()
    near.send(("stop", None))
    assert report(3, 5) is True
    report.flush()
    report.flush()
    assert near.recv() == ("rows", 10) and not near.poll()
    near.close()
    report(1, 6)
    report.flush()  # the leader is gone
    far.close()


def test_a_process_serves_until_it_is_told_to_end(tmp_path, monkeypatch):
    """Every command but `stop` and `end` has a reply, and draws come before the reply."""
    near, far = Pipe()
    monkeypatch.chdir(tmp_path)
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]

    class Replier:
        def __init__(self, settings):
            self.settings = settings

        def run_command(self, command, value, report):
            report(5, 1)
            return f"{self.settings} {command}", value

    monkeypatch.setattr(processes, "Worker", Replier)
    for command in ("join", "stop", "draw", "end", "draw"):
        near.send((command, command.upper()))
    try:
        processes._serve_leader(far, "mine", str(tmp_path))
        assert [signal.getsignal(number) for number in numbers] == [signal.SIG_IGN] * 3
        replies = []
        while near.poll():
            replies.append(near.recv())
        near.close()
        processes._serve_leader(far, "mine", str(tmp_path))  # the leader has ended
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
    rows = ("rows", 5)
    assert replies == [rows, ("mine join", "JOIN"), rows, ("mine draw", "DRAW")]
    assert Path.cwd() == tmp_path  # its folder is the leader's
