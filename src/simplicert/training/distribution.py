"""Several processes that train one network: started by torchrun, joined by gloo or nccl."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, distributed, nn

from simplicert.errors import require
from simplicert.training.places import place, processes
from simplicert.training.settings import Settings


@dataclass(frozen=True)
class Team:
    """This process's place among those that train together."""

    rank: int
    size: int
    device: torch.device

    @property
    def first(self) -> bool:
        """The one that writes files."""
        return self.rank == 0

    def shards(self, settings: Settings) -> range:
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

    def agree(self, module: nn.Module) -> None:
        """Everyone takes the first's batch statistics, which each gathered from its own shards."""
        if self.size > 1:
            for buffer in module.buffers():
                distributed.broadcast(buffer, 0)


@contextmanager
def team(device: str | None) -> Iterator[Team]:
    """Join the others that torchrun started, if any; leave them at the end."""
    size = processes()
    found = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    if found.type == "cuda":
        require(torch.cuda.is_available(), f"device must be one that is here, got {found}")
        found = torch.device("cuda", place("LOCAL_RANK") if found.index is None else found.index)
        torch.cuda.set_device(found)
    if size == 1:
        yield Team(0, 1, found)
        return
    distributed.init_process_group("nccl" if found.type == "cuda" else "gloo")
    try:
        yield Team(distributed.get_rank(), size, found)
    finally:
        distributed.destroy_process_group()


def joined(run: nn.Module, team: Team) -> nn.Module:
    """The module with its gradients averaged over all processes."""
    if team.size == 1:
        return run
    return nn.parallel.DistributedDataParallel(run)
