"""Normalisation in front of a torch module: a module of its own, so it moves and compiles too."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from simplicert.models.normalisation import broadcast


class Normalised(nn.Module):
    """classifier((x - mean) / std), by channel (the axis after the batch)."""

    mean: Tensor
    std: Tensor

    def __init__(self, classifier: nn.Module, mean: Sequence[float], std: Sequence[float]) -> None:
        """One number for all channels, or one a channel."""
        super().__init__()
        self.classifier = classifier
        self.register_buffer("mean", torch.tensor(mean, dtype=torch.float32))
        self.register_buffer("std", torch.tensor(std, dtype=torch.float32))

    def forward(self, x: Tensor) -> Tensor:
        """Logits of a batch in [0, 1]."""
        shape = broadcast(len(self.mean), x.shape)
        logits: Tensor = self.classifier((x - self.mean.view(shape)) / self.std.view(shape))
        return logits
