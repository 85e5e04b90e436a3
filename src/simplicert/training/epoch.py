"""Train for one epoch, whatever the method, and measure accuracy with or without noise.

`train_epoch` is the only training loop of this package. `single_draw_accuracy` classifies each
input once, with one noisy draw or without noise.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from simplicert.data import Dataset
from simplicert.errors import TrainingFailed
from simplicert.sampling.noise import device_seed
from simplicert.training.batches import (
    TrainingBatch,
    batch_shape,
    epoch_batches,
    noisy_copies,
    training_labels,
)
from simplicert.training.methods import METHODS, StepInputs
from simplicert.training.trainer import Trainer, learning_rate

BATCH = 500  # inputs tested at once

AFTER_ALL = 2**31  # as epoch of the test's noise: never trained in, so no noise is seen twice

OWN_DRAWS = 2**19  # the stream of a network's own random numbers, such as dropout

EVERY = 10  # batches between two looks at the sums, which wait for the device


@dataclass(frozen=True)
class EpochMeans:
    """The means of an epoch so far."""

    epoch: int  # from 0
    epochs: int  # in the training
    batch: int  # batches done
    batches: int  # in the epoch
    loss: float
    accuracy: float  # of the noisy training inputs
    seconds: float


Report = Callable[[EpochMeans], None]


def train_epoch(trainer: Trainer, data: Dataset, epoch: int, report: Report) -> EpochMeans:
    """Train for one epoch; raise TrainingFailed as soon as the loss is seen not to be a number."""
    started = time.perf_counter()
    settings, shards = trainer.settings, trainer.process_group.shards(trainer.settings)
    batches, _ = batch_shape(settings, len(data))
    # Sums of loss, right answers and inputs seen.
    sums = torch.zeros(3, dtype=torch.float64, device=trainer.process_group.device)
    trainer.module.train()
    for batch, parts in enumerate(epoch_batches(data, settings, epoch, shards)):
        stream = OWN_DRAWS + trainer.process_group.rank
        torch.manual_seed(device_seed(settings.seed, epoch, batch, stream))
        rate = learning_rate(settings, epoch * batches + batch, batches)
        sums += train_batch(trainer, parts, (epoch, batch, shards.start), rate)
        if batch % EVERY == EVERY - 1:
            report(_epoch_means(sums, (epoch, settings.epochs, batch + 1, batches), started))
    done = _epoch_means(
        trainer.process_group.total(sums), (epoch, settings.epochs, batches, batches), started
    )
    report(done)
    return done


def train_batch(
    trainer: Trainer, parts: list[TrainingBatch], place: tuple[int, int, int], rate: float
) -> Tensor:
    """Take one step; return the sums of loss, right answers and inputs that it saw."""
    settings, device = trainer.settings, trainer.process_group.device
    method = METHODS[settings.method]
    copies = method.copies(settings)
    epoch, batch, first = place
    clean = [torch.from_numpy(part.inputs).to(device, non_blocking=True) for part in parts]
    noisy = [
        noisy_copies(inputs, settings, copies, (epoch, batch, first + number))
        for number, inputs in enumerate(clean)
    ]
    labels = torch.cat([torch.from_numpy(part.labels) for part in parts]).to(device)
    loss, logits = method.forward(
        trainer, StepInputs(torch.cat(clean), torch.cat(noisy), labels, epoch)
    )
    trainer.step(loss, rate)
    right = (logits.detach().mean(1).argmax(1) == labels).sum()
    seen = len(labels)
    return torch.stack([loss.detach() * seen, right, torch.tensor(seen, device=device)]).double()


def single_draw_accuracy(trainer: Trainer, data: Dataset, noisy: bool) -> float:
    """Return the share of inputs classified right, one draw each; every call has the same noise."""
    group, labels = trainer.process_group, training_labels(data)
    trainer.module.eval()
    right = torch.zeros(1, dtype=torch.float64, device=group.device)
    with torch.no_grad():
        for batch in range(group.rank, -(-len(data) // BATCH), group.size):
            rows = np.arange(batch * BATCH, min((batch + 1) * BATCH, len(data)))
            inputs = torch.from_numpy(data.inputs[rows]).to(group.device)
            if noisy:
                inputs = noisy_copies(inputs, trainer.settings, 1, (AFTER_ALL, batch, 0))
            predicted = trainer.test_logits(inputs).argmax(1).cpu().numpy()
            right += int((predicted == labels[rows]).sum())
    return float(group.total(right)) / len(data)


def _epoch_means(sums: Tensor, place: tuple[int, int, int, int], started: float) -> EpochMeans:
    """Turn sums into means; raise TrainingFailed where the loss is no number."""
    loss, right, seen = sums.tolist()
    if not torch.isfinite(sums).all():
        raise TrainingFailed(
            f"the loss became {loss} in epoch {place[0] + 1}: try a smaller rate; "
            "what was kept after the epochs before it is intact"
        )
    seconds = time.perf_counter() - started
    return EpochMeans(*place, loss / seen, right / seen, seconds)
