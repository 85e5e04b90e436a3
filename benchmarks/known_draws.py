"""Tallies of a classifier with known truth, drawn from its exact probabilities: no classifier runs.

How many of n draws fall in each slab is multinomial; everything a tally holds follows from that, as
the sampler would have counted it (tests/test_coverage_benchmark.py compares the two).
"""

import numpy as np

import simplicert as sc
from simplicert.sampling.outputs import UNIT, keep_leading_sums
from simplicert.sampling.settings import LEADERS, PILOT_FOR_LEADERS
from simplicert.types.scores import BINS, THRESHOLDS

PILOT = 50  # draws that choose the class for scheme split


class Drawn:
    """Independent copies of one input, each with its own draws so far."""

    def __init__(self, slabs, kind, inputs, seed, histograms=True):
        """Nothing drawn but the pilots."""
        self.slabs, self.soft = slabs, kind == "softmax"
        self.random = np.random.default_rng(seed)
        self.mass = slabs.masses()
        self.held = np.zeros((inputs, len(self.mass)), np.int64)
        self.votes = np.zeros((inputs, slabs.classes), np.int64)
        self.pilot = self.by_class(self.random.multinomial(PILOT, self.mass, inputs))
        self.leaders = None
        if self.soft and histograms:
            sums = self.random.multinomial(PILOT_FOR_LEADERS, self.mass, inputs) @ slabs.scores
            most = min(LEADERS, slabs.classes - 1)
            self.leaders = np.argsort(-sums, axis=1, kind="stable")[:, :most]

    def by_class(self, held):
        """(N, K) draws of each class, from those in each slab."""
        counts = np.zeros((len(held), self.slabs.classes), np.int64)
        np.add.at(counts.T, self.slabs.labels, held.T)
        return counts

    def draw(self, more, rows=slice(None)):
        """`more` draws of each of these inputs."""
        fresh = self.random.multinomial(more, self.mass, len(self.held[rows]))
        self.held[rows] += fresh
        if self.soft:
            shares = self.slabs.scores / self.slabs.scores.sum(axis=1, keepdims=True)
            votes = np.zeros((len(fresh), self.slabs.classes), np.int64)
            for slab, share in enumerate(shares):
                if share.max() == 1:
                    votes[:, share.argmax()] += fresh[:, slab]
                else:
                    votes += self.random.multinomial(fresh[:, slab], share)
            self.votes[rows] += votes

    def tally(self, rows=slice(None), plan=None):
        """What these inputs hold now."""
        held = self.held[rows]
        fields = {"pilot": self.pilot[rows], "plan": plan}
        if self.soft:
            scores = self.slabs.scores
            sums, squares = (
                held @ np.floor(values * UNIT).astype(np.int64) for values in (scores, scores**2)
            )
            fields |= keep_leading_sums(sums, squares)._asdict() | {"votes": self.votes[rows]}
            if self.leaders is not None:
                fields["leaders"] = self.leaders[rows]
                fields["histograms"] = self.histograms(held, self.leaders[rows])
        return sc.Tally(self.by_class(held), 1.0, **fields)

    def histograms(self, held, leaders):
        """(N, L + 1, BINS) of the leaders' scores, and of the largest of the others'."""
        most = leaders.shape[1]
        out = np.zeros((len(held), most + 1, BINS), np.int64)
        rows = np.arange(len(held))
        for slab, scores in enumerate(self.slabs.scores):
            if not held[:, slab].any():
                continue
            largest = np.argsort(-scores, kind="stable")[: most + 1]  # one of them is no leader
            free = ~(leaders[:, None, :] == largest[:, None]).any(axis=2)
            rest = scores[largest[free.argmax(axis=1)]]
            for place, values in enumerate((*scores[leaders].T, rest)):
                bins = np.searchsorted(THRESHOLDS, values, side="right")
                out[rows, place, bins] += held[:, slab]
        return out
