"""The logits of a transformers model, which answers with a record."""

from torch import Tensor, nn


class Logits(nn.Module):
    """network(pixel_values).logits."""

    def __init__(self, network: nn.Module) -> None:
        """`network` is an image classifier of transformers."""
        super().__init__()
        self.network = network

    def forward(self, x: Tensor) -> Tensor:
        """Logits of a batch."""
        logits: Tensor = self.network(pixel_values=x).logits
        return logits
