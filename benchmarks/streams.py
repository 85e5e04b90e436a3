"""Streams of draws that every rule sees alike, and radii of a fixed number of them.

For benchmarks/rules.py, which says how they are made. alpha = .001, sigma = 1.
"""

import numpy as np
from scipy.special import ndtri

import simplicert as sc
from simplicert.bounds import binomial

ALPHA, SEED = 0.001, 0
PILOT = 100  # draws that select the class where they are separate


class Streams:
    """The classes of every input's draws, in order, and their counts at any moment."""

    def __init__(self, shares, most, seed=SEED):
        """Draw all of them by inverting the cumulative shares."""
        random, edges = np.random.default_rng(seed), np.cumsum(shares, axis=1)
        self.shares, self.cells, self.most = shares, shares.shape[1], most
        self.drawn = np.empty((len(shares), most), np.uint8)
        for row, edge in enumerate(edges):
            places = np.searchsorted(edge[:-1], random.random(most), side="right")
            self.drawn[row] = places
        self.held = {0: np.zeros(shares.shape, np.int64)}

    def __len__(self):
        """Number of inputs."""
        return len(self.drawn)

    def count(self, stop):
        """(N, K + 1) counts of the first `stop` draws."""
        if stop not in self.held:
            near = max(n for n in self.held if n < stop)
            part = self.drawn[:, near:stop]
            added = [np.count_nonzero(part == cell, axis=1) for cell in range(self.cells)]
            self.held[stop] = self.held[near] + np.stack(added, axis=1)
        return self.held[stop]

    def count_from(self, start, stops):
        """(N, K + 1) counts of each input's draws from `start` to its own stop."""
        rows = zip(self.drawn, stops, strict=True)
        return np.stack([np.bincount(row[start:n], minlength=self.cells) for row, n in rows])


def tally_of(counts, plan=None):
    """The invalid draws are the last cell."""
    return sc.Tally(counts[:, :-1], 1.0, invalid=counts[:, -1], plan=plan)


def radii_of(tally, scheme="gated", method=None):
    """Two-sided radii at the tally's look."""
    return sc.certify(sc.bound(tally, ALPHA, scheme=scheme, method=method), ["two_sided"]).radius


def cohen_radius(successes, draws):
    """Cohen's radius by all of alpha."""
    limit, _ = binomial.clopper_pearson_lower(successes, draws, np.array(ALPHA))
    return np.maximum(ndtri(limit), 0.0)


def fixed_radii(streams, n, scheme="gated", method=None):
    """Radii with n draws of each input and all of alpha."""
    return radii_of(tally_of(streams.count(n)), scheme, method)


def fixed_cohen_radii(streams, n, pilot=PILOT):
    """Cohen's radii with n draws of each input, of which a pilot selects the class."""
    first = streams.count(pilot)
    top, rows = first.argmax(axis=1), np.arange(len(first))
    own = streams.count(n)[rows, top] - first[rows, top]
    return cohen_radius(own, np.full(len(own), n - pilot))
