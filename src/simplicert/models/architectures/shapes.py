"""Check input shapes and compute logits: what all networks here share.

image_channels           the channels of an image, with the shape and the classes checked
check_classes            at least two classes
full_precision_logits    the last layer, in single precision whatever the rest runs in
"""

import torch
from torch import Tensor, nn

from simplicert.errors import InvalidInput, require

IMAGE = 3  # axes of one image


def image_channels(name: str, num_classes: int, input_shape: tuple[int, ...]) -> int:
    """Return the number of channels of an image C x H x W."""
    fits = len(input_shape) == IMAGE and min(input_shape) >= 1
    if not fits:
        raise InvalidInput(f"{name} takes images of shape (C, H, W), got input_shape {input_shape}")
    check_classes(num_classes)
    return input_shape[0]


def check_classes(num_classes: int) -> None:
    """Require two classes, so that there is something to tell apart."""
    require(num_classes > 1, f"num_classes must be at least 2, got {num_classes}")


def full_precision_logits(layer: nn.Linear, x: Tensor) -> Tensor:
    """Run the layer in float32: logits in half precision would tie, which counts for no class."""
    kind = x.device.type
    if not torch.is_autocast_enabled(kind):
        logits: Tensor = layer(x)
        return logits
    with torch.autocast(kind, enabled=False):
        return full_precision_logits(layer, x.float())
