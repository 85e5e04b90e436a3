"""Wrap classifiers as torch modules, so that each moves to a device and compiles as one.

Normalised    (x - mean) / std in front of a classifier
Program       an exported program as an ordinary module
Logits        the logits of a transformers model
"""

import copy
import warnings
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from simplicert.models.model import Declared, check_batch
from simplicert.models.normalisation import channel_shape


class Normalised(nn.Module):
    """classifier((x - mean) / std), by channel (the axis after the batch)."""

    mean: Tensor
    std: Tensor

    def __init__(self, classifier: nn.Module, mean: Sequence[float], std: Sequence[float]) -> None:
        """`mean` and `std` have one number for all channels, or one per channel."""
        super().__init__()
        self.classifier = classifier
        self.register_buffer("mean", torch.tensor(mean, dtype=torch.float32))
        self.register_buffer("std", torch.tensor(std, dtype=torch.float32))

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits of a batch in [0, 1]."""
        shape = channel_shape(len(self.mean), x.shape)
        logits: Tensor = self.classifier((x - self.mean.view(shape)) / self.std.view(shape))
        return logits


class Program(nn.Module):
    """Calls an exported program, whose modes were fixed when it was exported."""

    def __init__(self, name: str, program: nn.Module, declared: Declared) -> None:
        """`declared` is the shape of a batch, with None where any length will do."""
        super().__init__()
        self.name = name
        self.program = program
        self.declared = declared
        self.training = False

    def train(self, mode: bool = True) -> "Program":
        """Change nothing: an exported program refuses to switch modes."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "Program":
        """Copy without the warning about a change inside torch."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*LeafSpec", category=FutureWarning)
            return Program(self.name, copy.deepcopy(self.program, memo), self.declared)

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits of a batch."""
        check_batch(self.name, self.declared, x.shape)
        logits: Tensor = self.program(x)
        return logits


class Logits(nn.Module):
    """network(pixel_values).logits."""

    def __init__(self, network: nn.Module) -> None:
        """`network` is an image classifier of transformers."""
        super().__init__()
        self.network = network

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits of a batch."""
        logits: Tensor = self.network(pixel_values=x).logits
        return logits
