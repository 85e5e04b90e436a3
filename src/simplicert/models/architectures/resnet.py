"""The residual networks of He et al. (2016) for CIFAR: three stages of 16, 32 and 64 channels.

Where the width changes the shortcut is a 1 x 1 convolution (the paper's option B). The paper's own
CIFAR figures use option A, which pads with zeros; certification papers since Cohen et al. (2019)
use option B. Layers carry the names those papers' checkpoints use, so that their weights fit
once converted to safetensors. The pooling is global: any image size of 4 x 4 or more is accepted.
"""

from functools import partial
from math import sqrt

import torch
from torch import Tensor, nn

from simplicert.errors import require
from simplicert.models.architectures.shapes import full_precision_logits, image_channels

WIDTHS = (16, 32, 64)  # channels of each stage
LAYERS_OUTSIDE = 2  # the first convolution and the last linear layer
LAYERS_PER_BLOCK = 2


class Block(nn.Module):
    """Two 3 x 3 convolutions and a shortcut around them."""

    def __init__(self, narrow: int, wide: int, stride: int) -> None:
        """From `narrow` to `wide` channels; a stride above 1 shrinks the image."""
        super().__init__()
        self.conv1 = nn.Conv2d(narrow, wide, 3, stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(wide)
        self.conv2 = nn.Conv2d(wide, wide, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(wide)
        self.downsample: nn.Module | None = None
        if stride != 1 or narrow != wide:
            self.downsample = nn.Sequential(
                nn.Conv2d(narrow, wide, 1, stride, bias=False), nn.BatchNorm2d(wide)
            )

    def forward(self, x: Tensor) -> Tensor:
        """Return the relu of the shortcut plus the two convolutions."""
        kept = x if self.downsample is None else self.downsample(x)
        x = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(self.bn2(self.conv2(x)) + kept)


class ResNet(nn.Module):
    """`depth` layers with weights on the longest path: 6 n + 2 for n blocks per stage."""

    def __init__(self, depth: int, num_classes: int, input_channels: int) -> None:
        """Convolutions start as in He et al. (2015), scaled by their outputs."""
        super().__init__()
        blocks, rest = divmod(depth - LAYERS_OUTSIDE, LAYERS_PER_BLOCK * len(WIDTHS))
        require(rest == 0 and blocks > 0, f"depth must be 6 n + 2, got {depth}")
        self.conv1 = nn.Conv2d(input_channels, WIDTHS[0], 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(WIDTHS[0])
        self.layer1 = _build_stage(WIDTHS[0], WIDTHS[0], blocks, stride=1)
        self.layer2 = _build_stage(WIDTHS[0], WIDTHS[1], blocks, stride=2)
        self.layer3 = _build_stage(WIDTHS[1], WIDTHS[2], blocks, stride=2)
        self.fc = nn.Linear(WIDTHS[2], num_classes)
        for layer in self.modules():
            if isinstance(layer, nn.Conv2d):
                fan_out = layer.kernel_size[0] * layer.kernel_size[1] * layer.out_channels
                nn.init.normal_(layer.weight, std=sqrt(2 / fan_out))

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits of a batch of images."""
        x = torch.relu(self.bn1(self.conv1(x)))
        x = self.layer3(self.layer2(self.layer1(x)))
        return full_precision_logits(self.fc, x.mean((2, 3)))


def _build_stage(narrow: int, wide: int, blocks: int, stride: int) -> nn.Sequential:
    """Build blocks of one width; only the first changes width and size."""
    rest = (Block(wide, wide, 1) for _ in range(blocks - 1))
    return nn.Sequential(Block(narrow, wide, stride), *rest)


def build_resnet(depth: int, num_classes: int, input_shape: tuple[int, ...]) -> ResNet:
    """Build the CIFAR residual network of that depth (20, 32, 44, 56, 110, ...)."""
    return ResNet(depth, num_classes, image_channels(f"resnet{depth}", num_classes, input_shape))


build_resnet20 = partial(build_resnet, 20)
build_resnet56 = partial(build_resnet, 56)
build_resnet110 = partial(build_resnet, 110)
