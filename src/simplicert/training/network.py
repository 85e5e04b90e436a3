"""The network that a training starts from: built, normalised, perhaps filled with weights."""

from pathlib import Path

import numpy as np
import torch
from torch import nn

from simplicert.data import Dataset
from simplicert.errors import require
from simplicert.models.architectures import build
from simplicert.models.normalisation import checked
from simplicert.models.normalised import Normalised
from simplicert.models.trained import read_facts, read_folder
from simplicert.training.batches import labels_of
from simplicert.training.moments import moments
from simplicert.training.settings import Settings

MOST = 10_000  # inputs that the normalisation is computed from
CONSTANT = 1e-6  # a feature that varies less is not divided by its spread


def classes_of(data: Dataset) -> int:
    """The number of classes: by their names, else by the largest label."""
    return len(data.classes) if data.classes else int(labels_of(data).max()) + 1


def fresh(settings: Settings, data: Dataset) -> nn.Module:
    """A network with random weights of this seed, its normalisation in front."""
    shape = tuple(int(n) for n in data.inputs.shape[1:])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        network = build(settings.arch, classes_of(data), shape)
    return Normalised(network, *normalisation(settings, data))


def started_from(folder: Path, settings: Settings, data: Dataset) -> nn.Module:
    """The network of another training of ours, normalisation included, to be trained on."""
    facts = read_facts(folder)
    require(
        facts.arch == settings.arch,
        f"init {folder} must hold weights of {settings.arch}, got those of {facts.arch}",
    )
    wanted = (classes_of(data), tuple(int(n) for n in data.inputs.shape[1:]))
    got = (facts.num_classes, facts.input_shape)
    require(
        got == wanted,
        f"init {folder} must fit {wanted[0]} classes and inputs of {wanted[1]}, got {got[0]} "
        f"and {got[1]}",
    )
    return read_folder(folder, settings.arch).module


def normalisation(settings: Settings, data: Dataset) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Mean and spread of each channel (the axis after the batch): the settings' or the data's."""
    if settings.mean is not None:
        return checked(settings.mean, settings.std)
    step = -(-len(data) // MOST)
    mean, spread = moments(data.inputs, np.arange(0, len(data), step))
    return checked(mean.tolist(), np.where(spread > CONSTANT, spread, 1).tolist())
