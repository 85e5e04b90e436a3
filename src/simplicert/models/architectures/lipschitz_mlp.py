"""A fully connected network that cannot be steep: its logits are Lipschitz with constant SCALE.

Every layer has a constant of at most 1 whatever its weights are, and the last one multiplies by
SCALE; a normalisation in front divides the constant by the smallest spread. The mechanism
`lipschitz` certifies what this buys. A larger SCALE fits better and certifies less.
"""

from collections import OrderedDict
from math import prod

from torch import nn

from simplicert.errors import require
from simplicert.models.architectures.shapes import check_classes
from simplicert.models.unit_layers import MaxMin, RescaledLinear, Scale

WIDTH = 128  # of both hidden layers
SCALE = 8.0  # of the logits


def build_lipschitz_mlp(num_classes: int, input_shape: tuple[int, ...]) -> nn.Sequential:
    """Build the network for inputs of this shape, as a row of layers."""
    require(
        len(input_shape) > 0 and min(input_shape) >= 1,
        f"lipschitz_mlp takes inputs with at least one value, got input_shape {input_shape}",
    )
    check_classes(num_classes)
    layers: list[tuple[str, nn.Module]] = [
        ("flatten", nn.Flatten()),
        ("fc1", RescaledLinear(prod(input_shape), WIDTH)),
        ("sort1", MaxMin()),
        ("fc2", RescaledLinear(WIDTH, WIDTH)),
        ("sort2", MaxMin()),
        ("fc", RescaledLinear(WIDTH, num_classes)),
        ("scale", Scale(SCALE)),
    ]
    return nn.Sequential(OrderedDict(layers))
