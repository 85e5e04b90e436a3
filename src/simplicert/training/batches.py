"""Choose and prepare the inputs of each training step: order, crops, flips and noise.

Everything is a function of (seed, epoch, batch, shard) and of nothing else. An epoch is a
permutation of the inputs, cut into batches; an incomplete last one is left out (the next
permutation leaves out others). Each batch is cut into shards of one size, and every shard has its
own stream of crops, flips and noise. A process makes one or several shards of each batch, so the
same training can be done by one process or by many. `epoch_batches` yields the inputs, cropped and
flipped by `augment_images`, before `noisy_copies` adds noise.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from simplicert.data import Dataset
from simplicert.data.dataset import read_ahead
from simplicert.errors import InvalidInput
from simplicert.machine import available_cores
from simplicert.noises import NOISES, NoiseContext
from simplicert.noises.inputs import check_inputs
from simplicert.sampling.noise import device_seed
from simplicert.training.settings import TrainingSettings, local_process_count
from simplicert.types import Ints

Singles = NDArray[np.float32]

READERS = (2, 8)  # the fewest and the most threads that read batches ahead

IMAGE = 4  # axes of a batch of images

ORDER, CROPS = 1, 2  # streams of NumPy's generator

FIRST_STREAM = 2**20  # the noise's, far from those that certification draws


class TrainingBatch(NamedTuple):
    """Inputs in their own units, without noise, and their labels."""

    inputs: Singles
    labels: Ints


def epoch_batches(
    data: Dataset, settings: TrainingSettings, epoch: int, shards: range
) -> Iterator[list[TrainingBatch]]:
    """Yield the shards of each batch of an epoch, read a little ahead of their use."""
    rows = batch_rows(settings, epoch, len(data))

    def read(batch: int) -> list[TrainingBatch]:
        return _read_shards(data, settings, epoch, batch, rows[batch], shards)

    return read_ahead(read, range(len(rows)), count_readers())


def noisy_copies(
    inputs: Tensor, settings: TrainingSettings, copies: int, place: tuple[int, int, int]
) -> Tensor:
    """Return (B copies) x ..., each input's copies together, under the noise of this place."""
    epoch, batch, shard = place
    own = device_seed(settings.seed, epoch, batch, FIRST_STREAM + shard)
    repeated = inputs.repeat_interleave(copies, 0) if copies > 1 else inputs
    if settings.sigma == 0:
        return repeated
    draw, copy = (getattr(NOISES[settings.noise], name) for name in ("draw_tensor", "draw_copies"))
    if draw is None and copy is None:
        return _noisy_rows(repeated, settings, np.random.default_rng(own))
    random = torch.Generator(inputs.device)
    random.manual_seed(own)
    if copy is not None:
        copied: Tensor = copy(repeated, settings.sigma, random=random)
        return copied
    noise: Tensor = draw(tuple(repeated.shape), random, torch.float32)
    return repeated + settings.sigma * noise


def _noisy_rows(inputs: Tensor, settings: TrainingSettings, random: np.random.Generator) -> Tensor:
    """Write a noisy copy of each row on the host, by the same function that certification uses."""
    rows = inputs.cpu().numpy()
    context = NoiseContext(check_inputs(settings.noise_model, rows.shape[1:]), settings.sigma)
    noise, out = NOISES[settings.noise], np.empty_like(rows)
    if noise.fill is not None:
        noise.fill(random, out)
        out = rows + np.float32(settings.sigma) * out
    for number in range(len(rows) if noise.write is not None else 0):
        one = out[number : number + 1]
        noise.write(one, rows[number], random, slice(0, 1), context)  # type: ignore[misc]
    return torch.from_numpy(out).to(inputs.device)


def augment_images(images: Singles, random: np.random.Generator, crop: int, flip: bool) -> Singles:
    """Shift and mirror each image (N x C x H x W) by its own draw; the size stays the same."""
    count = len(images)
    # Drawn even if not used, so that the streams stay in step.
    across, down = random.integers(0, 2 * crop + 1, (2, count))
    mirrored = random.random(count) < 1 / 2
    out = _crop_images(images, crop, down, across) if crop else images.copy()
    if flip:
        out[mirrored] = out[mirrored, :, :, ::-1]
    return out


def batch_rows(settings: TrainingSettings, epoch: int, count: int) -> Ints:
    """Return (batches, batch size) the positions of the inputs of one epoch."""
    order = np.random.default_rng((settings.seed, epoch, ORDER)).permutation(count)
    batches, size = batch_shape(settings, count)
    return order[: batches * size].reshape(batches, size)


def batch_shape(settings: TrainingSettings, count: int) -> tuple[int, int]:
    """Return how many batches an epoch of `count` inputs has, and how many inputs a batch has."""
    size = min(settings.batch_size, count // settings.shards * settings.shards)
    if size == 0:
        raise InvalidInput(f"data must hold an input for each of {settings.shards} shards: {count}")
    return count // size, size


def training_labels(data: Dataset) -> Ints:
    """Return the labels, which a training cannot do without."""
    if data.labels is None:
        raise InvalidInput(f"data {data.name} must have labels to train on, got none")
    return data.labels


def count_readers() -> int:
    """Return this process's share of the job's cores; what is read does not depend on it."""
    fewest, most = READERS
    return max(fewest, min(most, available_cores() // local_process_count()))


def _read_shards(
    data: Dataset, settings: TrainingSettings, epoch: int, batch: int, rows: Ints, shards: range
) -> list[TrainingBatch]:
    """Read these shards of one batch, cropped and flipped."""
    parts = rows.reshape(settings.shards, -1)
    labels = training_labels(data)
    return [
        TrainingBatch(
            _read_inputs(data, settings, (epoch, batch, shard), parts[shard]), labels[parts[shard]]
        )
        for shard in shards
    ]


def _read_inputs(
    data: Dataset, settings: TrainingSettings, place: tuple[int, int, int], rows: Ints
) -> Singles:
    """Read the inputs at these positions; crop and flip images where the settings say so."""
    inputs = data.inputs[rows]
    if inputs.ndim != IMAGE or not (settings.crop or settings.flip):
        return inputs
    random = np.random.default_rng((settings.seed, *place, CROPS))
    return augment_images(inputs, random, settings.crop, settings.flip)


def _crop_images(images: Singles, crop: int, down: np.ndarray, across: np.ndarray) -> Singles:
    """Return windows of the images with a black border of `crop` pixels around them."""
    height, width = images.shape[2:]
    border = ((0, 0), (0, 0), (crop, crop), (crop, crop))
    windows = np.lib.stride_tricks.sliding_window_view(
        np.pad(images, border), (height, width), axis=(2, 3)
    )
    taken: Singles = windows[np.arange(len(images)), :, down, across]
    return np.ascontiguousarray(taken)
