"""Draw in several processes on this machine, each with a worker and a pipe to it.

`ProcessWorkers` is the group, and `WorkerProcess` the leader's side of one of them. `_serve_leader`
runs inside each process, and `DrawsReporter` tells the leader about the draws made there. The
leader sends pairs of a command and its value, and gets pairs of a kind of reply and its value.
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
SECOND = 1.0  # the longest wait for a reply, and the time between reports of draws
END_SECONDS = 5.0  # seconds that a process has to end by itself
MOST_FAILED_STARTS = 3  # processes that may die one after another before any is ready
PROCESS_DIED = "the process that drew it died"


class WorkerProcess:
    """One process, its unit, and the pipe to it."""

    def __init__(self, settings: DrawingSettings, share: Mapping[str, str]) -> None:
        """Start it with its share of the machine in its environment from the beginning."""
        self.share = share
        self.pipe, far_end = SPAWN.Pipe()
        arguments = (far_end, settings, str(Path.cwd()))
        self.process = SPAWN.Process(target=_serve_leader, args=arguments, daemon=True)
        before = {name: os.environ.get(name) for name in share}
        os.environ.update(share)
        try:
            self.process.start()
        finally:
            for name, value in before.items():
                os.environ.pop(name) if value is None else os.environ.update({name: value})
        far_end.close()  # now the pipe ends when the process does
        self.ready, self.probe_failed = False, False
        self.backoff = Backoff(settings.patience, log_warning)
        self.unit: Unit | None = None

    def send(self, command: str, value: Any) -> None:
        """Send a command; a process that is gone is noticed when its reply is waited for."""
        with suppress(OSError):
            if not self.pipe.closed:
                self.pipe.send((command, value))


class ProcessWorkers:
    """Several processes on this machine, each with one worker."""

    def __init__(self, settings: DrawingSettings, shares: Sequence[Mapping[str, str]]) -> None:
        """Start all processes: they import their libraries while the first one prepares."""
        self.settings, self.stopping = settings, False
        self.manifest: Manifest | None = None
        self.failed_starts = 0
        self.members = [WorkerProcess(settings, share) for share in shares]

    def prepare(self, before: Manifest | None) -> Preparation:
        """Let the first process load and probe model and data."""
        self.members[0].send("prepare", before)
        try:
            reply, value = self.members[0].pipe.recv()
        except EOFError:
            raise SamplingFailed("the process that loaded the model died") from None
        if reply == "refused":
            raise value
        if reply == "failed":
            raise ClassifierFailed(value)
        assert isinstance(value, Preparation)
        return value

    def join(self, manifest: Manifest) -> None:
        """Let all processes join the run."""
        self.manifest = manifest
        for member in self.members:
            member.send("join", manifest)

    def size(self) -> int:
        """Return the number of processes; a lost one is replaced at once."""
        return len(self.members)

    def idle(self) -> list[int]:
        """Return the workers that are ready and have no unit."""
        return [n for n, m in enumerate(self.members) if m.ready and m.unit is None]

    def assign(self, worker: int, unit: Unit) -> None:
        """Send a unit to a worker."""
        self.members[worker].unit = unit
        self.members[worker].send("draw", unit)

    def wait(self, count_draws: DrawsCallback) -> list[tuple[int, Unit, UnitResult]]:
        """Handle the replies that arrive within a second, and return the results among them."""
        self._retry_join()
        pipes = {m.pipe: number for number, m in enumerate(self.members) if not m.pipe.closed}
        results: list[tuple[int, Unit, UnitResult]] = []
        for pipe in connection.wait(list(pipes), SECOND):
            assert isinstance(pipe, Connection)
            number = pipes[pipe]
            try:
                reply, value = pipe.recv()
            except (EOFError, OSError):
                self._replace(number, results)
                continue
            self._handle_reply(number, reply, value, count_draws, results)
        return results

    def _handle_reply(
        self,
        number: int,
        reply: str,
        value: Any,
        count_draws: DrawsCallback,
        results: list[tuple[int, Unit, UnitResult]],
    ) -> None:
        member = self.members[number]
        if reply == "refused":
            raise value
        if reply == "ready":
            member.ready, self.failed_starts = True, 0
        elif reply == "failed":
            member.probe_failed = True
            if not member.backoff.fail(value):
                raise ClassifierFailed(value)
        elif reply == "rows":
            count_draws(value)
        elif member.unit is not None:
            results.append((number, member.unit, value))
            member.unit = None

    def _retry_join(self) -> None:
        """Let workers whose model failed during the probe join again, after their pause."""
        for member in self.members:
            if member.probe_failed and not member.backoff.left():
                member.probe_failed = False
                member.send("join", self.manifest)

    def _replace(self, number: int, results: list[tuple[int, Unit, UnitResult]]) -> None:
        """Return the unit of a process that died, and start another in its place."""
        member = self.members[number]
        if member.unit is not None:
            results.append((number, member.unit, UnitResult(error=PROCESS_DIED, lost=True)))
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
        """Tell all processes to stop: any command stops a drawing process after its batch."""
        if not self.stopping:
            self.stopping = True
            for member in self.members:
                member.send("stop", None)

    def close(self) -> None:
        """End all processes."""
        for member in self.members:
            member.send("end", None)
        for member in self.members:
            _end_process(member)


def _end_process(member: WorkerProcess) -> None:
    """Wait for a process of ours to end by itself, then kill it."""
    member.process.join(END_SECONDS if member.ready else 0)
    if member.process.is_alive():
        member.process.kill()
        member.process.join()
    member.pipe.close()


def _serve_leader(pipe: Connection, settings: DrawingSettings, here: str) -> None:
    """Run the leader's commands in a worker process, until the leader or its pipe ends.

    Signals are ignored here, as the leader handles them: terminals and batch systems send them to
    all processes alike.
    """
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    set_up_process(here, None)
    worker = Worker(settings)
    reporter = DrawsReporter(pipe)
    with suppress(EOFError, OSError):
        while True:
            command, value = pipe.recv()
            if command == "end":
                return
            if command != "stop":
                reply = worker.run_command(command, value, reporter)
                reporter.flush()
                pipe.send(reply)


class DrawsReporter:
    """Tells the leader about draws once per second, and checks whether to stop."""

    def __init__(self, pipe: Connection) -> None:
        """Start without draws."""
        self.pipe, self.rows, self.last = pipe, 0, time.monotonic()

    def __call__(self, rows: int, complete: int) -> bool:
        """Count a batch; return whether to stop: on any command in the pipe, or its end."""
        self.rows += rows
        if time.monotonic() - self.last >= SECOND:
            self.flush()
        return self.pipe.poll()

    def flush(self) -> None:
        """Send the draws that were not reported yet."""
        if self.rows:
            with suppress(OSError):
                self.pipe.send(("rows", self.rows))
        self.rows, self.last = 0, time.monotonic()
