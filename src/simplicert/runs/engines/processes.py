"""Several processes on this machine, each with a worker; a pipe to each."""

import os
import signal
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from multiprocessing import connection, get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from simplicert.errors import SamplingFailed
from simplicert.runs.crew import Heard
from simplicert.runs.manifest import Manifest
from simplicert.runs.patience import Patience, log_warning
from simplicert.runs.request import Request
from simplicert.runs.survey import Survey
from simplicert.runs.units import Answer, Unit
from simplicert.runs.worker import Worker, at_home
from simplicert.sampling.asking import ClassifierFailed

SPAWN = get_context("spawn")  # a forked child of a process with threads may hang
SECOND = 1.0  # between looks around, and between what a process tells of its draws
PATIENCE = 5.0  # seconds that a process has to end by itself
STILLBORN = 3  # processes that may end one after another before any is ready
DIED = "the process that drew it died"


class Member:
    """One process, what it is doing, and the pipe to it."""

    def __init__(self, request: Request, share: Mapping[str, str]) -> None:
        """Start it, with its share of the machine in its environment from the first moment."""
        self.share = share
        self.pipe, far = SPAWN.Pipe()
        arguments = (far, request, str(Path.cwd()))
        self.process = SPAWN.Process(target=serve, args=arguments, daemon=True)
        before = {name: os.environ.get(name) for name in share}
        os.environ.update(share)
        try:
            self.process.start()
        finally:
            for name, value in before.items():
                os.environ.pop(name) if value is None else os.environ.update({name: value})
        far.close()  # now the pipe ends when the process does
        self.ready, self.stumbled = False, False
        self.patience = Patience(request.patience, log_warning)
        self.unit: Unit | None = None

    def ask(self, word: str, value: Any) -> None:
        """Send it; a process that is gone is noticed when its answer is waited for."""
        with suppress(OSError):
            if not self.pipe.closed:
                self.pipe.send((word, value))


class Processes:
    """A crew of processes."""

    def __init__(self, request: Request, shares: Sequence[Mapping[str, str]]) -> None:
        """Start them all: they import their libraries while one surveys."""
        self.request, self.stopping = request, False
        self.manifest: Manifest | None = None
        self.stillborn = 0
        self.members = [Member(request, share) for share in shares]

    def survey(self, before: Manifest | None) -> Survey:
        """The first one loads and probes."""
        self.members[0].ask("survey", before)
        try:
            word, found = self.members[0].pipe.recv()
        except EOFError:
            raise SamplingFailed("the process that loaded the model died") from None
        if word == "refused":
            raise found
        if word == "stumbled":
            raise ClassifierFailed(found)
        assert isinstance(found, Survey)
        return found

    def join(self, manifest: Manifest) -> None:
        """All of them."""
        self.manifest = manifest
        for member in self.members:
            member.ask("join", manifest)

    def size(self) -> int:
        """As many as were asked for; a lost one is replaced at once."""
        return len(self.members)

    def idle(self) -> list[int]:
        """Ready, and without a unit."""
        return [n for n, m in enumerate(self.members) if m.ready and m.unit is None]

    def give(self, worker: int, unit: Unit) -> None:
        """Send it."""
        self.members[worker].unit = unit
        self.members[worker].ask("work", unit)

    def wait(self, heard: Heard) -> list[tuple[int, Unit, Answer]]:
        """Hear everybody who has something to say."""
        self._ask_again()
        pipes = {m.pipe: number for number, m in enumerate(self.members) if not m.pipe.closed}
        answers: list[tuple[int, Unit, Answer]] = []
        for pipe in connection.wait(list(pipes), SECOND):
            assert isinstance(pipe, Connection)
            number = pipes[pipe]
            try:
                word, value = pipe.recv()
            except (EOFError, OSError):
                self._replace(number, answers)
                continue
            self._hear(number, word, value, heard, answers)
        return answers

    def _hear(
        self,
        number: int,
        word: str,
        value: Any,
        heard: Heard,
        answers: list[tuple[int, Unit, Answer]],
    ) -> None:
        member = self.members[number]
        if word == "refused":
            raise value
        if word == "ready":
            member.ready, self.stillborn = True, 0
        elif word == "stumbled":
            member.stumbled = True
            if not member.patience.fail(value):
                raise ClassifierFailed(value)
        elif word == "rows":
            heard(value)
        elif member.unit is not None:
            answers.append((number, member.unit, value))
            member.unit = None

    def _ask_again(self) -> None:
        """Those whose model failed while they probed it, once their pause is over."""
        for member in self.members:
            if member.stumbled and not member.patience.left():
                member.stumbled = False
                member.ask("join", self.manifest)

    def _replace(self, number: int, answers: list[tuple[int, Unit, Answer]]) -> None:
        """A process died: its unit comes back, and another takes its place."""
        member = self.members[number]
        if member.unit is not None:
            answers.append((number, member.unit, Answer(error=DIED, lost=True)))
        if not member.ready:
            self.stillborn += 1
            if self.stillborn >= STILLBORN:
                member.process.join(PATIENCE)
                raise SamplingFailed(
                    "worker processes die while they load the model "
                    f"(exit code {member.process.exitcode}): fewer workers may fit in memory"
                )
        end(member)
        member.ready, member.unit = False, None
        if not self.stopping:
            self.members[number] = Member(self.request, member.share)
            self.members[number].ask("join", self.manifest)

    def stop(self) -> None:
        """Whatever is said to a process that draws stops it after its batch."""
        if not self.stopping:
            self.stopping = True
            for member in self.members:
                member.ask("stop", None)

    def close(self) -> None:
        """End them all."""
        for member in self.members:
            member.ask("end", None)
        for member in self.members:
            end(member)


def end(member: Member) -> None:
    """Wait a little, then end it; only ever a process that was started here."""
    member.process.join(PATIENCE if member.ready else 0)
    if member.process.is_alive():
        member.process.kill()
        member.process.join()
    member.pipe.close()


def serve(pipe: Connection, request: Request, here: str) -> None:
    """What runs in a process: do as it is told, until the pipe ends, as it does with the leader.

    Signals are the leader's to hear: a terminal and a batch system send them to all alike.
    """
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    at_home(here, None)
    worker = Worker(request)
    teller = Teller(pipe)
    with suppress(EOFError, OSError):
        while True:
            word, value = pipe.recv()
            if word == "end":
                return
            if word != "stop":
                answer = worker.do(word, value, teller)
                teller.flush()
                pipe.send(answer)


class Teller:
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
