"""Training under Gaussian noise (Lecuyer et al. 2018, Cohen et al. 2019)."""

from torch import Tensor
from torch.nn.functional import cross_entropy


def loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Mean cross-entropy of one noisy copy (or of several): logits B x k x K, labels B."""
    copies = logits.shape[1]
    return cross_entropy(logits.flatten(0, 1), labels.repeat_interleave(copies))
