"""Routers that are trained: a small network of the logits of one noisy copy, for one radius r.

It first learns to tell inputs that only one of two branches certifies at r from those that only the
other does, then to certify as many as it can: the route's own radius must exceed r too. Each half
of the inputs is routed by the network that was trained on the other half.
"""

from itertools import combinations
from typing import Any

import numpy as np
from router_choice import RADII, SIGMAS, Others

WARM, STEPS, COPIES, WIDTH, RATE = 60, 150, 32, 16, 0.02
MOST_RADIUS = 1.0  # beyond, one sigma alone certifies nearly all that any certifies
SOFT = 0.15  # of the router's sigma: how soft a step counts as certified while training
BEYOND = 1.1  # the route's radius aimed at, over r: what finite draws take off


def try_trained(others: Others) -> list[dict[str, Any]]:
    """For each radius the pair of branches that leaves most to a router, at two of its sigmas."""
    rows = []
    for radius in (r for r in RADII if r <= MOST_RADIUS):

        def union(pair: tuple[str, str], radius: float = radius) -> float:
            return float((np.maximum(*(others.branch[s] for s in pair)) > radius).mean())

        pair = max(combinations(SIGMAS, 2), key=union)
        for sigma in sorted({pair[1], "1"}):
            routed = others.route(sigma, _votes(others, pair, sigma, radius))
            zero, one = (others.branch[s] for s in pair)
            found = np.where(routed > 0, np.minimum(routed, one), np.minimum(-routed, zero))
            rows.append(
                {"radius": radius, "sigma": sigma, "branches": list(pair)}
                | {"accuracy": float((found > radius).mean()), "union": union(pair)}
                | {"share_to_branch_1": float((routed > 0).mean())}
            )
            print(rows[-1], flush=True)
    return rows


def _votes(others: Others, pair: tuple[str, str], sigma: str, radius: float) -> np.ndarray:
    """(N,) votes for branch 1, each half of the inputs by the network of the other half."""
    import torch

    logits = torch.from_numpy(others.logits[sigma])
    scores = logits.softmax(-1)
    best = scores.sort(-1, descending=True).values[..., :2]
    features = torch.cat([logits / 4, scores, best, best[..., :1] - best[..., 1:]], -1)
    zero, one = (torch.from_numpy(others.branch[s] > radius) for s in pair)
    half = torch.arange(len(features)) % 2
    votes = torch.zeros(len(features), dtype=torch.long)
    for number in (0, 1):
        mine = half == number
        network = _train(features[~mine], zero[~mine], one[~mine], max(radius, 0.02), float(sigma))
        with torch.inference_mode():
            votes[mine] = (network(features[mine]).squeeze(-1) > 0).sum(1)
    return votes.numpy()


def _train(features: Any, zero: Any, one: Any, radius: float, sigma: float) -> Any:
    import torch

    torch.manual_seed(0)
    wide = torch.nn.Linear(features.shape[-1], WIDTH)
    network = torch.nn.Sequential(wide, torch.nn.ReLU(), torch.nn.Linear(WIDTH, 1))
    optimiser = torch.optim.Adam(network.parameters(), lr=RATE)
    differ = zero != one
    goal = one[differ].float()[:, None].expand(-1, COPIES)
    normal = torch.distributions.Normal(0.0, 1.0)
    for step in range(WARM + STEPS):
        some = torch.randint(features.shape[1], (COPIES,))
        if step < WARM:
            out = network(features[differ][:, some]).squeeze(-1)
            loss = torch.nn.functional.binary_cross_entropy_with_logits(out, goal)
        else:
            out = network(features[:, some]).squeeze(-1)
            share = torch.sigmoid(out).mean(1).clamp(0.002, 0.998)
            reach, aim = sigma * normal.icdf(share), BEYOND * radius
            certified = torch.sigmoid((reach - aim) / (SOFT * sigma)) * one
            certified = certified + torch.sigmoid((-reach - aim) / (SOFT * sigma)) * zero
            loss = -certified.mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return network
