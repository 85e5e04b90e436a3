"""The 50-layer residual network of He et al. (2016) for ImageNet, with bottleneck blocks.

The stride of a block is in its 3 x 3 convolution ("version 1.5"), and layers carry torchvision's
names, so that its published weights fit once converted to safetensors.
"""

import torch
from torch import Tensor, nn

from simplicert.models.architectures.shapes import full_precision_logits, image_channels

STEM = 64  # channels after the first convolution
STAGES = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))  # width inside, blocks, first stride
EXPANSION = 4  # a block's outputs are this many times as wide as its inside


class Bottleneck(nn.Module):
    """1 x 1 down, 3 x 3, 1 x 1 up, and a shortcut around them."""

    def __init__(self, incoming: int, width: int, stride: int) -> None:
        """From `incoming` to four times `width` channels; a stride above 1 shrinks the image."""
        super().__init__()
        wide = width * EXPANSION
        self.conv1 = nn.Conv2d(incoming, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, wide, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(wide)
        self.downsample: nn.Module | None = None
        if stride != 1 or incoming != wide:
            self.downsample = nn.Sequential(
                nn.Conv2d(incoming, wide, 1, stride, bias=False), nn.BatchNorm2d(wide)
            )

    def forward(self, x: Tensor) -> Tensor:
        """Return the relu of the shortcut plus the three convolutions."""
        kept = x if self.downsample is None else self.downsample(x)
        x = torch.relu(self.bn1(self.conv1(x)))
        x = torch.relu(self.bn2(self.conv2(x)))
        return torch.relu(self.bn3(self.conv3(x)) + kept)


class ResNet50(nn.Module):
    """A 7 x 7 convolution, pooling, four stages of bottlenecks, a global mean, one linear layer."""

    def __init__(self, num_classes: int, input_channels: int) -> None:
        """Convolutions start as in He et al. (2015), scaled by their outputs."""
        super().__init__()
        self.conv1 = nn.Conv2d(input_channels, STEM, 7, 2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(STEM)
        self.maxpool = nn.MaxPool2d(3, 2, padding=1)
        incoming = STEM
        for number, (width, blocks, stride) in enumerate(STAGES, start=1):
            self.add_module(
                f"layer{number}", _build_bottleneck_stage(incoming, width, blocks, stride)
            )
            incoming = width * EXPANSION
        self.fc = nn.Linear(incoming, num_classes)
        for layer in self.modules():
            if isinstance(layer, nn.Conv2d):
                nn.init.kaiming_normal_(layer.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits of a batch of images."""
        x = self.maxpool(torch.relu(self.bn1(self.conv1(x))))
        for number in range(1, len(STAGES) + 1):
            x = self.get_submodule(f"layer{number}")(x)
        return full_precision_logits(self.fc, x.mean((2, 3)))


def _build_bottleneck_stage(incoming: int, width: int, blocks: int, stride: int) -> nn.Sequential:
    """Build blocks of one width; only the first changes width and size."""
    wide = width * EXPANSION
    rest = (Bottleneck(wide, width, 1) for _ in range(blocks - 1))
    return nn.Sequential(Bottleneck(incoming, width, stride), *rest)


def build_resnet50(num_classes: int, input_shape: tuple[int, ...]) -> ResNet50:
    """Build the network for images of this shape."""
    return ResNet50(num_classes, image_channels("resnet50", num_classes, input_shape))
