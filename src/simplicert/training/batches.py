"""Which inputs a step sees, and how: functions of (seed, epoch, batch, shard), nothing else.

An epoch is a permutation of the inputs, cut into batches; an incomplete last one is left out (the
next permutation leaves out others). Each batch is cut into shards of one size, and every shard
has its own stream of crops, flips and noise. A process makes one or several shards of each batch,
so the same training can be done by one process or by many.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from simplicert.cores import cores
from simplicert.data import Dataset
from simplicert.data.ahead import ahead
from simplicert.errors import InvalidInput
from simplicert.sampling.noise import device_seed
from simplicert.training.augmentation import Singles, augmented
from simplicert.training.places import neighbours
from simplicert.training.settings import Settings
from simplicert.types import Ints

READERS = (2, 8)  # threads that read batches ahead: fewest and most
IMAGE = 4  # axes of a batch of images
ORDER, CROPS = 1, 2  # streams of NumPy's generator
FIRST_STREAM = 2**20  # of the noise: far from those that certification draws


class Batch(NamedTuple):
    """Inputs in their own units, without noise, and their labels."""

    inputs: Singles
    labels: Ints


def labels_of(data: Dataset) -> Ints:
    """The labels, which a training cannot do without."""
    if data.labels is None:
        raise InvalidInput(f"data {data.name} must have labels to train on, got none")
    return data.labels


def batch_shape(settings: Settings, count: int) -> tuple[int, int]:
    """How many batches an epoch of `count` inputs has, and how many inputs a batch."""
    size = min(settings.batch_size, count // settings.shards * settings.shards)
    if size == 0:
        raise InvalidInput(f"data must hold an input for each of {settings.shards} shards: {count}")
    return count // size, size


def batch_rows(settings: Settings, epoch: int, count: int) -> Ints:
    """(batches, batch size) positions of one epoch."""
    order = np.random.default_rng((settings.seed, epoch, ORDER)).permutation(count)
    batches, size = batch_shape(settings, count)
    return order[: batches * size].reshape(batches, size)


def epoch_batches(
    data: Dataset, settings: Settings, epoch: int, shards: range
) -> Iterator[list[Batch]]:
    """The shards of each batch of an epoch, read a little ahead of their use."""
    rows = batch_rows(settings, epoch, len(data))

    def read(batch: int) -> list[Batch]:
        return read_shards(data, settings, epoch, batch, rows[batch], shards)

    return ahead(read, range(len(rows)), readers())


def readers() -> int:
    """This process's share of the job's cores; what is read does not depend on it."""
    fewest, most = READERS
    return max(fewest, min(most, cores() // neighbours()))


def read_shards(
    data: Dataset, settings: Settings, epoch: int, batch: int, rows: Ints, shards: range
) -> list[Batch]:
    """These shards of one batch, cropped and flipped."""
    parts = rows.reshape(settings.shards, -1)
    labels = labels_of(data)
    return [
        Batch(
            read_inputs(data, settings, (epoch, batch, shard), parts[shard]), labels[parts[shard]]
        )
        for shard in shards
    ]


def read_inputs(
    data: Dataset, settings: Settings, place: tuple[int, int, int], rows: Ints
) -> Singles:
    """The inputs at these positions; images moved and mirrored where the settings say so."""
    inputs = data.inputs[rows]
    if inputs.ndim != IMAGE or not (settings.crop or settings.flip):
        return inputs
    random = np.random.default_rng((settings.seed, *place, CROPS))
    return augmented(inputs, random, settings.crop, settings.flip)


def noisy_copies(
    inputs: Tensor, sigma: float, copies: int, seed: int, place: tuple[int, int, int]
) -> Tensor:
    """(B copies) x ..., the copies of one input together: x + sigma * noise of this place."""
    epoch, batch, shard = place
    random = torch.Generator(inputs.device)
    random.manual_seed(device_seed(seed, epoch, batch, FIRST_STREAM + shard))
    repeated = inputs.repeat_interleave(copies, 0) if copies > 1 else inputs
    noise = torch.randn(repeated.shape, generator=random, device=inputs.device)
    return repeated + sigma * noise
