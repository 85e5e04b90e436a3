"""A network for the demonstration, trained in seconds: fresh Gaussian noise in every batch."""

from typing import Any

import numpy as np

from simplicert.models.architectures import ARCHITECTURES
from simplicert.types import Ints

HIGHEST_RATE = 4e-3


def train_quickly(
    inputs: np.ndarray,
    labels: Ints,
    sigma: float,
    *,
    arch: str = "mlp",
    epochs: int = 30,
    batch_size: int = 128,
    seed: int = 0,
) -> Any:
    """A torch module in eval mode; noise is added to the inputs, as it is when they are drawn."""
    import torch
    from torch.nn.functional import cross_entropy

    torch.manual_seed(seed)
    random = torch.Generator().manual_seed(seed)
    x, y = torch.from_numpy(np.ascontiguousarray(inputs)), torch.from_numpy(np.array(labels))
    net = ARCHITECTURES[arch](int(y.max()) + 1, tuple(x.shape[1:]))
    steps = epochs * -(-len(x) // batch_size)
    adam = torch.optim.AdamW(net.parameters(), lr=HIGHEST_RATE, weight_decay=1e-2)
    rate = torch.optim.lr_scheduler.OneCycleLR(adam, HIGHEST_RATE, total_steps=steps)
    net.train()
    for _ in range(epochs):
        for rows in torch.randperm(len(x), generator=random).split(batch_size):
            noise = torch.randn(x[rows].shape, generator=random)
            adam.zero_grad()
            cross_entropy(net(x[rows] + sigma * noise), y[rows]).backward()
            adam.step()
            rate.step()
    return net.eval()
