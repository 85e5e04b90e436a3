"""One epoch, whatever the method: the only training loop of this package."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from simplicert.data import Dataset
from simplicert.errors import TrainingFailed
from simplicert.sampling.noise import device_seed
from simplicert.training.batches import Batch, batch_shape, epoch_batches, noisy_copies
from simplicert.training.bench import Bench
from simplicert.training.methods import METHODS
from simplicert.training.schedules import rate_at

OWN_DRAWS = 2**19  # the stream of a network's own random numbers, such as dropout
EVERY = 10  # batches between two looks at the sums, which wait for the device


@dataclass(frozen=True)
class Sums:
    """The means so far in an epoch."""

    epoch: int  # from 0
    epochs: int  # in the training
    batch: int  # batches done
    batches: int  # in the epoch
    loss: float
    accuracy: float  # of the noisy training inputs
    seconds: float


Report = Callable[[Sums], None]


def train_epoch(bench: Bench, data: Dataset, epoch: int, report: Report) -> Sums:
    """Train for one epoch; raises TrainingFailed as soon as the loss is seen not to be a number."""
    started = time.perf_counter()
    settings, shards = bench.settings, bench.team.shards(bench.settings)
    batches, _ = batch_shape(settings, len(data))
    sums = torch.zeros(3, dtype=torch.float64, device=bench.team.device)  # loss, right, seen
    bench.module.train()
    for batch, parts in enumerate(epoch_batches(data, settings, epoch, shards)):
        place = device_seed(settings.seed, epoch, batch, OWN_DRAWS + bench.team.rank)
        torch.manual_seed(place)
        rate = rate_at(settings, epoch * batches + batch, batches)
        sums += train_batch(bench, parts, (epoch, batch, shards.start), rate)
        if batch % EVERY == EVERY - 1:
            report(means(sums, (epoch, settings.epochs, batch + 1, batches), started))
    done = means(bench.team.total(sums), (epoch, settings.epochs, batches, batches), started)
    report(done)
    return done


def train_batch(
    bench: Bench, parts: list[Batch], place: tuple[int, int, int], rate: float
) -> Tensor:
    """One step; the sums of loss, right answers and inputs that it saw."""
    settings, device = bench.settings, bench.team.device
    method = METHODS[settings.method]
    copies = method.copies(settings)
    epoch, batch, first = place
    noisy = [
        noisy_copies(
            torch.from_numpy(part.inputs).to(device, non_blocking=True),
            settings.sigma,
            copies,
            settings.seed,
            (epoch, batch, first + number),
        )
        for number, part in enumerate(parts)
    ]
    labels = torch.cat([torch.from_numpy(part.labels) for part in parts]).to(device)
    logits = bench.logits(torch.cat(noisy), trained=True).unflatten(0, (-1, copies))
    loss = method.loss(logits, labels, settings)
    bench.step(loss, rate)
    right = (logits.detach().mean(1).argmax(1) == labels).sum()
    seen = len(labels)
    return torch.stack([loss.detach() * seen, right, torch.tensor(seen, device=device)]).double()


def means(sums: Tensor, place: tuple[int, int, int, int], started: float) -> Sums:
    """Sums as means, refused where the loss is no number."""
    loss, right, seen = sums.tolist()
    if not torch.isfinite(sums).all():
        raise TrainingFailed(
            f"the loss became {loss} in epoch {place[0] + 1}: try a smaller rate; "
            "what was kept after the epochs before it is intact"
        )
    seconds = time.perf_counter() - started
    return Sums(*place, loss / seen, right / seen, seconds)
