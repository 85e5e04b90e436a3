"""Draw in several processes on this machine, each with a worker and a pipe to it.

`ProcessWorkers` is the group, and `WorkerProcess` one of them as the leader sees it. `serve_leader`
runs inside each process, and `DrawsReporter` tells the leader about the draws made there.
"""

import os
import signal
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from multiprocessing import connection, get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from simplicert.drawing.driver import Backoff, log_warning
from simplicert.drawing.preparation import Preparation
from simplicert.drawing.queue import Unit, UnitResult
from simplicert.drawing.workers import DrawsCallback, Worker, set_up_process
from simplicert.errors import SamplingFailed
from simplicert.sampling.forward import ClassifierFailed
from simplicert.store.manifest import Manifest
from simplicert.store.settings import DrawingSettings

SPAWN = get_context("spawn")  # a forked child of a process with threads may hang

SECOND = 1.0  # between looks around, and between what a process tells of its draws

END_SECONDS = 5.0  # seconds that a process has to end by itself

MOST_FAILED_STARTS = 3  # processes that may end one after another before any is ready

PROCESS_DIED = "the process that drew it died"


class WorkerProcess:
    """One process, what it is doing, and the pipe to it."""

    def __init__(self, settings: DrawingSettings, share: Mapping[str, str]) -> None:
        """Start it, with its share of the machine in its environment from the first moment."""
        self.share = share
        self.pipe, far = SPAWN.Pipe()
        arguments = (far, settings, str(Path.cwd()))
        self.process = SPAWN.Process(target=_serve_leader, args=arguments, daemon=True)
        before = {name: os.environ.get(name) for name in share}
        os.environ.update(share)
        try:
            self.process.start()
        finally:
            for name, value in before.items():
                os.environ.pop(name) if value is None else os.environ.update({name: value})
        far.close()  # now the pipe ends when the process does
        self.ready, self.probe_failed = False, False
        self.patience = Backoff(settings.patience, log_warning)
        self.unit: Unit | None = None

    def send(self, word: str, value: Any) -> None:
        """Send it; a process that is gone is noticed when its answer is waited for."""
        with suppress(OSError):
            if not self.pipe.closed:
                self.pipe.send((word, value))


class ProcessWorkers:
    """A crew of processes."""

    def __init__(self, settings: DrawingSettings, shares: Sequence[Mapping[str, str]]) -> None:
        """Start them all: they import their libraries while one surveys."""
        self.settings, self.stopping = settings, False
        self.manifest: Manifest | None = None
        self.failed_starts = 0
        self.members = [WorkerProcess(settings, share) for share in shares]

    def preparation(self, before: Manifest | None) -> Preparation:
        """The first one loads and probes."""
        self.members[0].send("survey", before)
        try:
            word, found = self.members[0].pipe.recv()
        except EOFError:
            raise SamplingFailed("the process that loaded the model died") from None
        if word == "refused":
            raise found
        if word == "stumbled":
            raise ClassifierFailed(found)
        assert isinstance(found, Preparation)
        return found

    def join(self, manifest: Manifest) -> None:
        """All of them."""
        self.manifest = manifest
        for member in self.members:
            member.send("join", manifest)

    def size(self) -> int:
        """As many as were asked for; a lost one is replaced at once."""
        return len(self.members)

    def idle(self) -> list[int]:
        """Ready, and without a unit."""
        return [n for n, m in enumerate(self.members) if m.ready and m.unit is None]

    def assign(self, worker: int, unit: Unit) -> None:
        """Send it."""
        self.members[worker].unit = unit
        self.members[worker].send("work", unit)

    def wait(self, heard: DrawsCallback) -> list[tuple[int, Unit, UnitResult]]:
        """Hear everybody who has something to say."""
        self._retry_join()
        pipes = {m.pipe: number for number, m in enumerate(self.members) if not m.pipe.closed}
        answers: list[tuple[int, Unit, UnitResult]] = []
        for pipe in connection.wait(list(pipes), SECOND):
            assert isinstance(pipe, Connection)
            number = pipes[pipe]
            try:
                word, value = pipe.recv()
            except (EOFError, OSError):
                self._replace(number, answers)
                continue
            self._handle_reply(number, word, value, heard, answers)
        return answers

    def _handle_reply(
        self,
        number: int,
        word: str,
        value: Any,
        heard: DrawsCallback,
        answers: list[tuple[int, Unit, UnitResult]],
    ) -> None:
        member = self.members[number]
        if word == "refused":
            raise value
        if word == "ready":
            member.ready, self.failed_starts = True, 0
        elif word == "stumbled":
            member.probe_failed = True
            if not member.patience.fail(value):
                raise ClassifierFailed(value)
        elif word == "rows":
            heard(value)
        elif member.unit is not None:
            answers.append((number, member.unit, value))
            member.unit = None

    def _retry_join(self) -> None:
        """Those whose model failed while they probed it, once their pause is over."""
        for member in self.members:
            if member.probe_failed and not member.patience.left():
                member.probe_failed = False
                member.send("join", self.manifest)

    def _replace(self, number: int, answers: list[tuple[int, Unit, UnitResult]]) -> None:
        """A process died: its unit comes back, and another takes its place."""
        member = self.members[number]
        if member.unit is not None:
            answers.append((number, member.unit, UnitResult(error=PROCESS_DIED, lost=True)))
        if not member.ready:
            self.failed_starts += 1
            if self.failed_starts >= MOST_FAILED_STARTS:
                member.process.join(END_SECONDS)
                raise SamplingFailed(
                    "worker processes die while they load the model "
                    f"(exit code {member.process.exitcode}): fewer workers may fit in memory"
                )
        _end_process(member)
        member.ready, member.unit = False, None
        if not self.stopping:
            self.members[number] = WorkerProcess(self.settings, member.share)
            self.members[number].send("join", self.manifest)

    def stop(self) -> None:
        """Whatever is said to a process that draws stops it after its batch."""
        if not self.stopping:
            self.stopping = True
            for member in self.members:
                member.send("stop", None)

    def close(self) -> None:
        """End them all."""
        for member in self.members:
            member.send("end", None)
        for member in self.members:
            _end_process(member)


def _end_process(member: WorkerProcess) -> None:
    """Wait a little, then end it; only ever a process that was started here."""
    member.process.join(END_SECONDS if member.ready else 0)
    if member.process.is_alive():
        member.process.kill()
        member.process.join()
    member.pipe.close()


def _serve_leader(pipe: Connection, settings: DrawingSettings, here: str) -> None:
    """What runs in a process: do as it is told, until the pipe ends, as it does with the leader.

    Signals are the leader's to hear: a terminal and a batch system send them to all alike.
    """
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    set_up_process(here, None)
    worker = Worker(settings)
    teller = DrawsReporter(pipe)
    with suppress(EOFError, OSError):
        while True:
            word, value = pipe.recv()
            if word == "end":
                return
            if word != "stop":
                answer = worker.do(word, value, teller)
                teller.flush()
                pipe.send(answer)


class DrawsReporter:
    """Tells the leader of draws now and then, and knows when to stop."""

    def __init__(self, pipe: Connection) -> None:
        """Nothing drawn yet."""
        self.pipe, self.rows, self.last = pipe, 0, time.monotonic()

    def __call__(self, rows: int, complete: int) -> bool:
        """After a batch. Anything in the pipe means stop: a word to that effect, or its end."""
        self.rows += rows
        if time.monotonic() - self.last >= SECOND:
            self.flush()
        return self.pipe.poll()

    def flush(self) -> None:
        """Say what was not said yet."""
        if self.rows:
            with suppress(OSError):
                self.pipe.send(("rows", self.rows))
        self.rows, self.last = 0, time.monotonic()
