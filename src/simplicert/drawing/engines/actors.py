"""Draw in Ray actors: as many as there is room for now, each with at most one unit.

`RayWorkers` is the group, `WorkerActor` one actor as the leader sees it, `RemoteWorker` what runs
inside the actor, and `WorkerResources` the CPUs and GPUs that one worker takes.
"""

import math
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from simplicert.drawing.driver import Backoff, log_warning
from simplicert.drawing.engines.cluster import ClusterHead
from simplicert.drawing.preparation import Preparation
from simplicert.drawing.queue import Unit, UnitResult
from simplicert.drawing.workers import DrawsCallback, Worker, set_up_process
from simplicert.errors import InvalidInput, SamplingFailed
from simplicert.importing import first_error_line
from simplicert.sampling.forward import ClassifierFailed, first_line
from simplicert.store.manifest import Manifest
from simplicert.store.settings import DrawingSettings

SECOND = 1.0

ROOM_CHECK_SECONDS = 3.0  # seconds between looks for room

MOST_FAILED_STARTS = 3  # actors that may die one after another before any is ready

WORKER_DIED = "the worker that drew it died"


class WorkerResources(NamedTuple):
    """What one worker takes of a node."""

    cpus: float
    gpus: float

    def fits(self, resources: dict[str, float]) -> int:
        """How many workers these resources hold."""
        shares = [resources.get("CPU", 0.0) / self.cpus]
        if self.gpus:
            shares.append(resources.get("GPU", 0.0) / self.gpus)
        return math.floor(min(shares) + 1e-9)


class RemoteWorker:
    """What runs in an actor: a worker that can be told to stop while it draws."""

    def __init__(self, settings: DrawingSettings, here: str, threads: int) -> None:
        """The leader's folder and a share of threads, before anything is loaded."""
        set_up_process(here, threads)
        self.worker = Worker(settings)
        self.stopping, self.rows = False, 0

    def do(self, word: str, value: Any) -> tuple[str, Any]:
        """As it is told; the answer says how many draws were made."""
        self.rows = 0
        word, value = self.worker.do(word, value, self._after_batch)
        return word, replace(value, rows=self.rows) if isinstance(value, UnitResult) else value

    def _after_batch(self, rows: int, complete: int) -> bool:
        self.rows += rows
        return self.stopping

    def stop(self) -> None:
        """After the batch at hand; heard by a thread of its own."""
        self.stopping = True


@dataclass(eq=False)
class WorkerActor:
    """An actor and what it is doing."""

    actor: Any
    patience: Backoff
    ref: Any = None  # of the answer that is waited for
    unit: Unit | None = None
    ready: bool = False
    probe_failed: bool = False  # its model failed while it was probed

    def send(self, word: str, value: Any) -> None:
        """One thing at a time."""
        self.ref = self.actor.do.remote(word, value)


class RayWorkers:
    """A crew of actors, by numbers that are never used twice."""

    def __init__(
        self, ray: Any, head: ClusterHead, settings: DrawingSettings, need: WorkerResources
    ) -> None:
        """No one is hired yet."""
        self.ray, self.head, self.settings, self.need = ray, head, settings, need
        self.manifest: Manifest | None = None
        self.members: dict[int, WorkerActor] = {}
        self.started = self.refused = self.failed_starts = 0
        self.looked, self.stopping = -math.inf, False
        self.remote = ray.remote(RemoteWorker).options(
            num_cpus=need.cpus,
            num_gpus=need.gpus,
            max_restarts=0,
            max_task_retries=0,
            max_concurrency=2,  # one draws, one hears
        )

    def preparation(self, before: Manifest | None) -> Preparation:
        """The first one loads and probes; the leader itself needs neither model nor device."""
        self._require_room()
        while not self.members:
            self._start_workers(1)
            time.sleep(0 if self.members else SECOND)
        member = next(iter(self.members.values()))
        member.send("survey", before)
        try:
            while not self.ray.wait([member.ref], timeout=SECOND)[0]:
                self.head.require()
            word, found = self.ray.get(member.ref)
        except self.ray.exceptions.RayError as error:
            raise SamplingFailed(
                f"the worker that loaded the model died: {first_error_line(error)}"
            ) from None
        member.ref = None
        if word == "refused":
            raise found
        if word == "stumbled":
            raise ClassifierFailed(found)
        assert isinstance(found, Preparation)
        return found

    def join(self, manifest: Manifest) -> None:
        """The surveyor first; the others are hired when the leader looks around."""
        self.manifest = manifest
        for member in self.members.values():
            member.send("join", manifest)
        self.looked = -math.inf

    def size(self) -> int:
        """Those who are here or on their way."""
        return len(self.members)

    def idle(self) -> list[int]:
        """Ready, and without a unit; now and then those who are missing are hired."""
        if time.monotonic() - self.looked > ROOM_CHECK_SECONDS:
            self._start_workers(self.settings.workers)
        return [n for n, m in self.members.items() if m.ready and m.ref is None]

    def assign(self, worker: int, unit: Unit) -> None:
        """Send it."""
        self.members[worker].unit = unit
        self.members[worker].send("work", unit)

    def wait(self, heard: DrawsCallback) -> list[tuple[int, Unit, UnitResult]]:
        """Hear everybody whose answer is there."""
        self.head.require()
        self._retry_join()
        waited = {m.ref: n for n, m in self.members.items() if m.ref is not None}
        if not waited:
            time.sleep(SECOND / 5)
            return []
        self.ray.wait(list(waited), num_returns=1, timeout=SECOND)
        there, _ = self.ray.wait(list(waited), num_returns=len(waited), timeout=0)
        answers: list[tuple[int, Unit, UnitResult]] = []
        for ref in there:
            self._handle_reply(waited[ref], answers)
        return answers

    def _handle_reply(self, number: int, answers: list[tuple[int, Unit, UnitResult]]) -> None:
        member = self.members[number]
        unit, ref = member.unit, member.ref
        member.unit = member.ref = None
        try:
            word, value = self.ray.get(ref)
        except self.ray.exceptions.RayError as error:
            self._drop_lost(number, member, first_error_line(error))
            if unit is not None:
                answers.append((number, unit, UnitResult(error=WORKER_DIED, lost=True)))
            return
        if word == "refused":
            self._drop_refused(number, value)
        elif word == "ready":
            member.ready, self.failed_starts = True, 0
        elif word == "stumbled":
            member.probe_failed = True
            if not member.patience.fail(value):
                raise ClassifierFailed(value)
        elif unit is not None:
            answers.append((number, unit, value))

    def _retry_join(self) -> None:
        """Those whose model failed while they probed it, once their pause is over."""
        for member in self.members.values():
            if member.probe_failed and not member.patience.left():
                member.probe_failed = False
                member.send("join", self.manifest)

    def _drop_lost(self, number: int, member: WorkerActor, words: str) -> None:
        """An actor died or was cut off: make sure of it, and look around for room soon."""
        del self.members[number]
        self.ray.kill(member.actor)
        self.looked = -math.inf
        if not member.ready:
            self.failed_starts += 1
            if self.failed_starts >= MOST_FAILED_STARTS:
                raise SamplingFailed(f"workers die while they load the model: {words}")

    def _drop_refused(self, number: int, error: Exception) -> None:
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

    def _start_workers(self, most: int | None) -> None:
        """Fill the room there is; nobody is hired while others are on their way to theirs."""
        on_their_way = any(not member.ready for member in self.members.values())
        if self.stopping or on_their_way:
            return
        self.looked = time.monotonic()
        room = self._slots() - len(self.members) - self.refused
        free = min(room, self.need.fits(self.head.free()))
        for _ in range(free if most is None else min(free, most - len(self.members))):
            threads = max(1, int(self.need.cpus))
            actor = self.remote.remote(self.settings, str(Path.cwd()), threads)
            member = WorkerActor(actor, Backoff(self.settings.patience, log_warning))
            self.members[self.started] = member
            self.started += 1
            if self.manifest is not None:
                member.send("join", self.manifest)

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
