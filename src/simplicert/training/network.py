"""Build the network that a training starts from, with its normalisation in front.

`initialise_network` starts from random weights, `read_initial_network` from another training's.
`freeze_classifier` gets the classifier ready that stands behind a denoiser in training.
`channel_moments` computes the mean and spread of each channel (the axis after the batch), a chunk
of inputs at a time.
"""

import copy
from collections.abc import Callable
from math import prod
from pathlib import Path

import numpy as np
import torch
from torch import nn

from simplicert.data import Dataset, Inputs
from simplicert.data.dataset import compare_class_names, read_ahead
from simplicert.errors import InvalidInput, require
from simplicert.importing import describe_error
from simplicert.models.architectures import build_network
from simplicert.models.composition import require_module
from simplicert.models.model import Model
from simplicert.models.modules import Normalised
from simplicert.models.normalisation import check_mean_std
from simplicert.models.trained import read_facts, read_trained_folder
from simplicert.training.batches import count_readers, training_labels
from simplicert.training.settings import TrainingSettings
from simplicert.types import Floats, Ints

CHUNK = 2**22  # values at a time: 32 MB of float64

MOST = 10_000  # inputs that the normalisation is computed from

CONSTANT = 1e-6  # a feature that varies less is not divided by its spread


def initialise_network(settings: TrainingSettings, data: Dataset) -> nn.Module:
    """Build a network with random weights of this seed, its normalisation in front."""
    shape = tuple(int(n) for n in data.inputs.shape[1:])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        network = build_network(
            settings.arch, class_count(data), shape, denoiser=settings.method == "denoiser"
        )
    return Normalised(network, *choose_normalisation(settings, data))


def read_initial_network(folder: Path, settings: TrainingSettings, data: Dataset) -> nn.Module:
    """Read the network of an earlier training, normalisation included, to train it further."""
    facts = read_facts(folder)
    require(
        facts.arch == settings.arch,
        f"init {folder} must hold weights of {settings.arch}, got those of {facts.arch}",
    )
    kinds = ("a classifier", "a denoiser")
    wanted_kind = settings.method == "denoiser"
    require(
        facts.denoiser == wanted_kind,
        f"init {folder} must hold {kinds[wanted_kind]}, got {kinds[facts.denoiser]}",
    )
    wanted = (class_count(data), tuple(int(n) for n in data.inputs.shape[1:]))
    got = (facts.num_classes, facts.input_shape)
    require(
        got == wanted,
        f"init {folder} must fit {wanted[0]} classes and inputs of {wanted[1]}, got {got[0]} "
        f"and {got[1]}",
    )
    return read_trained_folder(folder, settings.arch).module


def freeze_classifier(model: Model, data: Dataset) -> nn.Module:
    """Return a copy of the classifier without gradients of its own, once it fits the data."""
    module = copy.deepcopy(require_module(model)).eval().requires_grad_(False)
    if model.classes is not None and data.classes is not None:
        require(
            model.classes == data.classes,
            f"classifier {model.name} must have the classes of {data.name}: "
            f"{compare_class_names(model.classes, data.classes)}",
        )
    example = torch.from_numpy(data.inputs[np.arange(1)]).requires_grad_()
    try:
        logits = module(example)
    except Exception as error:  # of a network that was made for other inputs, anything
        raise InvalidInput(
            f"classifier {model.name} must take inputs of {tuple(example.shape[1:])}: "
            f"{describe_error(error)}"
        ) from error
    wanted = (1, class_count(data))
    require(
        isinstance(logits, torch.Tensor) and logits.shape == wanted and logits.requires_grad,
        f"classifier {model.name} must give {wanted[1]} logits that can be differentiated, got "
        f"{tuple(getattr(logits, 'shape', ()))}",
    )
    return module


def class_count(data: Dataset) -> int:
    """Return the number of classes: by their names, else by the largest label."""
    return len(data.classes) if data.classes else int(training_labels(data).max()) + 1


def choose_normalisation(
    settings: TrainingSettings, data: Dataset
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return mean and spread of each channel (the axis after the batch): given or of the data."""
    if settings.method == "denoiser":  # what it returns is an image in the units it was given
        return (0.0,), (1.0,)
    if settings.mean is not None:
        return check_mean_std(settings.mean, settings.std)
    step = -(-len(data) // MOST)
    mean, spread = channel_moments(data.inputs, np.arange(0, len(data), step))
    return check_mean_std(mean.tolist(), np.where(spread > CONSTANT, spread, 1).tolist())


def channel_moments(inputs: Inputs, rows: Ints) -> tuple[Floats, Floats]:
    """Return (C,) mean and standard deviation of the inputs at these positions.

    They are read twice: squares of distances from the mean keep digits that a difference of squares
    would lose.
    """
    mean = _channel_mean(inputs, rows, lambda values: values)
    middle = mean.reshape(-1, *(1 for _ in inputs.shape[2:]))
    return mean, np.sqrt(_channel_mean(inputs, rows, lambda values: (values - middle) ** 2))


def _channel_mean(inputs: Inputs, rows: Ints, change: Callable[[Floats], Floats]) -> Floats:
    """Return (C,) the mean over inputs and pixels of what `change` makes of the values."""
    within = tuple(range(2, len(inputs.shape)))
    step = max(1, CHUNK // prod(inputs.shape[1:]))
    parts = [rows[at : at + step] for at in range(0, len(rows), step)]
    total: Floats | None = None
    for values in read_ahead(inputs.__getitem__, parts, count_readers()):
        changed = change(values.astype(np.float64))
        if total is None:
            total = changed.sum((0, *within))
            continue
        for own in changed.sum(within):  # one by one, as NumPy adds: the bits of a single chunk
            total = total + own
    assert total is not None
    return total / (len(rows) * prod(inputs.shape[2:]))
