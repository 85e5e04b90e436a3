"""List the training methods: Gaussian noise and MACER.

`gaussian_loss` is training under Gaussian noise (Lecuyer et al. 2018, Cohen et al. 2019). To add a
method: write its loss in a file of its own, add its row to `METHODS`, and its name to the
`METHOD_NAMES` of the settings.
"""

from collections.abc import Callable
from typing import NamedTuple

from torch import Tensor
from torch.nn.functional import cross_entropy

from simplicert.training import macer
from simplicert.training.settings import TrainingSettings


class Method(NamedTuple):
    """How many noisy copies of an input a step takes, and what it minimises."""

    copies: Callable[[TrainingSettings], int]
    loss: Callable[[Tensor, Tensor, TrainingSettings], Tensor]  # logits B x k x K, labels B


def gaussian_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Return the mean cross-entropy of the noisy copies: logits B x k x K, labels B."""
    copies = logits.shape[1]
    return cross_entropy(logits.flatten(0, 1), labels.repeat_interleave(copies))


def _macer_loss(logits: Tensor, labels: Tensor, settings: TrainingSettings) -> Tensor:
    """Return MACER's loss with the parameters of these settings."""
    s = settings
    return macer.mean_macer_loss(
        logits, labels, sigma=s.sigma, lam=s.lam, gamma=s.gamma, beta=s.beta
    )


METHODS: dict[str, Method] = {
    "gaussian": Method(lambda _: 1, lambda logits, labels, _: gaussian_loss(logits, labels)),
    "macer": Method(lambda settings: settings.copies, _macer_loss),
}
