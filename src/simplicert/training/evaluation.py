"""Accuracy with one noisy draw of each input, and without noise."""

import numpy as np
import torch

from simplicert.data import Dataset
from simplicert.training.batches import labels_of, noisy_copies
from simplicert.training.bench import Bench

BATCH = 500
AFTER_ALL = 2**31  # as the epoch of the noise: none is trained in it, so no noise is seen twice


def accuracy(bench: Bench, data: Dataset, sigma: float) -> float:
    """Share of inputs classified right, one draw each; the same noise at every call."""
    team, labels = bench.team, labels_of(data)
    bench.module.eval()
    right = torch.zeros(1, dtype=torch.float64, device=team.device)
    with torch.no_grad():
        for batch in range(team.rank, -(-len(data) // BATCH), team.size):
            rows = np.arange(batch * BATCH, min((batch + 1) * BATCH, len(data)))
            inputs = torch.from_numpy(data.inputs[rows]).to(team.device)
            if sigma > 0:
                inputs = noisy_copies(inputs, sigma, 1, bench.settings.seed, (AFTER_ALL, batch, 0))
            answers = bench.logits(inputs, trained=False).argmax(1).cpu().numpy()
            right += int((answers == labels[rows]).sum())
    return float(team.total(right)) / len(data)
