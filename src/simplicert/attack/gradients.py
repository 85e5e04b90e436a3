"""Estimate which way the mean score of a class rises at a point, from noisy copies of it.

`choose_gradient` takes `NetworkGradient` where it works, else `NoiseGradient`.

`NetworkGradient`, through a network: the gradient of the logarithm of the averaged softmax. The
logarithm of a mean is taken from logarithms of scores, so a rival that hardly ever shows still
pulls.

`NoiseGradient`, without gradients (ONNX, a function of arrays, class numbers only): through the
noise itself. For any bounded score f the gradient of E f(x + s z), z Gaussian, is
E f(x + s z) z / s (Stein 1981), so noise vectors weighted by the score they had point uphill. For
other symmetric noise that is a weighted mean of the gradient, which points uphill too.
"""

import math
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from simplicert.attack.ball import Ball
from simplicert.attack.losses import Loss
from simplicert.models.model import is_module
from simplicert.noises import NOISES, Noise
from simplicert.sampling import Sampler, Smoothing
from simplicert.sampling.forward import retry_calls
from simplicert.sampling.outputs import highest_sum
from simplicert.types import Floats

LEAST = 1e-30  # smallest probability whose logarithm is taken

MORE = 32  # times the copies: a gradient through the noise is that much noisier


class ClassLoss:
    """A loss applied to two given classes."""

    def __init__(self, loss: Loss, certified: int, runner_up: int) -> None:
        """Keep the loss and the classes that it takes."""
        self.loss, self.certified, self.runner_up = loss, certified, runner_up

    def weights(self, scores: Floats) -> Floats:
        """Return the weights for the mean scores at a point."""
        return self.loss(scores, self.certified, self.runner_up)


class GradientEstimator(Protocol):
    """Finds a direction of ascent at an offset from the centre of a ball."""

    name: str
    draws: int  # noisy copies classified so far

    def direction(self, ball: Ball, offset: Floats, loss: ClassLoss) -> Floats | None:
        """Return a unit direction in the ball's norm; None where the copies show no slope."""


def choose_gradient(ball: Ball, sampler: Sampler, copies: int, seed: int) -> GradientEstimator:
    """Choose the gradient through the network where there is one, else through the noise."""
    if is_module(sampler.noisy.own) and sampler.settings.smoothing.outputs != "labels":
        network = try_network_gradient(lambda: NetworkGradient(sampler, copies, seed), ball)
        if network is not None:
            return network
    return NoiseGradient(sampler, copies, seed)


class NetworkGradient:
    """Differentiates through the sampler's own copy of the module, in eval mode."""

    name = "network"

    def __init__(self, sampler: Sampler, copies: int, seed: int) -> None:
        """Work on the sampler's device, and draw noise of its own."""
        import torch

        settings = sampler.settings
        self.network, self.smoothing = sampler.noisy.own, settings.smoothing
        self.copies, self.device = copies, settings.device
        self.random = torch.Generator(device=settings.device).manual_seed(seed)
        self.row: Noise = NOISES[self.smoothing.noise.name]
        self.host = np.random.default_rng(seed)
        self.draws = 0

    def direction(self, ball: Ball, offset: Floats, loss: ClassLoss) -> Floats | None:
        """Return the direction of the gradient of the loss of the averaged softmax."""
        import torch

        def to_device(values: Any) -> Any:
            return torch.as_tensor(values, dtype=torch.float32, device=self.device)

        moved = to_device(offset).requires_grad_(True)
        shape = (self.copies, *offset.shape)
        noise = self._draw_noise(shape)
        around = moved + self.smoothing.sigma * noise
        rows = to_device(ball.centre) + (
            around if ball.scale is None else to_device(ball.scale) * around
        )
        if ball.step is not None:  # classified on the grid; rounding has slope 0, so it is left out
            rows = rows + (torch.round(rows / ball.step) * ball.step - rows).detach()
        kind = torch.device(self.device).type
        with torch.autocast(kind, enabled=self.smoothing.autocast):
            outputs = self.network(rows)
        self.draws += self.copies
        mean = log_scores(outputs.float(), self.smoothing).logsumexp(0) - math.log(self.copies)
        weights = loss.weights(mean.detach().exp().double().cpu().numpy())
        (gradient,) = torch.autograd.grad((to_device(weights) * mean).sum(), moved)
        return ball.steepest(gradient.double().cpu().numpy())

    def _draw_noise(self, shape: tuple[int, ...]) -> Any:
        """Draw noise of scale 1: on the device, or on the host where it has no kernel."""
        import torch

        if self.row.draw_tensor is not None:
            return self.row.draw_tensor(shape, self.random, torch.float32)
        host = np.empty(shape, np.float32)
        assert self.row.fill is not None
        self.row.fill(self.host, host)
        return torch.from_numpy(host).to(self.device)


class NoiseGradient:
    """Weighs the noise of the sampler's own batches, and works for any classifier."""

    name = "noise"

    def __init__(self, sampler: Sampler, copies: int, seed: int) -> None:
        """Use whole batches, at least MORE times the copies."""
        self.sampler, self.batches = sampler, -(-MORE * copies // sampler.settings.batch_size)
        self.random = np.random.default_rng(seed)
        self.draws = 0

    def direction(self, ball: Ball, offset: Floats, loss: ClassLoss) -> Floats | None:
        """Return the direction of noise vectors weighted by their loss, less its mean."""
        drawn = [self._batch(ball, offset) for _ in range(self.batches)]
        noise = np.concatenate([rows for rows, _ in drawn])
        scores = np.concatenate([values for _, values in drawn])
        worth = scores @ loss.weights(scores.mean(axis=0))
        return ball.steepest(np.tensordot(worth - worth.mean(), noise, axes=1))

    def _batch(self, ball: Ball, offset: Floats) -> tuple[Floats, Floats]:
        """Return noise in the ball's norm, and the scores (or the class) of each copy."""
        sampler, size = self.sampler, self.sampler.settings.batch_size
        noise = np.empty((size, *offset.shape))
        fill = NOISES[sampler.settings.smoothing.noise.name].fill
        assert fill is not None
        fill(self.random, noise)
        around = offset + sampler.settings.smoothing.sigma * noise
        rows = ball.round_to_grid(
            ball.centre + (around if ball.scale is None else ball.scale * around)
        )
        laid_out = sampler.evaluation.lay_out(rows.astype(np.float32))
        outputs = retry_calls(sampler.batch.outputs_for)(laid_out)
        self.draws += size
        read = sampler.evaluation.read(outputs)
        one_hot = np.eye(sampler.classes + 1)[read.hard][:, :-1]
        return noise, one_hot if read.soft is None else read.soft


class NoGradient:
    """Stands for the slope where nothing is differentiated: lines of parameters."""

    name = "none"
    draws = 0

    def direction(self, ball: Ball, offset: Floats, loss: ClassLoss) -> Floats | None:
        """Return that no slope is known."""
        return None


def try_network_gradient(make: Callable[[], NetworkGradient], ball: Ball) -> NetworkGradient | None:
    """Return a network that gives gradients, or None: some are fixed in shape, or forward only."""
    zero = np.zeros(ball.centre.shape)
    try:
        network = make()
        network.direction(ball, zero, ClassLoss(lambda scores, one, other: scores * 0 + 1.0, 0, 1))
    except Exception:  # the classifier is foreign code and may raise anything
        return None
    network.draws = 0
    return network


def log_scores(outputs: Any, smoothing: Smoothing) -> Any:
    """Return logarithms of a batch's scores, as they are read from outputs, with a gradient."""
    if smoothing.outputs == "logits":
        return outputs.log_softmax(1)
    if smoothing.score_limit is not None:
        highest = highest_sum(smoothing.score_limit, outputs.shape[1])
        sound = (outputs >= 0).all(1) & (outputs.sum(1) <= highest)
        outputs = outputs / smoothing.score_limit * sound[:, None]
    return outputs.clamp_min(LEAST).log()
