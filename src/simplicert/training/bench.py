"""What a training works on: the network, its optimiser, and how a batch goes through them."""

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import SGD, AdamW, Optimizer

from simplicert.training.distribution import Team, joined
from simplicert.training.settings import Settings

IMAGE = 4  # axes of a batch of images


@dataclass
class Bench:
    """One network in training, on one device."""

    settings: Settings
    team: Team
    module: nn.Module  # the network itself, normalisation in front
    run: Any = field(init=False)  # the same, compiled and joined with other processes'
    optimiser: Optimizer = field(init=False)
    scaler: "torch.amp.GradScaler" = field(init=False)

    def __post_init__(self) -> None:
        """Put the network on the device and everything else around it."""
        self.module.to(self.team.device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        inner: Any = self.module
        if self.settings.compiled:
            inner = torch.compile(inner)
        self.run = joined(inner, self.team)
        self.optimiser = optimiser(self.module, self.settings)
        # Half precision needs its gradients scaled; the CPU's bfloat16 has float32's range.
        scaled = self.settings.mixed and self.team.device.type == "cuda"
        self.scaler = torch.amp.GradScaler(self.team.device.type, enabled=scaled)

    def logits(self, inputs: Tensor, *, trained: bool) -> Tensor:
        """Of a batch, images channels last; tested in float32, which is how the network is used."""
        if inputs.ndim == IMAGE:
            inputs = inputs.contiguous(memory_format=torch.channels_last)
        mixed = self.settings.mixed and trained
        with torch.autocast(self.team.device.type, enabled=mixed, dtype=self.half):
            logits: Tensor = (self.run if trained else self.module)(inputs)
        return logits.float()

    @property
    def half(self) -> torch.dtype:
        """The short type of mixed precision on this device."""
        return torch.float16 if self.team.device.type == "cuda" else torch.bfloat16

    def step(self, loss: Tensor, rate: float) -> None:
        """One step down the gradient."""
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.optimiser.zero_grad(set_to_none=True)
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimiser)
        self.scaler.update()


def optimiser(module: nn.Module, settings: Settings) -> Optimizer:
    """By the settings; biases and batch norms decay as all weights do, the default of torch."""
    weights, decay = module.parameters(), settings.weight_decay
    if settings.optimiser == "adamw":
        return AdamW(weights, lr=settings.rate, weight_decay=decay)
    return SGD(
        weights,
        lr=settings.rate,
        momentum=settings.momentum,
        weight_decay=decay,
        nesterov=settings.nesterov,
    )
