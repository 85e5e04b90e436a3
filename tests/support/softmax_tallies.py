"""Tallies of softmax scores with known truth, made the way sampling makes them."""

import numpy as np

from simplicert import Tally
from simplicert.types import FIXED_POINT
from simplicert.types.scores import BINS, THRESHOLDS


def scores_like(mean, inputs, draws, seed=0, spread=3.0):
    """Dirichlet scores (N, n, K) with these means, and the generator that drew them."""
    random = np.random.default_rng(seed)
    return random.dirichlet(np.maximum(np.array(mean) * spread, 1e-3), size=(inputs, draws)), random


def tally_of(scores, random=None, *, squares=True, leaders=None, **more):
    """Sums, squares, votes and histograms of scores; what a row leaves of 1 is for no class."""
    inputs, draws, classes = scores.shape
    hard = scores.argmax(axis=2)
    counts = np.stack([(hard == j).sum(axis=1) for j in range(classes)], axis=1)
    fields = {"softmax_sums": fixed(scores)}
    if squares:
        fields["softmax_squares"] = fixed(scores**2)
    if random is not None:
        picks = (random.random((inputs, draws, 1)) > scores.cumsum(axis=2) + 1e-12).sum(axis=2)
        votes = np.stack([(picks == j).sum(axis=1) for j in range(classes + 1)], axis=1)
        fields |= {"votes": votes[:, :-1], "votes_invalid": votes[:, -1]}
    if leaders is not None:
        fields["leaders"] = np.tile(leaders, (inputs, 1))
        shown = [scores[:, :, j] for j in leaders]
        shown.append(np.delete(scores, leaders, axis=2).max(axis=2))
        fields["histograms"] = np.stack([histogram_of(one) for one in shown], axis=1)
    return Tally(counts, 1.0, **fields, **more)


def fixed(scores):
    """(N, K) sums in units of 2^-40, each score rounded down."""
    return np.floor(scores * 2.0**FIXED_POINT).astype(np.int64).sum(axis=1)


def histogram_of(scores):
    """(N, BINS) of scores (N, n), as the sampler bins them."""
    bins = np.searchsorted(THRESHOLDS, scores, side="right")
    return np.stack([np.bincount(row, minlength=BINS) for row in bins])
