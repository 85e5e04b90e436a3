"""Compute the loss of MACER (Zhai et al. 2020), which also asks for a larger certified radius.

With z the softmax averaged over k noisy copies, and z' the same of logits times beta,

    loss = -log z_y + lambda sigma / 2 * max(gamma - (Phi^-1(z'_y) - Phi^-1(z'_r)), 0),

where r is the strongest other class, and the second term stands only where y is the strongest.
The term in brackets is twice Cohen's two-sided radius at sigma 1, of the soft classifier z'.
"""

import torch
from torch import Tensor
from torch.nn.functional import one_hot

SMALLEST = 1e-10  # keeps the logarithm finite where no copy gives the class any score

EDGE = 1e-7  # scores this near to 0 or 1 have margins beyond any gamma in use


def mean_macer_loss(
    logits: Tensor, labels: Tensor, *, sigma: float, lam: float, gamma: float, beta: float
) -> Tensor:
    """Return the mean loss of a batch; logits B x k x K, labels B."""
    scores = logits.softmax(-1).mean(1)
    own = scores.gather(1, labels[:, None])[:, 0]
    classified = -torch.log(own + SMALLEST)
    return (classified + lam * sigma / 2 * margin_shortfall(logits * beta, labels, gamma)).mean()


def margin_shortfall(logits: Tensor, labels: Tensor, gamma: float) -> Tensor:
    """Return max(gamma - margin, 0) for each input that is classified right, 0 for the others.

    Where a score is 0 or 1 to the last bit the margin is infinite and nothing is left to gain. Such
    scores are replaced before Phi^-1, not after: a gradient of infinity times 0 is not 0.
    """
    scores = logits.softmax(-1).mean(1)
    mine = one_hot(labels, scores.shape[1]).bool()
    own = scores[mine]
    rival = scores.masked_fill(mine, -1.0).amax(1)
    inside = (own > rival) & (own < 1 - EDGE) & (rival > EDGE)
    half = torch.full_like(own, 0.5)
    margin = torch.special.ndtri(torch.where(inside, own, half)) - torch.special.ndtri(
        torch.where(inside, rival, half)
    )
    return torch.where(inside, (gamma - margin).clamp_min(0), torch.zeros_like(margin))
