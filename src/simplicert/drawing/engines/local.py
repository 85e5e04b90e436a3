"""The local engine: draw in this process alone, or in several processes on this machine.

`local_workers` chooses between the two. `SingleWorker` is this process by itself; several processes
are in `processes`.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from simplicert.drawing.engines.processes import ProcessWorkers
from simplicert.drawing.preparation import Preparation
from simplicert.drawing.queue import Unit, UnitResult
from simplicert.drawing.workers import DrawsCallback, Worker, Workers
from simplicert.errors import require
from simplicert.machine import available_cores
from simplicert.store.manifest import Manifest
from simplicert.store.settings import DrawingSettings


class SingleWorker:
    """A crew of one, who draws while the leader waits."""

    def __init__(self, settings: DrawingSettings) -> None:
        """Nothing is loaded yet."""
        self.worker = Worker(settings)
        self.unit: Unit | None = None

    def preparation(self, before: Manifest | None) -> Preparation:
        """Load and probe, here."""
        return self.worker.preparation(before)

    def join(self, manifest: Manifest) -> None:
        """Work for this run."""
        self.worker.join(manifest)

    def size(self) -> int:
        """One."""
        return 1

    def idle(self) -> list[int]:
        """Whoever asks is not drawing."""
        return [0]

    def assign(self, worker: int, unit: Unit) -> None:
        """Keep it until the leader waits."""
        self.unit = unit

    def wait(self, heard: DrawsCallback) -> list[tuple[int, Unit, UnitResult]]:
        """Draw; the leader hears of every batch."""
        if self.unit is None:
            return []
        unit, self.unit = self.unit, None
        return [(0, unit, self.worker.work(unit, lambda rows, complete: heard(rows)))]

    def stop(self) -> None:
        """What is heard after a batch stops it already."""


CUDA = "CUDA_VISIBLE_DEVICES"


@contextmanager
def local_workers(settings: DrawingSettings) -> Iterator[Workers]:
    """`workers` processes, each with its share of the cores; GPUs are given out in turn."""
    for name in ("address", "gpus_per_worker"):
        value = getattr(settings, name)
        require(value is None, f"{name} must not be given with engine local, got {value!r}")
    count = settings.workers or 1
    if count == 1 and settings.cpus_per_worker is None:
        yield SingleWorker(settings)
        return
    threads = settings.cpus_per_worker or max(1, available_cores() // count)
    cards = visible_gpus(settings.device)
    shares = [{"OMP_NUM_THREADS": str(threads)} for _ in range(count)]
    for number, share in enumerate(shares):
        if cards:
            share[CUDA] = cards[number % len(cards)]
    members = ProcessWorkers(settings, shares)
    try:
        yield members
    finally:
        members.close()


def visible_gpus(device: str | None) -> list[str]:
    """The cards to give out, by the names they have here; none where a device was chosen."""
    if device not in (None, "cuda"):
        return []
    try:
        import torch
    except ImportError:
        return []
    count = torch.cuda.device_count()
    named = [name for name in os.environ.get(CUDA, "").split(",") if name]
    return (named or [str(number) for number in range(count)])[:count]
