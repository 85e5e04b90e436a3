"""What one batch of outputs says: a class for each row, its scores, and which rows say nothing."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from simplicert.errors import InvalidInput, require
from simplicert.types import Floats, Ints

FAR, BELOW = 1e-2, -1e-9  # how far rounding may take a sum from 1, and a probability below 0


class Scores(NamedTuple):
    """Rows of a batch. Class K means: none (a draw that must not count for anything)."""

    hard: Ints  # (B,) in 0..K
    soft: Floats | None  # (B, K) in [0, 1]; all 0 where the output is no number


def from_logits(outputs: np.ndarray) -> Scores:
    """Argmax and softmax; rows with NaN, +inf, nothing but -inf, or a tie at the top are invalid.

    A tie counts for no class, as the paper's strict inequality has it; its softmax is kept.
    """
    logits = outputs.astype(np.float64)
    top = logits.max(axis=1)
    finite = np.isfinite(top)  # NaN spreads to the maximum
    shifted = np.where(finite[:, None], logits - np.where(finite, top, 0.0)[:, None], 0.0)
    soft = np.exp(shifted)
    soft /= soft.sum(axis=1, keepdims=True)
    soft[~finite] = 0.0
    return Scores(winner(logits, finite), soft)


def from_probabilities(outputs: np.ndarray) -> Scores:
    """Class probabilities, scaled down where they sum to more than 1; missing mass is invalid."""
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
    return Scores(winner(outputs.astype(np.float64), finite), soft)


def from_labels(classes: int) -> Callable[[np.ndarray], Scores]:
    """Class numbers; anything outside 0..K-1 is invalid. There are no scores."""

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


def winner(values: np.ndarray, finite: np.ndarray) -> Ints:
    """(B,) the column of the largest value; K where there is none or more than one."""
    top = np.where(finite, values.max(axis=1), 0.0)
    alone = (values == top[:, None]).sum(axis=1) == 1
    return np.asarray(np.where(finite & alone, values.argmax(axis=1), values.shape[1]))


def reader(outputs: str, classes: int | None) -> Callable[[np.ndarray], Scores]:
    """The reading of a classifier's outputs, by name."""
    if outputs == "labels":
        require(
            classes is not None,
            'num_classes must be given with outputs="labels" (--classes), got None',
        )
        assert classes is not None
        return from_labels(classes)
    table = {"logits": from_logits, "probabilities": from_probabilities}
    if outputs not in table:
        raise InvalidInput(f"outputs must be one of logits, probabilities, labels, got {outputs!r}")
    return table[outputs]
