"""A crew of Ray actors: as many as there is room for now, each with at most one unit."""

import math
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from simplicert.data.libraries import said
from simplicert.errors import InvalidInput, SamplingFailed
from simplicert.runs.crew import Heard
from simplicert.runs.engines.cluster import Head
from simplicert.runs.manifest import Manifest
from simplicert.runs.patience import Patience, log_warning
from simplicert.runs.request import Request
from simplicert.runs.survey import Survey
from simplicert.runs.units import Answer, Unit
from simplicert.runs.worker import Worker, at_home
from simplicert.sampling.asking import ClassifierFailed, first_line

SECOND = 1.0
LOOK_AROUND = 3.0  # seconds between looks for room
STILLBORN = 3  # actors that may die one after another before any is ready
DIED = "the worker that drew it died"


class Need(NamedTuple):
    """What one worker takes of a node."""

    cpus: float
    gpus: float

    def fits(self, resources: dict[str, float]) -> int:
        """How many workers these resources hold."""
        shares = [resources.get("CPU", 0.0) / self.cpus]
        if self.gpus:
            shares.append(resources.get("GPU", 0.0) / self.gpus)
        return math.floor(min(shares) + 1e-9)


class Hand:
    """What runs in an actor: a worker that can be told to stop while it draws."""

    def __init__(self, request: Request, here: str, threads: int) -> None:
        """The leader's folder and a share of threads, before anything is loaded."""
        at_home(here, threads)
        self.worker = Worker(request)
        self.stopping, self.rows = False, 0

    def do(self, word: str, value: Any) -> tuple[str, Any]:
        """As it is told; the answer says how many draws were made."""
        self.rows = 0
        word, value = self.worker.do(word, value, self._after_batch)
        return word, replace(value, rows=self.rows) if isinstance(value, Answer) else value

    def _after_batch(self, rows: int, complete: int) -> bool:
        self.rows += rows
        return self.stopping

    def stop(self) -> None:
        """After the batch at hand; heard by a thread of its own."""
        self.stopping = True


@dataclass(eq=False)
class Member:
    """An actor and what it is doing."""

    actor: Any
    patience: Patience
    ref: Any = None  # of the answer that is waited for
    unit: Unit | None = None
    ready: bool = False
    stumbled: bool = False  # its model failed while it was probed

    def ask(self, word: str, value: Any) -> None:
        """One thing at a time."""
        self.ref = self.actor.do.remote(word, value)


class Actors:
    """A crew of actors, by numbers that are never used twice."""

    def __init__(self, ray: Any, head: Head, request: Request, need: Need) -> None:
        """No one is hired yet."""
        self.ray, self.head, self.request, self.need = ray, head, request, need
        self.manifest: Manifest | None = None
        self.members: dict[int, Member] = {}
        self.hired = self.refused = self.stillborn = 0
        self.looked, self.stopping = -math.inf, False
        self.remote = ray.remote(Hand).options(
            num_cpus=need.cpus,
            num_gpus=need.gpus,
            max_restarts=0,
            max_task_retries=0,
            max_concurrency=2,  # one draws, one hears
        )

    def survey(self, before: Manifest | None) -> Survey:
        """The first one loads and probes; the leader itself needs neither model nor device."""
        self._require_room()
        while not self.members:
            self._hire(1)
            time.sleep(0 if self.members else SECOND)
        member = next(iter(self.members.values()))
        member.ask("survey", before)
        try:
            while not self.ray.wait([member.ref], timeout=SECOND)[0]:
                self.head.require()
            word, found = self.ray.get(member.ref)
        except self.ray.exceptions.RayError as error:
            raise SamplingFailed(f"the worker that loaded the model died: {said(error)}") from None
        member.ref = None
        if word == "refused":
            raise found
        if word == "stumbled":
            raise ClassifierFailed(found)
        assert isinstance(found, Survey)
        return found

    def join(self, manifest: Manifest) -> None:
        """The surveyor first; the others are hired when the leader looks around."""
        self.manifest = manifest
        for member in self.members.values():
            member.ask("join", manifest)
        self.looked = -math.inf

    def size(self) -> int:
        """Those who are here or on their way."""
        return len(self.members)

    def idle(self) -> list[int]:
        """Ready, and without a unit; now and then those who are missing are hired."""
        if time.monotonic() - self.looked > LOOK_AROUND:
            self._hire(self.request.workers)
        return [n for n, m in self.members.items() if m.ready and m.ref is None]

    def give(self, worker: int, unit: Unit) -> None:
        """Send it."""
        self.members[worker].unit = unit
        self.members[worker].ask("work", unit)

    def wait(self, heard: Heard) -> list[tuple[int, Unit, Answer]]:
        """Hear everybody whose answer is there."""
        self.head.require()
        self._ask_again()
        waited = {m.ref: n for n, m in self.members.items() if m.ref is not None}
        if not waited:
            time.sleep(SECOND / 5)
            return []
        self.ray.wait(list(waited), num_returns=1, timeout=SECOND)
        there, _ = self.ray.wait(list(waited), num_returns=len(waited), timeout=0)
        answers: list[tuple[int, Unit, Answer]] = []
        for ref in there:
            self._hear(waited[ref], answers)
        return answers

    def _hear(self, number: int, answers: list[tuple[int, Unit, Answer]]) -> None:
        member = self.members[number]
        unit, ref = member.unit, member.ref
        member.unit = member.ref = None
        try:
            word, value = self.ray.get(ref)
        except self.ray.exceptions.RayError as error:
            self._lose(number, member, said(error))
            if unit is not None:
                answers.append((number, unit, Answer(error=DIED, lost=True)))
            return
        if word == "refused":
            self._refuse(number, value)
        elif word == "ready":
            member.ready, self.stillborn = True, 0
        elif word == "stumbled":
            member.stumbled = True
            if not member.patience.fail(value):
                raise ClassifierFailed(value)
        elif unit is not None:
            answers.append((number, unit, value))

    def _ask_again(self) -> None:
        """Those whose model failed while they probed it, once their pause is over."""
        for member in self.members.values():
            if member.stumbled and not member.patience.left():
                member.stumbled = False
                member.ask("join", self.manifest)

    def _lose(self, number: int, member: Member, words: str) -> None:
        """An actor died or was cut off: make sure of it, and look around for room soon."""
        del self.members[number]
        self.ray.kill(member.actor)
        self.looked = -math.inf
        if not member.ready:
            self.stillborn += 1
            if self.stillborn >= STILLBORN:
                raise SamplingFailed(f"workers die while they load the model: {words}")

    def _refuse(self, number: int, error: Exception) -> None:
        """One worker has another model, other data or none: the others go on without it."""
        self.ray.kill(self.members.pop(number).actor)
        self.refused += 1
        if not self.members:
            raise error
        log_warning(f"a worker is left out: {first_line(error)}")

    def _require_room(self) -> None:
        if not self._slots():
            raise InvalidInput(
                f"no node of the cluster has {self.need.cpus:g} CPUs and {self.need.gpus:g} GPUs "
                "for a worker: cpus_per_worker and gpus_per_worker must fit a node"
            )

    def _slots(self) -> int:
        """Workers that all nodes of the cluster hold, were there no one else."""
        return sum(self.need.fits(node["Resources"]) for node in self.head.nodes())

    def _hire(self, most: int | None) -> None:
        """Fill the room there is; nobody is hired while others are on their way to theirs."""
        on_their_way = any(not member.ready for member in self.members.values())
        if self.stopping or on_their_way:
            return
        self.looked = time.monotonic()
        room = self._slots() - len(self.members) - self.refused
        free = min(room, self.need.fits(self.head.free()))
        for _ in range(free if most is None else min(free, most - len(self.members))):
            threads = max(1, int(self.need.cpus))
            actor = self.remote.remote(self.request, str(Path.cwd()), threads)
            member = Member(actor, Patience(self.request.patience, log_warning))
            self.members[self.hired] = member
            self.hired += 1
            if self.manifest is not None:
                member.ask("join", self.manifest)

    def stop(self) -> None:
        """Tell those who draw."""
        if not self.stopping:
            self.stopping = True
            for member in self.members.values():
                member.actor.stop.remote()

    def close(self) -> None:
        """End those who were hired here."""
        for member in self.members.values():
            self.ray.kill(member.actor)
        self.members.clear()
