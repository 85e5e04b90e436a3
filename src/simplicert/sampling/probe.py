"""Look at model and inputs before the first draw.

`probe_classifier` finds out whether the model classifies row by row, and always the same way.
`scale_warning` notices features in units of their own, with one sigma for all of them.
"""

import time
from typing import Any, NamedTuple

import numpy as np

from simplicert.errors import InvalidInput
from simplicert.sampling.forward import Classify
from simplicert.types import Floats, Ints

APART = 100.0  # factor between the scales of two features that calls for a warning
FEWEST, SHARE = 7, 0.1  # rows, and share of rows, that must differ for a scale to be known
ROWS = 256  # looked at, evenly spread
UPPER = 0.75  # the upper quartile
VECTORS = 2  # axes of a batch of feature vectors


def scale_warning(inputs: Any, argument: str = "noise_scale") -> str:
    """Return a sentence if features differ in scale by a factor of 100 or more, else "".

    Only feature vectors, of shape (N, features), are checked: the values of pictures, series and
    volumes share one unit, and a batch with more axes is taken for one of these. `argument` is the
    caller's name for each feature's share of the noise.
    """
    if len(inputs.shape) != VECTORS:
        return ""
    scales = feature_scales(inputs[_pick_rows(len(inputs))])
    if np.isnan(scales).all():
        return ""
    small, large = int(np.nanargmin(scales)), int(np.nanargmax(scales))
    factor = scales[large] / scales[small]
    if factor < APART:
        return ""
    return (
        f"features differ in scale by a factor of {factor:,.0f}: feature {large} varies by about "
        f"{scales[large]:.3g}, feature {small} by about {scales[small]:.3g}, and all get the same "
        f"noise; {argument} gives each feature its own share"
    )


def feature_scales(rows: np.ndarray) -> Floats:
    """Return (F,) how much each feature varies; NaN where it is constant, or nearly.

    It is the upper quartile of its distances from its median, over the rows that do not have the
    median itself: a few outliers do not matter, and a column of some ones among zeros has scale 1.
    A feature that differs from its median in fewer than 7 rows, or in fewer than a tenth of them,
    is left out: the margin of a picture, a rare flag.
    """
    values = np.asarray(rows, dtype=float)
    middle = np.sort(values, axis=0)[(len(values) - 1) // 2]
    distances = np.sort(np.abs(values - middle), axis=0)[::-1]
    differ = (distances > 0).sum(axis=0)
    at = (differ * (1 - UPPER)).astype(int)
    scales = np.take_along_axis(distances, at[None], axis=0)[0]
    known = (differ >= max(FEWEST, SHARE * len(values))) & np.isfinite(values).all(axis=0)
    return np.where(known, scales, np.nan)


def _pick_rows(rows: int) -> Ints:
    """Return the numbers of at most ROWS rows, evenly spread."""
    return np.unique(np.linspace(0, rows - 1, min(rows, ROWS)).astype(np.int64))


CLOSE, CLOSE_HALF = 1e-3, 5e-2  # share of an output's spread; half precision rounds coarsely
TINY = 1e-5  # share of an output's size
LUCK = 4  # times the change from one pass to the next, which a random model may show by chance
PASSES = 4  # over copies of one row, to see whether they share their randomness


class ProbeResult(NamedTuple):
    """What the probe learned about a classifier."""

    random: bool  # the same batch gave other outputs
    packable: bool  # a row's outputs are the same bits wherever in the batch it stands
    seconds: float  # that the second pass took; the first may have prepared kernels


def probe_classifier(
    forward: Classify, batch: np.ndarray, first: np.ndarray, other: np.ndarray, half: bool
) -> ProbeResult:
    """Classify the same rows again, moved, and among the rows of `other`, a second batch.

    `first` are the outputs of the batch when it was classified for the first time.
    """
    start = time.perf_counter()
    again = forward(batch)
    seconds = time.perf_counter() - start
    random = not np.array_equal(first, again, equal_nan=True)
    if random:
        _refuse_shared_randomness(forward, batch)
    slack = _rounding_allowance(first, half) + (
        LUCK * np.abs(_output_gap(first, again)).max(axis=0) if random else 0
    )
    rows = len(batch)
    packable = True
    for shift in {1, rows // 2, rows - 1} - {0}:
        moved = np.roll(forward(np.roll(batch, shift, axis=0)), -shift, axis=0)
        _refuse_unless_close(first, moved, slack)
        packable &= np.array_equal(first, moved, equal_nan=True)
    few = max(rows // 4, 1)
    mixed = other.copy()
    mixed[:few] = batch[:few]
    among = forward(mixed)[:few]
    _refuse_unless_close(first[:few], among, slack)
    packable &= np.array_equal(first[:few], among, equal_nan=True)
    return ProbeResult(random=random, packable=bool(packable) or random, seconds=seconds)


def _rounding_allowance(first: np.ndarray, half: bool) -> np.ndarray:
    """Return how far rounding may move each output: a share of its own spread and size."""
    values = np.where(np.isfinite(first), first, 0.0).astype(float).reshape(len(first), -1)
    return np.asarray(
        (CLOSE_HALF if half else CLOSE) * np.ptp(values, axis=0)
        + (CLOSE if half else TINY) * np.abs(values).max(axis=0)
    )


def _output_gap(first: np.ndarray, again: np.ndarray) -> np.ndarray:
    """Return the difference of each output; infinite where only one of the two is a number."""
    one, two = (x.astype(float).reshape(len(x), -1) for x in (first, again))
    number = np.isfinite(one) & np.isfinite(two)
    same = number | (np.isfinite(one) == np.isfinite(two))
    both = np.where(number, one, 0.0) - np.where(number, two, 0.0)
    return np.where(same, both, np.inf)


def _refuse_unless_close(first: np.ndarray, again: np.ndarray, slack: np.ndarray) -> None:
    """Refuse differences larger than rounding: rows would depend on each other."""
    moved = np.abs(_output_gap(first, again))
    if (moved > slack).any():
        raise InvalidInput(
            f"classifier answers a row differently among other rows (by {moved.max():.3g}): draws "
            "would not be independent; use one without statistics over the batch, such as eval mode"
        )


def _refuse_shared_randomness(forward: Classify, batch: np.ndarray) -> None:
    """Refuse a model that is random once per batch: draws within a batch must be independent.

    Given copies of one row, such a model gives equal outputs within a pass and others in the next.
    """
    copies = np.repeat(batch[:1], len(batch), axis=0)
    passes = [forward(copies) for _ in range(PASSES)]
    within = max(np.abs(_output_gap(p, np.repeat(p[:1], len(p), axis=0))).max() for p in passes)
    between = max(np.abs(_output_gap(p[:1], passes[0][:1])).max() for p in passes)
    if len(batch) > 1 and within < TINY * between:
        raise InvalidInput(
            "classifier is random by itself, once for a whole batch: draws would not be "
            "independent; its randomness must be fresh for every row"
        )
