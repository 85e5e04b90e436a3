"""`predict`: a class, or an explicit abstention with its p-value; no more draws than needed."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from simplicert.smoothed.ballot import Ballot
from simplicert.smoothed.sequence import looks, p_values, shares
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


def predict(ballot: Ballot, alpha: float, draws: int) -> Predictions:
    """Look after look, until each input is decided or has had all its draws."""
    plan = looks(draws, alpha)
    count = len(ballot)
    used, best = np.zeros(count, np.int64), np.ones(count)
    classes = np.full(count, ABSTAIN)
    going = np.arange(count)
    for span, share in zip(pairwise((0, *plan)), shares(len(plan)), strict=True):
        votes = ballot.draw(going, span)
        used[going] = span[1]
        top, p = p_values(votes[going], float(share))
        best[going] = np.minimum(best[going], p)
        decided = p <= alpha
        classes[going[decided]] = top[decided]
        going = going[~decided]
        if not going.size:
            break
    return Predictions(classes, best, used, votes, alpha)
