"""Before the first draw: does the model answer row by row, and always the same?

Draws must be independent given the input. A model whose answer for a row depends on the rest of its
batch (statistics over the batch) breaks that and is refused. One that is random by itself is
covered by the theory as long as its randomness is fresh for every draw, and is marked.
"""

from typing import NamedTuple

import numpy as np

from simplicert.errors import InvalidInput
from simplicert.sampling.forward import Classify

CLOSE, CLOSE_HALF = 1e-3, 5e-2  # of the spread of the outputs; half precision rounds coarsely


class Nature(NamedTuple):
    """What the probe found."""

    random: bool  # the same batch gave other outputs
    packable: bool  # a row's outputs are the same bits wherever in the batch it stands


def probe(forward: Classify, batch: np.ndarray, other: np.ndarray, half: bool) -> Nature:
    """Ask the same rows again, moved, and among other neighbours; `other` is a second batch."""
    first = forward(batch)
    if not np.array_equal(first, forward(batch), equal_nan=True):
        return Nature(random=True, packable=True)
    rows = len(batch)
    packable = True
    for shift in {1, rows // 2, rows - 1} - {0}:
        moved = np.roll(forward(np.roll(batch, shift, axis=0)), -shift, axis=0)
        refuse_unless_close(first, moved, half)
        packable &= np.array_equal(first, moved, equal_nan=True)
    mixed = other.copy()
    mixed[: max(rows // 4, 1)] = batch[: max(rows // 4, 1)]
    among = forward(mixed)[: max(rows // 4, 1)]
    refuse_unless_close(first[: len(among)], among, half)
    packable &= np.array_equal(first[: len(among)], among, equal_nan=True)
    return Nature(random=False, packable=bool(packable))


def refuse_unless_close(first: np.ndarray, again: np.ndarray, half: bool) -> None:
    """Differences of rounding are fine; larger ones mean that rows are not answered alone."""
    finite = np.isfinite(first) & np.isfinite(again)
    spread = np.ptp(first[finite]) if finite.any() else 0.0
    gap = np.abs(first[finite].astype(float) - again[finite]).max() if finite.any() else 0.0
    if gap > (CLOSE_HALF if half else CLOSE) * max(spread, 1e-6):
        raise InvalidInput(
            f"classifier answers a row differently among other rows (by {gap:.3g}): draws would "
            "not be independent; use one without statistics over the batch, such as eval mode"
        )
