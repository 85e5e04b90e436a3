"""A fully connected network with two hidden layers, for inputs of any shape."""

from math import prod

import torch
from torch import Tensor, nn

from simplicert.errors import require
from simplicert.models.architectures.shapes import check_classes, full_precision_logits

WIDTH = 256  # of both hidden layers


class MLP(nn.Module):
    """Flattens its input; two hidden layers of 256 units."""

    def __init__(self, num_classes: int, features: int) -> None:
        """`features` is the number of values in one input."""
        super().__init__()
        self.fc1 = nn.Linear(features, WIDTH)
        self.fc2 = nn.Linear(WIDTH, WIDTH)
        self.fc = nn.Linear(WIDTH, num_classes)

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits of a batch of inputs."""
        x = torch.relu(self.fc1(x.flatten(1)))
        return full_precision_logits(self.fc, torch.relu(self.fc2(x)))


def build_mlp(num_classes: int, input_shape: tuple[int, ...]) -> MLP:
    """Build the network for inputs of this shape."""
    require(
        len(input_shape) > 0 and min(input_shape) >= 1,
        f"mlp takes inputs with at least one value, got input_shape {input_shape}",
    )
    check_classes(num_classes)
    return MLP(num_classes, prod(input_shape))
