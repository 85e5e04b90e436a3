"""The local engine: this process alone, or several on this machine."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from simplicert.cores import cores
from simplicert.errors import require
from simplicert.runs.crew import Crew
from simplicert.runs.engines.alone import Alone
from simplicert.runs.engines.processes import Processes
from simplicert.runs.request import Request

CUDA = "CUDA_VISIBLE_DEVICES"


@contextmanager
def crew(request: Request) -> Iterator[Crew]:
    """`workers` processes, each with its share of the cores; GPUs are given out in turn."""
    for name in ("address", "gpus_per_worker"):
        value = getattr(request, name)
        require(value is None, f"{name} must not be given with engine local, got {value!r}")
    count = request.workers or 1
    if count == 1 and request.cpus_per_worker is None:
        yield Alone(request)
        return
    threads = request.cpus_per_worker or max(1, cores() // count)
    cards = gpus(request.device)
    shares = [{"OMP_NUM_THREADS": str(threads)} for _ in range(count)]
    for number, share in enumerate(shares):
        if cards:
            share[CUDA] = cards[number % len(cards)]
    members = Processes(request, shares)
    try:
        yield members
    finally:
        members.close()


def gpus(device: str | None) -> list[str]:
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
