"""The table of methods. To add one: write its loss in a file of its own, add its row."""

from collections.abc import Callable
from typing import NamedTuple

from torch import Tensor

from simplicert.training import gaussian, macer
from simplicert.training.settings import Settings


class Method(NamedTuple):
    """How many noisy copies of an input make a step, and what is minimised."""

    copies: Callable[[Settings], int]
    loss: Callable[[Tensor, Tensor, Settings], Tensor]  # logits B x k x K, labels B


def macer_loss(logits: Tensor, labels: Tensor, settings: Settings) -> Tensor:
    """MACER's loss with the parameters of these settings."""
    s = settings
    return macer.loss(logits, labels, sigma=s.sigma, lam=s.lam, gamma=s.gamma, beta=s.beta)


METHODS: dict[str, Method] = {
    "gaussian": Method(lambda _: 1, lambda logits, labels, _: gaussian.loss(logits, labels)),
    "macer": Method(lambda settings: settings.copies, macer_loss),
}
