"""Estimates of what the noise does to each input: no bounds, and no promise."""

from typing import NamedTuple

import numpy as np

from simplicert.bounds.box import largest_other
from simplicert.types import Floats, Tally


class Shares(NamedTuple):
    """Of each input's draws: p_A, the share of class A, and p_B, of its strongest rival."""

    a: Floats  # (N,)
    b: Floats  # (N,)
    labelled: bool  # whether A is the label, or the most frequent class for want of one


def shares_under_noise(tally: Tally) -> Shares:
    """p_A and p_B as estimated by the class counts; A is the label where there are labels.

    p_A is then the accuracy of the base classifier on noisy copies of the input, whose
    distribution Sun et al. 2025 (arXiv 2410.06895) recommend in place of the average radius, and
    p_A < p_B where the smoothed classifier is wrong. Without labels A is the most frequent class.
    Draws without a class are a rival like any other.
    """
    assert tally.invalid is not None
    chosen = tally.labels if tally.labels is not None else tally.counts.argmax(axis=1)
    cells = np.column_stack([tally.counts, tally.invalid])
    own = cells[np.arange(len(cells)), chosen]
    rival = largest_other(cells, chosen)
    return Shares(own / tally.draws, rival / tally.draws, tally.labels is not None)
