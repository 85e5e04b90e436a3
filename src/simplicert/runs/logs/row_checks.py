"""Checks of a log's rows that need nothing but the log."""

import numpy as np

from simplicert.runs.logs.finding import SHOWN, Finding, about, first_of, number_of
from simplicert.runs.logs.log import Log
from simplicert.types import Ints

DATA_SETS = (10_000, 26_032, 50_000)  # inputs of MNIST and CIFAR; SVHN; ImageNet's validation set
EXACT = 1e-9  # radii printed to more digits than this count as not rounded
MOST = 0.5  # share of the steps between indices that must be the same for it to be the step


def left_out(log: Log) -> Finding | None:
    """Lines that are no rows: summaries, headers, a last line cut short."""
    if not log.left_out:
        return None
    lines = "1 line is" if len(log.left_out) == 1 else f"{len(log.left_out)} lines are"
    return Finding("left_out", f"{lines} no row and left out: first {log.left_out[0]}")


def repeated(log: Log) -> Finding | None:
    """The same input in several rows."""
    values, counts = np.unique(log.index, return_counts=True)
    twice = values[counts > 1]
    if not twice.size:
        return None
    return about(
        np.isin(log.index, twice),
        "repeated",
        f"{number_of(counts > 1, 'input')} in several rows (index {first_of(twice)}): all rows "
        "are kept, so averages count them more than once",
    )


def missing(log: Log) -> Finding | None:
    """Indices that the step between the others leads to, and that are not there."""
    step = step_of(log.index)
    if step is None:
        return None
    held = np.unique(log.index)
    start, expected = int(held[0]) % step, int(held[-1]) // step + 1
    absent = expected - held.size
    if not absent:
        return None
    early = start + step * np.arange(min(expected, held.size + SHOWN + 1))  # the first few are here
    where = first_of(early[~np.isin(early, held)])
    return Finding(
        "missing",
        f"of {expected} indices up to {held[-1]} at step {step}, {absent} missing ({where}): "
        "averages are over the others",
    )


def short(log: Log) -> Finding | None:
    """A log that ends where no data set does that people certify."""
    step, last = step_of(log.index), int(log.index.max())
    size = next((size for size in DATA_SETS if size > last), None)
    if step is None or size is None or size <= last + step:
        return None
    rows = len(range(int(log.index.min()) % step, size, step))
    return Finding(
        "short",
        f"the log ends at index {last} after {len(log)} rows; {size} inputs at step {step} would "
        f"make {rows}",
    )


def correct(log: Log) -> Finding | None:
    """A column `correct` that is not predict == label, which is what is used instead."""
    if log.correct is None or log.label is None:
        return None
    truth = (log.predicted >= 0) & (log.predicted == log.label)
    instead = "it is recomputed from predict == label"
    wrong, strange = log.correct != truth, ~np.isin(log.correct, (0, 1))
    if not wrong.any():
        return None
    if np.array_equal(log.correct, truth.cumsum()):
        total = f"correct is a running total, which ends at {log.correct[-1]}: {instead}"
        return about(wrong, "running_total", total)
    if strange.any():
        at = int(strange.argmax())
        example = f"{log.correct[at]} at index {log.index[at]}"
        sentence = f"correct is neither 0 nor 1 in {number_of(strange)} ({example}): {instead}"
        return about(strange, "not_binary", sentence)
    where = first_of(log.index[wrong])
    sentence = f"correct disagrees with predict == label in {number_of(wrong)} (index {where})"
    return about(wrong, "correct", f"{sentence}: {instead}")


def negative(log: Log) -> Finding | None:
    """Radii below zero, as tools write them that compute a radius before they abstain."""
    below = log.radius.value < 0
    if not below.any():
        return None
    idle = number_of(below & (log.predicted < 0))
    sentence = f"the radius is negative in {number_of(below)}, {idle} of them without a class"
    return about(below, "negative", f"{sentence}: nothing is certified there")


def rounding(log: Log) -> Finding | None:
    """Radii printed to nearest, so that about half of them say more than was certified."""
    up = np.where(log.live, log.radius.value - log.radius.lower, 0.0)
    rows = up > EXACT * np.abs(log.radius.value)
    if log.count is not None or not rows.any():  # with counts the radii are not used
        return None
    sentence = "radii are printed rounded to nearest: about half of them are rounded up, by at most"
    return about(rows, "rounding", f"{sentence} {up.max():.2g}")


def skipped(log: Log) -> Finding | None:
    """Inputs that the tool did not certify because it saw them misclassified."""
    rows = log.predicted < -1
    if not rows.any():
        return None
    sentence = f"predict is {log.predicted[rows][0]} in {number_of(rows)} (misclassified, skipped)"
    return about(rows, "skipped", f"{sentence}: they count as abstained")


def step_of(index: Ints) -> int | None:
    """The step between indices, where most steps are the same and the others its multiples."""
    held = np.unique(index)
    gaps = held[1:] - held[:-1]
    steps, counts = np.unique(gaps, return_counts=True)
    if not steps.size:
        return None
    step = int(steps[counts.argmax()])
    regular = counts.max() > MOST * counts.sum() and not (gaps % step).any()
    return step if regular else None
