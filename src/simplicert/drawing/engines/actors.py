"""Draw in Ray actors: as many as there is room for now, each with at most one unit.

`RayWorkers` is the group, `WorkerActor` the leader's side of one actor, `RemoteWorker` runs inside
the actor, and `WorkerResources` holds the CPUs and GPUs that one worker takes.
"""

import math
import os
import time
from contextlib import suppress
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

STATUS = Path("/proc/self/status")
SECOND = 1.0  # the longest wait for a reply
ROOM_CHECK_SECONDS = 3.0  # seconds between checks for free resources
MOST_FAILED_STARTS = 3  # actors that may die one after another before any is ready
WORKER_DIED = "the worker that drew it died"


def read_file_mask() -> int:
    """Return which rights new files of this process lack.

    Linux tells it. Elsewhere it is set to be read, for what other threads write just then too.
    """
    with suppress(OSError, StopIteration):
        lines = STATUS.read_text().splitlines()
        return int(next(line for line in lines if line.startswith("Umask:")).split()[1], 8)
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


class WorkerResources(NamedTuple):
    """The resources of a node that one worker takes."""

    cpus: float
    gpus: float

    def fits(self, resources: dict[str, float]) -> int:
        """Return how many workers fit into these resources."""
        shares = [resources.get("CPU", 0.0) / self.cpus]
        if self.gpus:
            shares.append(resources.get("GPU", 0.0) / self.gpus)
        return math.floor(min(shares) + 1e-9)


class RemoteWorker:
    """The worker inside an actor; it can be told to stop while it draws."""

    def __init__(
        self, settings: DrawingSettings, here: str, threads: int, mask: int | None = None
    ) -> None:
        """Set folder, threads and the mode of new files before anything is loaded."""
        set_up_process(here, threads)
        if mask is not None:
            os.umask(mask)
        self.worker = Worker(settings)
        self.stopping, self.rows = False, 0

    def run_command(self, command: str, value: Any) -> tuple[str, Any]:
        """Run one command of the leader; a result says how many draws were made."""
        self.rows = 0
        reply, value = self.worker.run_command(command, value, self._after_batch)
        return reply, replace(value, rows=self.rows) if isinstance(value, UnitResult) else value

    def _after_batch(self, rows: int, complete: int) -> bool:
        self.rows += rows
        return self.stopping

    def stop(self) -> None:
        """Stop after the current batch; the call runs in a second thread."""
        self.stopping = True


@dataclass(eq=False)
class WorkerActor:
    """An actor, its unit, and the reply that is awaited from it."""

    actor: Any
    backoff: Backoff
    ref: Any = None  # reference to the awaited reply
    unit: Unit | None = None
    ready: bool = False
    probe_failed: bool = False  # its model failed during the probe

    def send(self, command: str, value: Any) -> None:
        """Send a command; one at a time."""
        self.ref = self.actor.run_command.remote(command, value)


class RayWorkers:
    """Actors on a Ray cluster, by numbers that are never used twice."""

    def __init__(
        self, ray: Any, head: ClusterHead, settings: DrawingSettings, need: WorkerResources
    ) -> None:
        """Start no actor yet."""
        self.ray, self.head, self.settings, self.need = ray, head, settings, need
        self.mask = read_file_mask() if settings.address is None else None
        self.manifest: Manifest | None = None
        self.members: dict[int, WorkerActor] = {}
        self.started = self.refused = self.failed_starts = 0
        self.last_room_check, self.stopping = -math.inf, False
        self.remote = ray.remote(RemoteWorker).options(
            num_cpus=need.cpus,
            num_gpus=need.gpus,
            max_restarts=0,
            max_task_retries=0,
            max_concurrency=2,  # one thread draws, the other hears `stop`
        )

    def prepare(self, before: Manifest | None) -> Preparation:
        """Let the first actor load and probe; the leader itself needs neither model nor device."""
        self._require_room()
        while not self.members:
            self._start_workers(1)
            time.sleep(0 if self.members else SECOND)
        member = next(iter(self.members.values()))
        member.send("prepare", before)
        try:
            while not self.ray.wait([member.ref], timeout=SECOND)[0]:
                self.head.require()
            reply, value = self.ray.get(member.ref)
        except self.ray.exceptions.RayError as error:
            raise SamplingFailed(
                f"the worker that loaded the model died: {first_error_line(error)}"
            ) from None
        member.ref = None
        if reply == "refused":
            raise value
        if reply == "failed":
            raise ClassifierFailed(value)
        assert isinstance(value, Preparation)
        return value

    def join(self, manifest: Manifest) -> None:
        """Let the first actor join the run; `idle` starts the others."""
        self.manifest = manifest
        for member in self.members.values():
            member.send("join", manifest)
        self.last_room_check = -math.inf

    def size(self) -> int:
        """Return the number of actors, ready or still starting."""
        return len(self.members)

    def idle(self) -> list[int]:
        """Return the workers that are ready and have no unit; start missing ones now and then."""
        if time.monotonic() - self.last_room_check > ROOM_CHECK_SECONDS:
            self._start_workers(self.settings.workers)
        return [n for n, m in self.members.items() if m.ready and m.ref is None]

    def assign(self, worker: int, unit: Unit) -> None:
        """Send a unit to a worker."""
        self.members[worker].unit = unit
        self.members[worker].send("draw", unit)

    def wait(self, count_draws: DrawsCallback) -> list[tuple[int, Unit, UnitResult]]:
        """Handle the replies that arrive within a second, and return the results among them."""
        self.head.require()
        self._retry_join()
        awaited = {m.ref: n for n, m in self.members.items() if m.ref is not None}
        if not awaited:
            time.sleep(SECOND / 5)
            return []
        self.ray.wait(list(awaited), num_returns=1, timeout=SECOND)
        arrived, _ = self.ray.wait(list(awaited), num_returns=len(awaited), timeout=0)
        results: list[tuple[int, Unit, UnitResult]] = []
        for ref in arrived:
            self._handle_reply(awaited[ref], results)
        return results

    def _handle_reply(self, number: int, results: list[tuple[int, Unit, UnitResult]]) -> None:
        member = self.members[number]
        unit, ref = member.unit, member.ref
        member.unit = member.ref = None
        try:
            reply, value = self.ray.get(ref)
        except self.ray.exceptions.RayError as error:
            self._drop_lost(number, member, first_error_line(error))
            if unit is not None:
                results.append((number, unit, UnitResult(error=WORKER_DIED, lost=True)))
            return
        if reply == "refused":
            self._drop_refused(number, value)
        elif reply == "ready":
            member.ready, self.failed_starts = True, 0
        elif reply == "failed":
            member.probe_failed = True
            if not member.backoff.fail(value):
                raise ClassifierFailed(value)
        elif unit is not None:
            results.append((number, unit, value))

    def _retry_join(self) -> None:
        """Let workers whose model failed during the probe join again, after their pause."""
        for member in self.members.values():
            if member.probe_failed and not member.backoff.left():
                member.probe_failed = False
                member.send("join", self.manifest)

    def _drop_lost(self, number: int, member: WorkerActor, message: str) -> None:
        """Kill an actor that died or was cut off, and check for room soon."""
        del self.members[number]
        self.ray.kill(member.actor)
        self.last_room_check = -math.inf
        if not member.ready:
            self.failed_starts += 1
            if self.failed_starts >= MOST_FAILED_STARTS:
                raise SamplingFailed(f"workers die while they load the model: {message}")

    def _drop_refused(self, number: int, error: Exception) -> None:
        """Leave out a worker that has another model, other data or none; the others go on."""
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
        """Return how many workers would fit if nothing else ran on the cluster."""
        return sum(self.need.fits(node["Resources"]) for node in self.head.nodes())

    def _start_workers(self, most: int | None) -> None:
        """Start as many actors as there is room for, but none while others are still starting."""
        still_starting = any(not member.ready for member in self.members.values())
        if self.stopping or still_starting:
            return
        self.last_room_check = time.monotonic()
        room = self._slots() - len(self.members) - self.refused
        free = min(room, self.need.fits(self.head.free()))
        for _ in range(free if most is None else min(free, most - len(self.members))):
            threads = max(1, int(self.need.cpus))
            actor = self.remote.remote(self.settings, str(Path.cwd()), threads, self.mask)
            member = WorkerActor(actor, Backoff(self.settings.patience, log_warning))
            self.members[self.started] = member
            self.started += 1
            if self.manifest is not None:
                member.send("join", self.manifest)

    def stop(self) -> None:
        """Tell all actors to stop."""
        if not self.stopping:
            self.stopping = True
            for member in self.members.values():
                member.actor.stop.remote()

    def close(self) -> None:
        """End all actors that were started here."""
        for member in self.members.values():
            self.ray.kill(member.actor)
        self.members.clear()
