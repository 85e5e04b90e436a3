"""What the softmax schemes read from a tally, and the limits they can use."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from simplicert.bounds.limits import hoeffding
from simplicert.errors import MissingEvidence
from simplicert.types import FIXED_POINT, Floats, Ints, Tally


class Limit(NamedTuple):
    """A pair of one-sided limits: (sums, draws, tail) -> bound on the mean score."""

    lower: Callable[[Ints, Ints, Floats], Floats]
    upper: Callable[[Ints, Ints, Floats], Floats]


LIMITS: dict[str, Limit] = {"hoeffding": Limit(hoeffding.lower, hoeffding.upper)}


def sums_of(tally: Tally) -> Ints:
    """(N, K + 1) fixed-point sums; the last column is what the classes leave, an upper bound."""
    if tally.softmax_sums is None:
        raise MissingEvidence("kind 'softmax' needs softmax_sums, and this tally holds only counts")
    left = (tally.draws << FIXED_POINT) - tally.softmax_sums.sum(axis=1)
    return np.column_stack([tally.softmax_sums, np.maximum(left, 0)])


def votes_of(tally: Tally) -> tuple[Ints, Ints]:
    """The categorical votes by class, and those for no class."""
    if tally.votes is None or tally.votes_invalid is None:
        raise MissingEvidence(
            "scheme 'gated' for softmax selects the class by categorical votes, and this tally has "
            "none: sample again with votes, use scheme 'split' with a pilot, or scheme 'paper'"
        )
    return tally.votes, tally.votes_invalid
