"""Attack the noisy copies of a batch before the step, as SmoothAdv does (Salman et al. 2019).

The soft smoothed classifier of an input x is the mean softmax over m noisy copies x + noise_i. The
attack looks for a shift d, |d| <= epsilon in l2, that makes

    -log( mean over i of softmax(f(x + d + noise_i))_y )

large, by projected gradient ascent with the same m draws of noise in every step and in the training
step that follows: the cross-entropy of the copies x + d + noise_i. From the authors' paper and
program: k steps of length 2 epsilon / k along the gradient divided by its norm, from d = 0, the
network in eval mode; and epsilon grows evenly, epoch by epoch, up to its whole size.
Choices of ours: x + d is not clipped to the range of pixels, for certificates hold for all of the
ball; and where the gradient is zero the shift stays where it is.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import log

import torch
from torch import Tensor, nn

STEP = 2.0  # steps together are this many times as long as the shift may be

Classify = Callable[[Tensor], Tensor]


def attack_copies(
    classify: Classify, noisy: Tensor, labels: Tensor, *, copies: int, steps: int, radius: float
) -> Tensor:
    """Return the noisy copies, (B m) x ..., each input's together and moved by one shift."""
    shift = torch.zeros_like(noisy[::copies])
    for _ in range(steps):
        shift.requires_grad_()
        logits = classify(noisy + shift.repeat_interleave(copies, 0))
        # The sum, not the mean: every input has its own gradient, whatever the batch.
        total = soft_losses(logits.unflatten(0, (-1, copies)), labels).sum()
        (slope,) = torch.autograd.grad(total, shift)
        moved = shift.detach() + STEP * radius / steps * unit_directions(slope)
        shift = project_shifts(moved, radius)
    return noisy + shift.repeat_interleave(copies, 0)


def soft_losses(logits: Tensor, labels: Tensor) -> Tensor:
    """Return (B,) -log of the mean softmax of the label; logits B x m x K, by logarithms only."""
    own = logits.log_softmax(-1).gather(2, labels[:, None, None].expand(-1, logits.shape[1], 1))
    return log(logits.shape[1]) - own[:, :, 0].logsumexp(1)


def unit_directions(slopes: Tensor) -> Tensor:
    """Return each row divided by its norm; 0 for a row of zeros, or that is no number."""
    rows = slopes.flatten(1)
    largest = rows.abs().amax(1, keepdim=True)
    usable = (largest > 0) & largest.isfinite()
    scaled = torch.where(usable, rows / largest, torch.zeros_like(rows))  # squares stay in range
    norms = torch.where(usable, scaled.norm(dim=1, keepdim=True), torch.ones_like(largest))
    return (scaled / norms).view_as(slopes)


def project_shifts(shifts: Tensor, radius: float) -> Tensor:
    """Return each row, shortened to the radius where it is longer."""
    rows = shifts.flatten(1)
    norms = rows.norm(dim=1, keepdim=True)
    factors = torch.where(norms > radius, radius / norms, torch.ones_like(norms))
    return (rows * factors).view_as(shifts)


def warmed_epsilon(epsilon: float, warmup: int, epoch: int) -> float:
    """Return how far the attack may go in an epoch, from 0: all of epsilon after the warm-up."""
    return epsilon * min(1.0, (epoch + 1) / max(warmup, 1))


@contextmanager
def frozen_network(module: nn.Module) -> Iterator[None]:
    """Put a network in eval mode, its weights without gradients; afterwards it trains on."""
    trained = [weight for weight in module.parameters() if weight.requires_grad]
    module.eval().requires_grad_(False)
    try:
        yield
    finally:
        for weight in trained:
            weight.requires_grad_()
        module.train()
