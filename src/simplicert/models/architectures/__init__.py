"""Networks that a weights file can be loaded into. To add one: write its file, add its row.

A builder takes the number of classes and the shape of one input. By convention the first layer is
called `conv1` or `fc1` and the last `fc`: a weights file then says by itself what it is for.
"""

from collections.abc import Callable

from torch import nn

from simplicert.models.architectures.mlp import mlp
from simplicert.models.architectures.resnet import resnet20, resnet56, resnet110
from simplicert.models.architectures.small_cnn import small_cnn

__all__ = ["ARCHITECTURES", "Builder"]

Builder = Callable[[int, tuple[int, ...]], nn.Module]

ARCHITECTURES: dict[str, Builder] = {
    "resnet20": resnet20,
    "resnet56": resnet56,
    "resnet110": resnet110,
    "small_cnn": small_cnn,
    "mlp": mlp,
}
