"""The local engine: draw in this process alone, or in several processes on this machine.

`local_workers` chooses between the two. `SingleWorker` draws in this process; several processes are
in `processes`.
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

CUDA = "CUDA_VISIBLE_DEVICES"


class SingleWorker:
    """A single worker in the leader's own process; it draws while the leader waits."""

    def __init__(self, settings: DrawingSettings) -> None:
        """Load nothing yet."""
        self.worker = Worker(settings)
        self.unit: Unit | None = None

    def prepare(self, before: Manifest | None) -> Preparation:
        """Load and probe model and data in this process."""
        return self.worker.prepare(before)

    def join(self, manifest: Manifest) -> None:
        """Work for this run."""
        self.worker.join(manifest)

    def size(self) -> int:
        """Return 1."""
        return 1

    def idle(self) -> list[int]:
        """Return this worker: while the leader asks, it draws nothing."""
        return [0]

    def assign(self, worker: int, unit: Unit) -> None:
        """Keep the unit until the leader waits."""
        self.unit = unit

    def wait(self, count_draws: DrawsCallback) -> list[tuple[int, Unit, UnitResult]]:
        """Draw the unit; `count_draws` is called after every batch."""
        if self.unit is None:
            return []
        unit, self.unit = self.unit, None
        return [(0, unit, self.worker.draw(unit, lambda rows, complete: count_draws(rows)))]

    def stop(self) -> None:
        """Do nothing: `count_draws` stops the drawing after a batch."""


@contextmanager
def local_workers(settings: DrawingSettings) -> Iterator[Workers]:
    """Start `workers` processes, each with its share of the cores; GPUs are assigned in turn."""
    for name in ("address", "gpus_per_worker"):
        value = getattr(settings, name)
        require(value is None, f"{name} must not be given with engine local, got {value!r}")
    count = settings.workers or 1
    if count == 1 and settings.cpus_per_worker is None:
        yield SingleWorker(settings)
        return
    threads = settings.cpus_per_worker or max(1, available_cores() // count)
    gpus = visible_gpus(settings.device)
    shares = [{"OMP_NUM_THREADS": str(threads)} for _ in range(count)]
    for number, share in enumerate(shares):
        if gpus:
            share[CUDA] = gpus[number % len(gpus)]
    workers = ProcessWorkers(settings, shares)
    try:
        yield workers
    finally:
        workers.close()


def visible_gpus(device: str | None) -> list[str]:
    """Return the names of the GPUs to assign; none if the user chose one device."""
    if device not in (None, "cuda"):
        return []
    try:
        import torch
    except ImportError:
        return []
    count = torch.cuda.device_count()
    named = [name for name in os.environ.get(CUDA, "").split(",") if name]
    return (named or [str(number) for number in range(count)])[:count]
