"""`predict`: a class, or an explicit abstention with its p-value; no more draws than needed."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from simplicert.smoothed.drawing import Source, generator_of
from simplicert.smoothed.sequence import looks, p_values, require_deciding, shares
from simplicert.types import Bools, Floats, Ints

ABSTAIN = -1


@dataclass(frozen=True, eq=False)
class Predictions:
    """One entry an input. A class that is given is wrong with probability at most alpha.

    Wrong: not the class of the smoothed classifier, which has endless draws. Where the draws did
    not decide, `classes` is -1 and `p_value` is above alpha.
    """

    classes: Ints  # (N,)
    p_value: Floats  # (N,)
    draws: Ints  # (N,)
    votes: Ints  # (N, K)
    alpha: float

    @property
    def abstained(self) -> Bools:
        """(N,) where no class is given."""
        return np.asarray(self.classes == ABSTAIN)

    def __len__(self) -> int:
        """N."""
        return len(self.classes)


def predict(
    source: Source, inputs: Any, alpha: float, draws: int, soft: bool, seed: int | None
) -> Predictions:
    """Look after look, until each input is decided or has had all its draws."""
    require_deciding(draws, alpha)
    random, plan = generator_of(seed), looks(draws, alpha)
    count = len(inputs)
    used, best = np.zeros(count, np.int64), np.ones(count)
    classes = np.full(count, ABSTAIN)
    votes: Ints | None = None
    going = np.arange(count)
    for (first, look), share in zip(pairwise((0, *plan)), shares(len(plan)), strict=True):
        fresh = source.votes(inputs[going], look - first, soft, random)
        if votes is None:
            votes = np.zeros((count, fresh.shape[1]), np.int64)
        votes[going] += fresh
        used[going] = look
        top, p = p_values(votes[going], float(share))
        best[going] = np.minimum(best[going], p)
        decided = p <= alpha
        classes[going[decided]] = top[decided]
        going = going[~decided]
        if not going.size:
            break
    assert votes is not None
    return Predictions(classes, best, used, votes, alpha)
