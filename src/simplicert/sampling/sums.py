"""Add up the draws of a block of inputs exactly, in integers.

RunningSums          counts, score sums, squares, votes and histograms while inputs are drawn
draw_votes           a random class for each row, by its scores
keep_leading_sums    the sums of the leading classes, and of the others only what bounds them

A certificate needs the sum of its class, and an upper bound for every other. A thousand sums for
each input, nearly all of them tiny, would fill a disk and change no radius.
"""

from typing import NamedTuple

import numpy as np

from simplicert.sampling.score import Scores
from simplicert.types import FIXED_POINT, Floats, Ints
from simplicert.types.scores import BINS, THRESHOLDS

UNIT = 2.0**FIXED_POINT  # of the integers in which scores are summed
CLASSES_KEPT = 16  # classes whose sums stay exact
MANY_CLASSES = 32  # up to this many classes, all sums are kept


class RunningSums:
    """Sums over the draws of `inputs` inputs; adding a batch is exact and order-free."""

    def __init__(self, inputs: int, classes: int, soft: bool, leaders: Ints | None) -> None:
        """Start empty; `leaders` (N, L) are the classes whose scores get a histogram each."""
        self.classes, self.leaders = classes, leaders
        self.counts = np.zeros((inputs, classes + 1), np.int64)
        self.sums = np.zeros((inputs, classes), np.int64) if soft else None
        self.squares = np.zeros((inputs, classes), np.int64) if soft else None
        self.votes = np.zeros((inputs, classes + 1), np.int64) if soft else None
        self.histograms = None
        if soft and leaders is not None:
            self.histograms = np.zeros((inputs, leaders.shape[1] + 1, BINS), np.int64)

    def add(self, slots: Ints, scores: Scores, uniforms: Floats) -> None:
        """Count one batch: row i is of input slots[i] (ascending); uniforms[i] picks its vote."""
        cells = self.classes + 1
        self._increment(self.counts, slots * cells + scores.hard)
        if scores.soft is None or self.sums is None or self.votes is None or self.squares is None:
            return
        soft = scores.soft
        starts = np.flatnonzero(np.r_[True, slots[1:] != slots[:-1]])
        rows = slots[starts]
        self.sums[rows] += np.add.reduceat(np.floor(soft * UNIT).astype(np.int64), starts, axis=0)
        squared = np.floor(soft * soft * UNIT).astype(np.int64)
        self.squares[rows] += np.add.reduceat(squared, starts, axis=0)
        self._increment(self.votes, slots * cells + draw_votes(soft, uniforms))
        if self.histograms is not None and self.leaders is not None:
            self._add_to_histograms(slots, soft)

    def _add_to_histograms(self, slots: Ints, soft: Floats) -> None:
        """Count each leader's score in its histogram, the largest of the rest in the last one."""
        assert self.leaders is not None and self.histograms is not None
        mine = self.leaders[slots]
        own = np.take_along_axis(soft, mine, axis=1)
        rest = soft.copy()
        np.put_along_axis(rest, mine, 0.0, axis=1)
        values = np.column_stack([own, rest.max(axis=1)])
        bins = np.searchsorted(THRESHOLDS, values, side="right")
        kinds = values.shape[1]
        cells = (slots[:, None] * kinds + np.arange(kinds)) * BINS + bins
        self._increment(self.histograms, cells.ravel())

    @staticmethod
    def _increment(table: Ints, cells: Ints) -> None:
        """Add one to each cell listed, as often as it is listed."""
        flat = table.reshape(-1)
        low = cells.min()
        counts = np.bincount(cells - low)
        flat[low : low + len(counts)] += counts


def draw_votes(soft: Floats, uniforms: Floats) -> Ints:
    """Return (B,) a class for each row: j with probability soft[j], by a uniform in [0, 1).

    The vote is K, no class, with the probability that is missing from the sum.
    """
    return np.asarray((np.cumsum(soft, axis=1) <= uniforms[:, None]).sum(axis=1))


class LeadingSums(NamedTuple):
    """Sums with zeros for the classes that are not kept; the names are the tally's fields."""

    softmax_sums: Ints  # (N, K)
    softmax_squares: Ints  # (N, K)
    softmax_classes: Ints | None  # (N, KEPT)
    softmax_rest: Ints | None  # (N, 3)


def keep_leading_sums(sums: Ints, squares: Ints) -> LeadingSums:
    """Keep the largest sums of each input (the lower class on a tie), and bound the rest."""
    if sums.shape[1] <= MANY_CLASSES:
        return LeadingSums(sums, squares, None, None)
    kept = np.sort(np.argsort(-sums, axis=1, kind="stable")[:, :CLASSES_KEPT], axis=1)
    leading, others = [], []
    for values in (sums, squares):
        mine = np.zeros_like(values)
        np.put_along_axis(mine, kept, np.take_along_axis(values, kept, axis=1), axis=1)
        leading.append(mine)
        others.append(values - mine)
    rest = [others[0].max(axis=1), others[1].max(axis=1), others[0].sum(axis=1)]
    return LeadingSums(leading[0], leading[1], kept, np.column_stack(rest))
