"""Train one network with several processes, started by torchrun and joined by gloo or nccl.

`join_processes` gives the `ProcessGroup`, and `share_gradients` averages gradients over it. Without
torchrun there is one process.
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
        """Whether this is the process that writes files."""
        return self.rank == 0

    def shards(self, settings: TrainingSettings) -> range:
        """Return the shards of every batch that are this process's."""
        share = settings.shards // self.size
        return range(self.rank * share, (self.rank + 1) * share)

    def total(self, numbers: Tensor) -> Tensor:
        """Return the sum over all processes."""
        if self.size > 1:
            distributed.all_reduce(numbers)
        return numbers

    def wait(self) -> None:
        """Wait until all processes are here."""
        if self.size > 1:
            distributed.barrier()

    def broadcast_statistics(self, module: nn.Module) -> None:
        """Give all processes the first one's batch statistics; each gathered its own."""
        if self.size > 1:
            for buffer in module.buffers():
                distributed.broadcast(buffer, 0)


@contextmanager
def join_processes(device: str | None) -> Iterator[ProcessGroup]:
    """Join the other processes that torchrun started, if any, and leave them at the end."""
    size = process_count()
    chosen = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    if chosen.type == "cuda":
        require(torch.cuda.is_available(), f"device must be one that is here, got {chosen}")
        chosen = torch.device(
            "cuda", process_rank("LOCAL_RANK") if chosen.index is None else chosen.index
        )
        torch.cuda.set_device(chosen)
    if size == 1:
        yield ProcessGroup(0, 1, chosen)
        return
    distributed.init_process_group("nccl" if chosen.type == "cuda" else "gloo")
    try:
        yield ProcessGroup(distributed.get_rank(), size, chosen)
    finally:
        distributed.destroy_process_group()


def share_gradients(run: nn.Module, group: ProcessGroup) -> nn.Module:
    """Return the module with its gradients averaged over all processes."""
    if group.size == 1:
        return run
    return nn.parallel.DistributedDataParallel(run)
