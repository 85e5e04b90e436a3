"""Classifiers whose smoothed class and radius are known exactly: slabs of space, each with scores.

Space is cut by parallel planes. In each slab the classifier gives one fixed vector of scores, so
under Gaussian noise the mean scores at any shift are sums of differences of normal distribution
functions, and only a shift across the planes changes them.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

import simplicert as sc
from simplicert.bounds import binomial

FARTHEST, POINTS, HALVINGS = 12.0, 2401, 60  # of the search for the nearest other class
EDGE_DRAWS, EDGE_ALPHA, UNDER = 300, 0.05, 1e-9  # of the points that lie just under a limit


@dataclass(frozen=True)
class Slabs:
    """M slabs: planes at `cuts` (M - 1, rising, in units of sigma from the input), `scores` (M, K).

    `limit` is the true radius in closed form where the construction has one.
    """

    cuts: np.ndarray
    scores: np.ndarray
    limit: float | None = None

    @property
    def classes(self):
        """K."""
        return self.scores.shape[1]

    @property
    def labels(self):
        """(M,) the class of each slab by its largest score."""
        return self.scores.argmax(axis=1)

    def masses(self, shift=0.0):
        """(..., M) the probability of each slab, the input shifted by this many sigma."""
        below = ndtr(self.cuts - np.asarray(shift, float)[..., None])
        ends = np.zeros((*below.shape[:-1], 1))
        return np.diff(np.concatenate([ends, below, 1 + ends], axis=-1))

    def vectors(self, kind):
        """(M, K) what is averaged: one class a slab, or its scores."""
        hard = self.scores == self.scores.max(axis=1, keepdims=True)
        return hard.astype(float) if kind == "multinomial" else self.scores

    def radius(self, kind):
        """True radius of the smoothed classifier in sigma; 0 at a tie, where it has no class."""
        if self.limit is not None:
            return self.limit
        vectors = self.vectors(kind)
        top = int((self.masses() @ vectors).argmax())
        own, others = vectors[:, top], np.unique(np.delete(vectors, top, axis=1), axis=1)

        def lead(shift):
            mass = self.masses(shift)
            return mass @ own - (mass @ others).max(axis=-1)

        if lead(0.0) < 1e-12:
            return 0.0
        return min(nearest(lead, sign * FARTHEST) for sign in (1, -1))

    def top(self, kind):
        """The smoothed class; the first of equals at a tie."""
        means = self.masses() @ self.vectors(kind)
        return int((means > means.max() - 1e-12).argmax())

    def classifier(self, direction, sigma):
        """The classifier itself: noisy inputs, the input in question at 0, to rows of scores."""

        def classify(batch):
            along = batch.reshape(len(batch), -1).astype(float) @ direction / sigma
            return self.scores[np.searchsorted(self.cuts, along)]

        return classify


def nearest(lead, end):
    """The least |shift| toward `end` at which the lead is gone."""
    shifts = np.linspace(0.0, end, POINTS)
    lost = np.flatnonzero(lead(shifts) <= 0)
    if not lost.size:
        return np.inf
    low, high = shifts[lost[0] - 1], shifts[lost[0]]
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if lead(middle) <= 0 else (middle, high)
    return abs(low)


def hard(*shares):
    """One class a slab with these probabilities: the first class lowest, the second highest.

    The worst of all classifiers with these expectations: the first loses and the second, which has
    the largest share of the others, gains as fast as the Neyman-Pearson lemma allows, and no other
    can overtake both. So the radius is the two-sided one.
    """
    p = np.array(shares) / np.sum(shares)
    order = [0, *range(2, len(p)), 1]
    cuts = ndtri(np.minimum(np.cumsum(p[order])[:-1], 1.0))
    return Slabs(cuts, np.eye(len(p))[order], max(float(ndtri(p[0]) - ndtri(p[1])) / 2, 0.0))


def stairs(classes, own, rival, cuts):
    """The first class's score falls from slab to slab, the second's rises, others share the rest.

    Their level sets are half-spaces: nothing known of score distributions leaves a larger radius.
    """
    own, rival = np.array(own), np.array(rival)
    rest = 1 - own - rival
    others = [rest / (classes - 2)] * (classes - 2) if classes > 2 else []
    return Slabs(np.array(cuts, float), np.column_stack([own, rival, *others]))


def steps(classes, width, at):
    """A linear classifier of K steps along a line, the input `at` sigmas above the middle of 0."""
    return Slabs(width * (np.arange(classes - 1) + 0.5) - at, np.eye(classes))


def tied(classes, share):
    """Two classes of equal share, the others equal among themselves."""
    return hard(share, share, *[(1 - 2 * share) / (classes - 2)] * (classes - 2))


def thin(classes, share):
    """One class of this share; all its rivals are equal, so the runner-up is unknown."""
    return hard(share, *[(1 - share) / (classes - 1)] * (classes - 1))


def under_a_limit(tail):
    """Two classes, the first just below a lower limit that 210 of 300 draws can have.

    A limit that is exact is wrong as often as its tail allows there, and nearly so elsewhere.
    """
    found, _ = binomial.clopper_pearson_lower(210, EDGE_DRAWS, tail)
    p = float(found) - UNDER
    return hard(p, 1 - p)


def under_a_radius(scheme, rival):
    """Three classes just below the radius that 180, 60 and 60 draws are certified for."""
    counts = [[180, 60, 60]]
    found = sc.certify(sc.bound(sc.Tally(counts, 1.0), EDGE_ALPHA, scheme=scheme), ["two_sided"])
    own = ndtr(2 * (float(found.radius[0]) - UNDER) + ndtri(rival))
    return hard(own, rival, 1 - own - rival)


HARD = {
    "tie": hard(0.5, 0.5),
    "radius .5": hard(ndtr(0.5), ndtr(-0.5)),
    "under a limit at .9 alpha": under_a_limit(0.9 * EDGE_ALPHA),
    "under a limit at alpha": under_a_limit(EDGE_ALPHA),
    "under a radius, gated": under_a_radius("gated", 0.25),
    "under a radius, paper": under_a_radius("paper", 0.25),
    "under a radius, joint": under_a_radius("joint", 0.23),
    "tie of two, third empty": hard(0.5, 0.5, 0.0),
    "tie of two, third .2": tied(3, 0.4),
    "tie of three": thin(3, 1 / 3),
    "near tie .42 .38 .2": hard(0.42, 0.38, 0.2),
    "unequal .58 .31 .11": hard(0.58, 0.31, 0.11),
    "clear .9 .08 .02": hard(0.9, 0.08, 0.02),
    "linear, ten steps": steps(10, 1.5, 3.3),
    "tie of two among ten": tied(10, 0.3),
    "nine equal rivals": thin(10, 0.2),
    "all ten equal": thin(10, 0.1),
    "99 equal rivals": thin(100, 0.5),
    "tie of two among 1,000": tied(1000, 0.1),
    "999 equal rivals": thin(1000, 0.1),
    "all 1,000 equal": thin(1000, 0.001),
}

SOFT = {
    "hard tie": hard(0.5, 0.5),
    "hard radius .5": hard(ndtr(0.5), ndtr(-0.5)),
    "two levels, tie": stairs(2, [0.8, 0.2], [0.2, 0.8], [0.0]),
    "hard tie of two, third .2": tied(3, 0.4),
    "hard .58 .31 .11": hard(0.58, 0.31, 0.11),
    "stairs, tie": stairs(3, [0.9, 0.5, 0.4, 0.0], [0.0, 0.4, 0.5, 0.9], [-0.7, 0.0, 0.7]),
    "stairs, clear": stairs(3, [0.99, 0.6, 0.0], [0.0, 0.3, 0.99], [0.5, 1.5]),
    "stairs among ten": stairs(10, [0.9, 0.5, 0.1], [0.0, 0.1, 0.9], [0.0, 1.0]),
    "hard tie of two among 1,000": tied(1000, 0.3),
    "stairs among 1,000": stairs(1000, [0.95, 0.5, 0.1], [0.0, 0.2, 0.8], [0.2, 0.9]),
    "stairs among 1,000, tie": stairs(1000, [0.7, 0.2], [0.2, 0.7], [0.0]),
}

POINTS_OF = {"multinomial": HARD, "softmax": SOFT}
