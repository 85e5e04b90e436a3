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

UNIT = 2.0**FIXED_POINT


class RunningSums:
    """Sums over the draws of `inputs` inputs; adding a batch is exact and order-free."""

    def __init__(self, inputs: int, classes: int, soft: bool, leaders: Ints | None) -> None:
        """Empty sums; `leaders` (N, L) are the classes whose scores get a histogram each."""
        self.classes, self.leaders = classes, leaders
        self.counts = np.zeros((inputs, classes + 1), np.int64)
        self.sums = np.zeros((inputs, classes), np.int64) if soft else None
        self.squares = np.zeros((inputs, classes), np.int64) if soft else None
        self.votes = np.zeros((inputs, classes + 1), np.int64) if soft else None
        self.histograms = None
        if soft and leaders is not None:
            self.histograms = np.zeros((inputs, leaders.shape[1] + 1, BINS), np.int64)

    def add(self, slots: Ints, scores: Scores, lots: Floats) -> None:
        """Count one batch: row i belongs to input slots[i] (not falling), lots[i] is its lot."""
        cells = self.classes + 1
        self._tick(self.counts, slots * cells + scores.hard)
        if scores.soft is None or self.sums is None or self.votes is None or self.squares is None:
            return
        soft = scores.soft
        starts = np.flatnonzero(np.r_[True, slots[1:] != slots[:-1]])
        rows = slots[starts]
        self.sums[rows] += np.add.reduceat(np.floor(soft * UNIT).astype(np.int64), starts, axis=0)
        squared = np.floor(soft * soft * UNIT).astype(np.int64)
        self.squares[rows] += np.add.reduceat(squared, starts, axis=0)
        self._tick(self.votes, slots * cells + draw_votes(soft, lots))
        if self.histograms is not None and self.leaders is not None:
            self._bin(slots, soft)

    def _bin(self, slots: Ints, soft: Floats) -> None:
        """One histogram for each leader's score, the last for the largest score of the rest."""
        assert self.leaders is not None and self.histograms is not None
        mine = self.leaders[slots]
        own = np.take_along_axis(soft, mine, axis=1)
        rest = soft.copy()
        np.put_along_axis(rest, mine, 0.0, axis=1)
        shown = np.column_stack([own, rest.max(axis=1)])
        bins = np.searchsorted(THRESHOLDS, shown, side="right")
        kinds = shown.shape[1]
        cells = (slots[:, None] * kinds + np.arange(kinds)) * BINS + bins
        self._tick(self.histograms, cells.ravel())

    @staticmethod
    def _tick(table: Ints, cells: Ints) -> None:
        """Add one to each cell named, as often as it is named."""
        flat = table.reshape(-1)
        low = cells.min()
        found = np.bincount(cells - low)
        flat[low : low + len(found)] += found


def draw_votes(soft: Floats, lots: Floats) -> Ints:
    """(B,) a class for each row: a lot in [0, 1) falls on class j with probability soft[j].

    On none, K, with what is missing.
    """
    return np.asarray((np.cumsum(soft, axis=1) <= lots[:, None]).sum(axis=1))


CLASSES_KEPT = 16  # classes whose sums stay exact

MANY_CLASSES = 32  # up to so many classes all sums are kept


class LeadingSums(NamedTuple):
    """Sums with zeros for the classes that are not kept; the names are the tally's fields."""

    softmax_sums: Ints  # (N, K)
    softmax_squares: Ints  # (N, K)
    softmax_classes: Ints | None  # (N, KEPT)
    softmax_rest: Ints | None  # (N, 3)


def keep_leading_sums(sums: Ints, squares: Ints) -> LeadingSums:
    """The largest sums of each input (the lower class on a tie), and what bounds the rest."""
    if sums.shape[1] <= MANY_CLASSES:
        return LeadingSums(sums, squares, None, None)
    kept = np.sort(np.argsort(-sums, axis=1, kind="stable")[:, :CLASSES_KEPT], axis=1)
    shown = []
    others = []
    for values in (sums, squares):
        mine = np.zeros_like(values)
        np.put_along_axis(mine, kept, np.take_along_axis(values, kept, axis=1), axis=1)
        shown.append(mine)
        others.append(values - mine)
    rest = [others[0].max(axis=1), others[1].max(axis=1), others[0].sum(axis=1)]
    return LeadingSums(shown[0], shown[1], kept, np.column_stack(rest))
