"""Routers for sigma tried on inputs that are certified nowhere: which one would be chosen?

`draw_scores` classifies noisy copies of 1,000 other images of the test set, each network under its
own noise, and keeps the logits; it resumes. `Others` holds what follows from them. A router is
scored by the certificates that counts at their expectation would give, at the draws and the alpha
of the comparison. Each family is tried for every pair of branches and every sigma of the router:

    classes     the class of the network at the router's sigma: some go to one branch, others not
    confident   the largest softmax score is above a threshold
    scores      any of nineteen numbers made of the logits is above one of its quantiles
    trained     a small network of the logits, trained for one radius on the other half of inputs
"""

import time
from collections.abc import Iterator
from functools import cached_property
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np

import simplicert as sc
from simplicert.data import load_data
from simplicert.models import load_model
from simplicert.types.scores import FORMER_BINS, LAYOUTS

SIGMAS = ("0.12", "0.25", "0.5", "1")
RADII = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.75, 0.85, 1.0, 1.25, 1.5, 1.75, 2.0)
DRAWS, ROUTER_DRAWS = 10_000, 2_000  # of an input in all, and of these the router's
ALPHA, ROUTER_ALPHA = 0.001, 0.0005
PLACES = (5, 10)  # the other inputs, by their number modulo 20; 0 are the certified ones
FRESH = (1, 2, 15)  # inputs that neither chose a router nor were certified
BLOCK, ROUNDS, TOGETHER = 64, 2, 4  # draws of a block, blocks, inputs in a pass
LEAST_SHARE = 0.05  # of the inputs, for each branch: else the router is a constant
CONFIDENT = tuple(float(t) for t in LAYOUTS[FORMER_BINS] if t > 0.5)  # of the committed runs
GROUPS = {"vehicle": (0, 1, 8, 9), "cat or dog": (3, 5), "sky or water": (0, 2, 8)}
QUANTILES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98)


def draw_scores(
    data: str,
    cache: Path,
    places: tuple[int, ...] = PLACES,
    sigmas: tuple[str, ...] = SIGMAS,
    seed: int = 0,
) -> None:
    """Classify the noisy copies that the cache lacks."""
    import torch

    cache.mkdir(parents=True, exist_ok=True)
    chosen = load_data(data)
    here = np.flatnonzero(np.isin(chosen.index % 20, places))
    inputs = torch.from_numpy(np.asarray(chosen.inputs[here], np.float32))
    assert chosen.labels is not None
    np.savez(cache / "index.npz", index=chosen.index[here], labels=chosen.labels[here])
    for turn in range(ROUNDS):
        for place, sigma in enumerate(sigmas):
            path = cache / f"{sigma}-{turn}.npy"
            if path.exists():
                continue
            network = torch.compile(load_model(f"zoo:cifar10-small-{sigma}").classifier.eval())
            random = torch.Generator().manual_seed(seed + 1000 * (place + 1) + turn)
            start = time.perf_counter()
            np.save(path, _classify_block(network, inputs, float(sigma), random))
            print(f"{path.name} {time.perf_counter() - start:.0f} s", flush=True)


def _classify_block(network: Any, inputs: Any, sigma: float, random: Any) -> np.ndarray:
    """(N, BLOCK, 10) logits of noisy copies."""
    import torch

    out = np.empty((len(inputs), BLOCK, 10), np.float16)
    with torch.inference_mode():
        for first in range(0, len(inputs), TOGETHER):
            some = inputs[first : first + TOGETHER].repeat_interleave(BLOCK, 0)
            some = some.contiguous(memory_format=torch.channels_last)
            noise = torch.empty_like(some).normal_(generator=random)
            found = network(some + sigma * noise).float()
            out[first : first + TOGETHER] = found.reshape(-1, BLOCK, 10).numpy()
    return out


class Others:
    """Logits of the other inputs, and the certificates that their shares would give."""

    def __init__(self, cache: Path, sigmas: tuple[str, ...] = SIGMAS) -> None:
        """Read what `draw_scores` kept."""
        self.sigmas = sigmas
        self.labels = np.load(cache / "index.npz")["labels"]
        self.logits = {
            sigma: np.concatenate(
                [np.load(cache / f"{sigma}-{turn}.npy") for turn in range(ROUNDS)], axis=1
            ).astype(np.float32)
            for sigma in sigmas
        }
        self.draws = BLOCK * ROUNDS

    @cached_property
    def single(self) -> dict[str, np.ndarray]:
        """(N,) correct radii of each sigma alone, with all draws and all of alpha."""
        return {sigma: self._correct_radii(sigma, DRAWS, ALPHA) for sigma in self.sigmas}

    @cached_property
    def branch(self) -> dict[str, np.ndarray]:
        """(N,) correct radii of each sigma as a branch."""
        left = DRAWS - ROUTER_DRAWS, ALPHA - ROUTER_ALPHA
        return {sigma: self._correct_radii(sigma, *left) for sigma in self.sigmas}

    def _correct_radii(self, sigma: str, draws: int, alpha: float) -> np.ndarray:
        hard = self.logits[sigma].argmax(-1)
        counts = np.stack([(hard == k).sum(1) for k in range(10)], axis=1)
        known = sc.certify(sc.bound(sc.Tally(_scale(counts, draws), float(sigma)), alpha))
        return np.where(known.predicted == self.labels, known.radius, 0.0)

    def route(self, sigma: str, ones: np.ndarray) -> np.ndarray:
        """Signed radii of a router from its votes for branch 1: below 0 for branch 0."""
        votes = np.arange(self.draws + 1)
        counts = _scale(np.stack([self.draws - votes, votes], axis=1), ROUTER_DRAWS)
        known = sc.certify(sc.bound(sc.Tally(counts, float(sigma)), ROUTER_ALPHA))
        return np.where(known.predicted == 1, known.radius, -known.radius)[ones]

    def compose(self, routed: np.ndarray, pair: tuple[str, str]) -> np.ndarray:
        """Correct radii of the routed classifier; 0 for a router that is all but constant."""
        zero, one = (self.branch[sigma] for sigma in pair)
        found = np.where(routed > 0, np.minimum(routed, one), np.minimum(-routed, zero))
        shares = np.minimum((routed > 0).mean(-1), (routed < 0).mean(-1))
        return np.where(shares[..., None] >= LEAST_SHARE, found, 0.0)

    def features(self, sigma: str) -> dict[str, np.ndarray]:
        """(N, n) numbers that a router might go by."""
        logits = self.logits[sigma]
        scores = np.exp(logits - logits.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        best, order = np.sort(scores, -1), np.sort(logits, -1)
        return {
            "largest score": best[..., -1],
            "margin of scores": best[..., -1] - best[..., -2],
            "two largest scores": best[..., -1] + best[..., -2],
            "largest logit": order[..., -1],
            "margin of logits": order[..., -1] - order[..., -2],
            "log of summed exponentials": np.log(np.exp(logits).sum(-1)),
            **{f"score of class {k}": scores[..., k] for k in range(10)},
            **{f"score of {name}": scores[..., k].sum(-1) for name, k in GROUPS.items()},
        }


def _scale(counts: np.ndarray, draws: int) -> np.ndarray:
    """Counts of a longer run at these shares, drawn a little to the middle, rounded down."""
    shares = (counts + 0.05) / (counts + 0.05).sum(1, keepdims=True)
    return np.floor(shares * draws).astype(np.int64)


def try_routers(others: Others) -> Iterator[tuple[str, dict[str, Any], np.ndarray]]:
    """Yield family, description and (N,) correct radii of every router but the trained ones."""
    hard = {sigma: others.logits[sigma].argmax(-1) for sigma in SIGMAS}
    sets = (np.arange(1, 1023)[:, None] >> np.arange(10)) & 1  # (1022, 10): classes of branch 1
    for sigma in SIGMAS:
        counts = np.stack([(hard[sigma] == k).sum(1) for k in range(10)], axis=1)
        routed = others.route(sigma, sets @ counts.T)
        for pair in combinations(SIGMAS, 2):
            for row, found in zip(sets, others.compose(routed, pair), strict=True):
                classes = np.flatnonzero(row).tolist()
                yield "classes", _describe(sigma, pair, classes=classes), found
        features = others.features(sigma)
        best = features["largest score"]
        routed = np.stack([others.route(sigma, (best >= t).sum(1)) for t in CONFIDENT])
        for pair in permutations(SIGMAS, 2):
            for t, found in zip(CONFIDENT, others.compose(routed, pair), strict=True):
                yield "confident", _describe(sigma, pair, threshold=t), found
        for name, values in features.items():
            levels = np.quantile(values, QUANTILES)
            routed = np.stack([others.route(sigma, (values >= t).sum(1)) for t in levels])
            for pair in permutations(SIGMAS, 2):
                for t, found in zip(levels, others.compose(routed, pair), strict=True):
                    yield "scores", _describe(sigma, pair, number=name, threshold=float(t)), found


def _describe(sigma: str, pair: tuple[str, str], **how: Any) -> dict[str, Any]:
    return {"sigma": sigma, "branches": list(pair), **how}
