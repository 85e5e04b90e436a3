"""List the training methods: Gaussian noise, MACER, SmoothAdv and denoisers.

`gaussian_loss` is training under Gaussian noise (Lecuyer et al. 2018, Cohen et al. 2019). To add a
method: write its loss in a file of its own, add its row to `METHODS`, and its name to the
`METHOD_NAMES` of the settings.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, mse_loss

from simplicert.training import macer
from simplicert.training.settings import TrainingSettings
from simplicert.training.smoothadv import attack_copies, frozen_network, warmed_epsilon
from simplicert.training.trainer import Trainer


class StepInputs(NamedTuple):
    """The inputs of one step on the device."""

    clean: Tensor  # B x ..., in their own units
    noisy: Tensor  # (B k) x ..., each input's copies together
    labels: Tensor  # (B,)
    epoch: int  # from 0


class StepOutcome(NamedTuple):
    """What a step minimises, and the answers that it saw."""

    loss: Tensor
    logits: Tensor  # B x k x K


class Method(NamedTuple):
    """How many noisy copies of an input a step takes, and what it makes of them."""

    copies: Callable[[TrainingSettings], int]
    forward: Callable[[Trainer, StepInputs], StepOutcome]


def gaussian_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Return the mean cross-entropy of the noisy copies: logits B x k x K, labels B."""
    copies = logits.shape[1]
    return cross_entropy(logits.flatten(0, 1), labels.repeat_interleave(copies))


def _forward_gaussian(trainer: Trainer, step: StepInputs) -> StepOutcome:
    """Classify the noisy copies; their cross-entropy."""
    logits = _copies_apart(trainer.outputs(step.noisy, trained=True), step)
    return StepOutcome(gaussian_loss(logits, step.labels), logits)


def _forward_macer(trainer: Trainer, step: StepInputs) -> StepOutcome:
    """Classify the noisy copies; MACER's loss with the parameters of the settings."""
    logits, s = _copies_apart(trainer.outputs(step.noisy, trained=True), step), trainer.settings
    loss = macer.mean_macer_loss(
        logits, step.labels, sigma=s.sigma, lam=s.lam, gamma=s.gamma, beta=s.beta
    )
    return StepOutcome(loss, logits)


def _forward_smoothadv(trainer: Trainer, step: StepInputs) -> StepOutcome:
    """Attack the noisy copies, then go on as with Gaussian noise."""
    s = trainer.settings
    radius = warmed_epsilon(s.epsilon, s.epsilon_warmup, step.epoch)
    with frozen_network(trainer.module):
        attacked = attack_copies(
            trainer.attacked_logits,
            step.noisy,
            step.labels,
            copies=s.copies,
            steps=s.steps,
            radius=radius,
        )
    return _forward_gaussian(trainer, step._replace(noisy=attacked))


def _forward_denoiser(trainer: Trainer, step: StepInputs) -> StepOutcome:
    """Denoise, and ask the frozen classifier; only the stability loss needs its gradients."""
    images = trainer.outputs(step.noisy, trained=True)
    if trainer.settings.loss == "mse":
        with torch.no_grad():
            logits = trainer.frozen_logits(images)
        return StepOutcome(mse_loss(images, step.clean), _copies_apart(logits, step))
    logits = trainer.frozen_logits(images)
    with torch.no_grad():
        answers = trainer.frozen_logits(step.clean).argmax(1)
    return StepOutcome(cross_entropy(logits, answers), _copies_apart(logits, step))


def _copies_apart(logits: Tensor, step: StepInputs) -> Tensor:
    """Return B x k x K of (B k) x K."""
    apart: Tensor = logits.unflatten(0, (len(step.labels), -1))
    return apart


METHODS: dict[str, Method] = {
    "gaussian": Method(lambda _: 1, _forward_gaussian),
    "macer": Method(lambda settings: settings.copies, _forward_macer),
    "smoothadv": Method(lambda settings: settings.copies, _forward_smoothadv),
    "denoiser": Method(lambda _: 1, _forward_denoiser),
}
