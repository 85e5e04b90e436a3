"""Read a batch of outputs: a class for each row, its scores, and which rows are invalid."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from simplicert.errors import require
from simplicert.types import Floats, Ints
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
