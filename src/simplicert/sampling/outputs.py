"""Read the outputs of a batch, and add them up for a block of inputs.

`output_reader` turns outputs into a class for each row, its scores, and which rows are invalid.
`RunningSums` adds them up in integers, and `keep_leading_sums` keeps the sums of the leading
classes alone where there are many.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from simplicert.errors import require
from simplicert.types import FIXED_POINT, Floats, Ints
from simplicert.types.scores import BINS, LAYOUTS
from simplicert.types.smoothing import Smoothing

FAR, BELOW = 1e-2, -1e-9  # how far rounding may take a sum from 1, and a probability below 0
FLOAT32 = 2.0**-23  # twice the rounding of one score, relative


class Scores(NamedTuple):
    """What a batch of outputs says. Class K means no class: the draw counts for none."""

    hard: Ints  # (B,) in 0..K
    soft: Floats | None  # (B, K) in [0, 1]; all 0 where the output is no number


def output_reader(smoothing: Smoothing) -> Callable[[np.ndarray], Scores]:
    """Return the function that reads a classifier's outputs."""
    if smoothing.outputs == "labels":
        assert smoothing.num_classes is not None  # checked with the settings
        return label_reader(smoothing.num_classes)
    if smoothing.outputs == "scores":
        assert smoothing.score_limit is not None  # likewise
        return score_reader(smoothing.score_limit)
    return {"logits": read_logits, "probabilities": read_probabilities}[smoothing.outputs]


def read_logits(outputs: np.ndarray) -> Scores:
    """Take argmax and softmax; rows with NaN, +inf, only -inf, or a tie at the top are invalid.

    A tie counts for no class, as the paper's strict inequality has it; its softmax is kept.
    """
    logits = outputs.astype(np.float64)
    top = logits.max(axis=1)
    finite = np.isfinite(top)  # NaN spreads to the maximum
    shifted = np.where(finite[:, None], logits - np.where(finite, top, 0.0)[:, None], 0.0)
    soft = np.exp(shifted)
    soft /= soft.sum(axis=1, keepdims=True)
    soft[~finite] = 0.0
    return Scores(_winning_class(logits, finite), soft)


def read_probabilities(outputs: np.ndarray) -> Scores:
    """Read probabilities, scaled down where they sum to more than 1; missing mass is invalid."""
    soft = outputs.astype(np.float64)
    finite = np.asarray(np.isfinite(soft).all(axis=1))
    soft[~finite] = 0.0
    total = soft.sum(axis=1)
    sound = (soft >= BELOW).all() and (np.abs(total[finite] - 1) <= FAR).all()
    require(
        bool(sound),
        "outputs must be probabilities that sum to 1, got a sum of "
        f"{total[finite][np.abs(total[finite] - 1).argmax()] if finite.any() else 0:.6g}; "
        'use outputs="logits" for scores before the softmax',
    )
    soft = np.clip(soft, 0.0, None) / np.maximum(total, 1.0)[:, None]
    return Scores(_winning_class(outputs.astype(np.float64), finite), soft)


def label_reader(classes: int) -> Callable[[np.ndarray], Scores]:
    """Make a reader of class numbers; others than 0..K-1 are invalid. There are no scores."""

    def read(outputs: np.ndarray) -> Scores:
        require(
            outputs.dtype.kind in "biuf",
            'outputs must be class numbers, from 0, with outputs="labels", got '
            f"{outputs.flat[0]!r:.60}",
        )
        labels = outputs.reshape(len(outputs)).astype(np.float64)
        known = (labels >= 0) & (labels < classes) & (labels == np.floor(labels))
        return Scores(np.where(known, labels, classes).astype(np.int64), None)

    return read


def score_reader(limit: float) -> Callable[[np.ndarray], Scores]:
    """Make a reader of any scores, divided by their limit; what is missing goes to no class.

    A row with a negative score, a sum above the limit or something that is no number is invalid.
    Each row is judged by its own scores, so the result is a function of one noisy copy. Scores
    that were scaled to the limit in float32 may sum to a little more: up to K 2^-23 of the limit
    above it they are divided by their sum instead. Either way the shares lie in [0, 1] and sum to
    at most 1, which is all that a certificate needs.
    """

    def read(outputs: np.ndarray) -> Scores:
        scores = outputs.astype(np.float64)
        finite = np.isfinite(scores).all(axis=1)
        scores[~finite] = 0.0
        total = scores.sum(axis=1)
        within = total <= highest_sum(limit, scores.shape[1])
        sound = np.asarray(finite & (scores >= 0).all(axis=1) & within)
        soft = scores / np.maximum(total, limit)[:, None]
        soft[~sound] = 0.0
        return Scores(_winning_class(scores, sound), soft)

    return read


def highest_sum(limit: float, classes: int) -> float:
    """Return the largest sum of scores that is taken for rounding of the limit."""
    return limit * (1 + classes * FLOAT32)


def _winning_class(values: np.ndarray, finite: np.ndarray) -> Ints:
    """Return (B,) the column of the largest value; K where there is none or more than one."""
    top = np.where(finite, values.max(axis=1), 0.0)
    alone = (values == top[:, None]).sum(axis=1) == 1
    return np.asarray(np.where(finite & alone, values.argmax(axis=1), values.shape[1]))


UNIT = 2.0**FIXED_POINT  # of the integers in which scores are summed
CLASSES_KEPT = 16  # classes whose sums stay exact
MANY_CLASSES = 32  # up to this many classes, all sums are kept


class RunningSums:
    """Sums over the draws of `inputs` inputs; adding a batch is exact and order-free."""

    def __init__(
        self, inputs: int, classes: int, soft: bool, leaders: Ints | None, bins: int = BINS
    ) -> None:
        """Start empty; `leaders` (N, L) are the classes whose scores get a histogram each."""
        self.classes, self.leaders, self.bins = classes, leaders, bins
        self.counts = np.zeros((inputs, classes + 1), np.int64)
        self.sums = np.zeros((inputs, classes), np.int64) if soft else None
        self.squares = np.zeros((inputs, classes), np.int64) if soft else None
        self.votes = np.zeros((inputs, classes + 1), np.int64) if soft else None
        self.histograms = None
        if soft and leaders is not None:
            self.histograms = np.zeros((inputs, leaders.shape[1] + 1, bins), np.int64)

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
        bins = np.searchsorted(LAYOUTS[self.bins], values, side="right")
        kinds = values.shape[1]
        cells = (slots[:, None] * kinds + np.arange(kinds)) * self.bins + bins
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
