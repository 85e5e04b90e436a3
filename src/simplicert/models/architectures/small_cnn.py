"""A small convolutional network with about 150,000 weights, fast on two cores of a laptop."""

import torch
from torch import Tensor, nn
from torch.nn.functional import max_pool2d

from simplicert.models.architectures.shapes import full_precision_logits, image_channels

WIDTHS = (32, 64, 64, 64, 96)  # channels after each convolution


class SmallCNN(nn.Module):
    """Five convolutions, the fourth with a shortcut, then a global mean and one linear layer.

    The first halves the image at once: most of the time would go into wide layers at full size.
    Later halvings are by the largest of four, which costs little and beats strides under noise.
    """

    def __init__(self, num_classes: int, input_channels: int) -> None:
        """Images of any size will do."""
        super().__init__()
        first, second, third, fourth, fifth = WIDTHS
        self.conv1 = nn.Conv2d(input_channels, first, 4, stride=2, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(first)
        self.conv2 = nn.Conv2d(first, second, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(second)
        self.conv3 = nn.Conv2d(second, third, 3, padding=1, bias=False)
        self.bn3 = nn.BatchNorm2d(third)
        self.conv4 = nn.Conv2d(third, fourth, 3, padding=1, bias=False)
        self.bn4 = nn.BatchNorm2d(fourth)
        self.conv5 = nn.Conv2d(fourth, fifth, 3, padding=1, bias=False)
        self.bn5 = nn.BatchNorm2d(fifth)
        self.fc = nn.Linear(fifth, num_classes)

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits of a batch of images."""
        x = torch.relu(self.bn1(self.conv1(x)))
        x = _halve_size(torch.relu(self.bn2(self.conv2(x))))
        x = torch.relu(self.bn3(self.conv3(x)))
        x = _halve_size(torch.relu(x + self.bn4(self.conv4(x))))
        x = torch.relu(self.bn5(self.conv5(x)))
        return full_precision_logits(self.fc, x.mean((2, 3)))


def _halve_size(x: Tensor) -> Tensor:
    """Take the largest of each 2 x 2 square; an odd side keeps its last row."""
    return max_pool2d(x, 2, ceil_mode=True)


def build_small_cnn(num_classes: int, input_shape: tuple[int, ...]) -> SmallCNN:
    """Build the network for images of this shape."""
    return SmallCNN(num_classes, image_channels("small_cnn", num_classes, input_shape))
