"""Hold a network in training with its optimiser and its learning rate, and take a step.

`Trainer` puts a batch through the network and steps down the gradient. `learning_rate` is a
function of the step alone, so there is nothing to keep and nothing to restore.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import cos, pi
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import SGD, AdamW, Optimizer

from simplicert.training.distribution import ProcessGroup, share_gradients
from simplicert.training.settings import TrainingSettings

START, END = 1 / 25, 1e-4  # shares of the peak at which one-cycle begins and ends

DROP = 0.1  # factor at each milestone, and during the warm-up

IMAGE = 4  # axes of a batch of images


@dataclass
class Trainer:
    """One network in training, on one device."""

    settings: TrainingSettings
    process_group: ProcessGroup
    module: nn.Module  # the network itself, normalisation in front
    classifier: nn.Module | None = None  # behind a denoiser: frozen, and no part of the result
    alone: Any = field(init=False)  # the network, compiled where asked
    run: Any = field(init=False)  # the same, joined with other processes'
    behind: Any = field(init=False)  # the frozen classifier, compiled where asked
    optimiser: Optimizer = field(init=False)
    scaler: "torch.amp.GradScaler" = field(init=False)

    def __post_init__(self) -> None:
        """Put the network on the device, and set up its optimiser and scaler."""
        self.module.to(self.process_group.device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        prepare: Any = torch.compile if self.settings.compiled else lambda module: module
        self.alone = prepare(self.module)
        self.run = share_gradients(self.alone, self.process_group)
        if self.classifier is not None:
            self.behind = prepare(self.classifier.to(self.process_group.device))
        self.optimiser = _make_optimiser(self.module, self.settings)
        # Half precision needs its gradients scaled; the CPU's bfloat16 has float32's range.
        scaled = self.settings.mixed and self.process_group.device.type == "cuda"
        self.scaler = torch.amp.GradScaler(self.process_group.device.type, enabled=scaled)

    def outputs(self, inputs: Tensor, *, trained: bool) -> Tensor:
        """Return a batch's logits, or a denoiser's images; tests are in float32, as in use."""
        return self._run(self.run if trained else self.module, inputs, trained)

    def attacked_logits(self, inputs: Tensor) -> Tensor:
        """Return the logits of a batch under attack, in which other processes have no part."""
        return self._run(self.alone, inputs, True)

    def frozen_logits(self, images: Tensor) -> Tensor:
        """Return what the frozen classifier behind a denoiser says of its images, in training."""
        return self._run(self.behind, images, True)

    def test_logits(self, inputs: Tensor) -> Tensor:
        """Return a batch's logits as in use: of the network, or of the classifier behind it."""
        outputs = self.outputs(inputs, trained=False)
        return outputs if self.classifier is None else self._run(self.classifier, outputs, False)

    def _run(self, network: Any, inputs: Tensor, trained: bool) -> Tensor:
        """Run a network, images channels last, in mixed precision if asked and in training."""
        if inputs.ndim == IMAGE:
            inputs = inputs.contiguous(memory_format=torch.channels_last)
        mixed = self.settings.mixed and trained
        with torch.autocast(self.process_group.device.type, enabled=mixed, dtype=self.half):
            outputs: Tensor = network(inputs)
        return outputs.float()

    @property
    def half(self) -> torch.dtype:
        """The short type of mixed precision on this device."""
        return torch.float16 if self.process_group.device.type == "cuda" else torch.bfloat16

    def step(self, loss: Tensor, rate: float) -> None:
        """Take one step down the gradient."""
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.optimiser.zero_grad(set_to_none=True)
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimiser)
        self.scaler.update()


def learning_rate(settings: TrainingSettings, step: int, steps_an_epoch: int) -> float:
    """Return the rate of a step, counted from the first of the training."""
    return settings.rate * SCHEDULES[settings.schedule](settings, step, steps_an_epoch)


def _one_cycle(settings: TrainingSettings, step: int, steps_an_epoch: int) -> float:
    """Rise along half a cosine to the peak, then fall along another (Smith and Topin 2018)."""
    last = max(settings.epochs * steps_an_epoch - 1, 1)
    peak = settings.rising * last
    if step < peak:
        return _cosine_between(START, 1.0, step / peak)
    return _cosine_between(1.0, END, (step - peak) / (last - peak)) if last > peak else 1.0


def _step_schedule(settings: TrainingSettings, step: int, steps_an_epoch: int) -> float:
    """Return a tenth in the warm-up epochs; then 1, times 0.1 for each milestone passed."""
    epoch = step // steps_an_epoch
    if epoch < settings.warmup:
        return DROP
    return float(DROP ** sum(epoch >= milestone for milestone in settings.milestones))


def _cosine_between(start: float, end: float, share: float) -> float:
    """Return the value at this share of half a cosine from start to end."""
    return end + (start - end) * (1 + cos(pi * share)) / 2


SCHEDULES: dict[str, Callable[[TrainingSettings, int, int], float]] = {
    "one-cycle": _one_cycle,
    "steps": _step_schedule,
}


def _make_optimiser(module: nn.Module, settings: TrainingSettings) -> Optimizer:
    """Make the optimiser; biases and batch norms decay as all weights do, the default of torch."""
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
