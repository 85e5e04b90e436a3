"""The smoothed classifier as a torch module: soft logits with gradients, for attacks and tuning."""

import secrets
from typing import Any

import torch
from torch import Tensor, nn

from simplicert.errors import require
from simplicert.noises import NOISES
from simplicert.types.smoothing import Smoothing

SMALLEST = 1e-30  # keeps the logarithm finite where no copy gives a class any score


class SoftSmoothed(nn.Module):
    """Log of the softmax averaged over noisy copies: an estimate, with no certificate.

    Every call draws fresh noise; with a seed every call uses the same noise, so that an attack
    meets a fixed function.
    """

    def __init__(
        self, classifier: Any, smoothing: Smoothing, draws: int, seed: int | None = None
    ) -> None:
        """Take a classifier from tensors to logits, without a copy: gradients reach it."""
        super().__init__()
        draw = NOISES[smoothing.noise.name].draw_tensor
        require(
            draw is not None,
            f"noise must be one that adds independent numbers for a module, got {smoothing.noise}",
        )
        assert draw is not None
        self.draw = draw
        self.classifier, self.smoothing = classifier, smoothing
        self.draws, self.seed = draws, seed

    def forward(self, x: Tensor) -> Tensor:
        """Return (B, K) soft logits."""
        generator = torch.Generator(x.device)
        generator.manual_seed(secrets.randbits(63) if self.seed is None else self.seed)
        shape = (len(x), self.draws, *x.shape[1:])
        noise = self.draw(shape, generator, x.dtype)
        spread = self.smoothing.spread(tuple(x.shape[1:]))
        scaled = torch.as_tensor(spread, dtype=x.dtype, device=x.device) * noise
        copies = (x.unsqueeze(1) + scaled).flatten(0, 1)
        with torch.autocast(x.device.type, enabled=self.smoothing.autocast):
            outputs = self.classifier(copies)
        scores = outputs.float().softmax(-1).unflatten(0, (len(x), self.draws))
        logits: Tensor = scores.mean(1).clamp_min(SMALLEST).log()
        return logits
