"""Train one network with several processes, started by torchrun and joined by gloo or nccl.

`process_rank`, `process_count`, `local_process_count` and `is_first_process` read what torchrun
tells a process through its environment; without torchrun there is one process. `join_processes`
gives the `ProcessGroup`, and `share_gradients` averages gradients over it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, distributed, nn

from simplicert.errors import require
from simplicert.training.settings import TrainingSettings, process_count, process_rank


@dataclass(frozen=True)
class ProcessGroup:
    """This process's place among those that train together."""

    rank: int
    size: int
    device: torch.device

    @property
    def first(self) -> bool:
        """The one that writes files."""
        return self.rank == 0

    def shards(self, settings: TrainingSettings) -> range:
        """The shards of every batch that are this process's."""
        share = settings.shards // self.size
        return range(self.rank * share, (self.rank + 1) * share)

    def total(self, numbers: Tensor) -> Tensor:
        """The sum over all processes."""
        if self.size > 1:
            distributed.all_reduce(numbers)
        return numbers

    def wait(self) -> None:
        """Until all are here."""
        if self.size > 1:
            distributed.barrier()

    def broadcast_statistics(self, module: nn.Module) -> None:
        """Everyone takes the first's batch statistics, which each gathered from its own shards."""
        if self.size > 1:
            for buffer in module.buffers():
                distributed.broadcast(buffer, 0)


@contextmanager
def join_processes(device: str | None) -> Iterator[ProcessGroup]:
    """Join the others that torchrun started, if any; leave them at the end."""
    size = process_count()
    found = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    if found.type == "cuda":
        require(torch.cuda.is_available(), f"device must be one that is here, got {found}")
        found = torch.device(
            "cuda", process_rank("LOCAL_RANK") if found.index is None else found.index
        )
        torch.cuda.set_device(found)
    if size == 1:
        yield ProcessGroup(0, 1, found)
        return
    distributed.init_process_group("nccl" if found.type == "cuda" else "gloo")
    try:
        yield ProcessGroup(distributed.get_rank(), size, found)
    finally:
        distributed.destroy_process_group()


def share_gradients(run: nn.Module, team: ProcessGroup) -> nn.Module:
    """The module with its gradients averaged over all processes."""
    if team.size == 1:
        return run
    return nn.parallel.DistributedDataParallel(run)
