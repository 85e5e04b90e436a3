"""The last layer of every network here, in single precision whatever the rest runs in."""

import torch
from torch import Tensor, nn


def logits_of(layer: nn.Linear, x: Tensor) -> Tensor:
    """The layer's outputs; logits in half precision would tie, and a tie counts for no class."""
    kind = x.device.type
    if not torch.is_autocast_enabled(kind):
        logits: Tensor = layer(x)
        return logits
    with torch.autocast(kind, enabled=False):
        return logits_of(layer, x.float())
