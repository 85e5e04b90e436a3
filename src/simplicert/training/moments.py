"""Mean and spread of each channel (the axis after the batch), a chunk of inputs at a time."""

from collections.abc import Callable
from math import prod

import numpy as np

from simplicert.data import Inputs
from simplicert.data.ahead import ahead
from simplicert.training.batches import readers
from simplicert.types import Floats, Ints

CHUNK = 2**22  # values at a time: 32 MB of float64


def moments(inputs: Inputs, rows: Ints) -> tuple[Floats, Floats]:
    """(C,) mean and standard deviation of the inputs at these positions.

    They are read twice: squares of distances from the mean keep digits that a difference of
    squares would lose.
    """
    mean = channel_mean(inputs, rows, lambda values: values)
    middle = mean.reshape(-1, *(1 for _ in inputs.shape[2:]))
    return mean, np.sqrt(channel_mean(inputs, rows, lambda values: (values - middle) ** 2))


def channel_mean(inputs: Inputs, rows: Ints, change: Callable[[Floats], Floats]) -> Floats:
    """(C,) mean over inputs and pixels of what `change` makes of the values."""
    within = tuple(range(2, len(inputs.shape)))
    step = max(1, CHUNK // prod(inputs.shape[1:]))
    parts = [rows[at : at + step] for at in range(0, len(rows), step)]
    total: Floats | None = None
    for values in ahead(inputs.__getitem__, parts, readers()):
        changed = change(values.astype(np.float64))
        if total is None:
            total = changed.sum((0, *within))
            continue
        for own in changed.sum(within):  # one by one, as NumPy adds: the bits of a single chunk
            total = total + own
    assert total is not None
    return total / (len(rows) * prod(inputs.shape[2:]))
