"""Layers that no training can make steep: their Lipschitz constant is at most 1, l2 -> l2.

RescaledLinear    x -> W D x + b, where D is a diagonal that makes the norm of W D at most 1
MaxMin            the larger and the smaller of each pair of features
Scale             x -> c x, whose constant is |c|: the temperature of the logits

A network of these has a Lipschitz constant that is worth something (models/lipschitz.py).
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from simplicert.errors import check_positive, require

LEAST = 1e-12  # of a column's sum: a column of zeros stays one


class RescaledLinear(nn.Module):
    """A linear layer whose columns are divided by numbers that make its norm at most 1.

    With d_i = sum over j of |W^T W|_ij, the matrix diag(d) - W^T W has a diagonal that dominates
    each row, so it is not negative: |W D x|^2 <= |x|^2 for D = diag(d)^(-1/2). It is the layer of
    Prach and Lampert (2022). The largest of d and a tiny number only makes W D shorter.
    """

    def __init__(self, inputs: int, outputs: int) -> None:
        """Weights start orthogonal, where the rescaling changes nothing."""
        super().__init__()
        self.weight = nn.Parameter(nn.init.orthogonal_(torch.empty(outputs, inputs)))
        self.bias = nn.Parameter(torch.zeros(outputs))

    def rescaled_weight(self) -> Tensor:
        """Return W D, in the precision of the weights."""
        sums = (self.weight.T @ self.weight).abs().sum(dim=0)
        return self.weight * torch.clamp(sums, min=LEAST).rsqrt()

    def forward(self, x: Tensor) -> Tensor:
        """Return W D x + b, in single precision at least: half of it would make W D longer."""
        kind = x.device.type
        if not torch.is_autocast_enabled(kind):
            return linear(x, self.rescaled_weight(), self.bias)
        with torch.autocast(kind, enabled=False):
            return linear(x.float(), self.rescaled_weight(), self.bias)

    def extra_repr(self) -> str:
        """Show the sizes, as torch's linear layer does."""
        return f"{self.weight.shape[1]}, {self.weight.shape[0]}"


class MaxMin(nn.Module):
    """Sort each pair of neighbouring features: the larger first (Anil et al. 2019).

    Sorting brings two vectors no farther apart, and unlike a rectifier it shortens no gradient.
    """

    def forward(self, x: Tensor) -> Tensor:
        """Return a batch (B, 2 m) with each pair in order."""
        require(
            x.ndim == 2 and x.shape[1] % 2 == 0,  # noqa: PLR2004
            f"MaxMin takes an even number of features, got a batch of shape {tuple(x.shape)}",
        )
        pairs = x.unflatten(1, (-1, 2))
        return torch.stack([pairs.amax(dim=2), pairs.amin(dim=2)], dim=2).flatten(1)


class Scale(nn.Module):
    """Multiply by a positive number that is fixed when the network is built."""

    def __init__(self, factor: float) -> None:
        """`factor` is part of what the layer prints, and so of the network's fingerprint."""
        super().__init__()
        self.factor = check_positive("factor", factor)

    def forward(self, x: Tensor) -> Tensor:
        """Return the multiple."""
        return self.factor * x

    def extra_repr(self) -> str:
        """Show the factor exactly."""
        return repr(self.factor)
