"""Sums of the leading classes alone, where there are many: of the others only what bounds them.

A certificate needs the sum of its class, and an upper bound for every other. A thousand sums of
each input, nearly all of them tiny, would fill a disk and change no radius.
"""

from typing import NamedTuple

import numpy as np

from simplicert.types import Ints

KEPT = 16  # classes whose sums stay exact
MANY = 32  # up to so many classes all sums are kept


class Leading(NamedTuple):
    """Sums with zeros for the classes that are not kept; the names are the tally's fields."""

    softmax_sums: Ints  # (N, K)
    softmax_squares: Ints  # (N, K)
    softmax_classes: Ints | None  # (N, KEPT)
    softmax_rest: Ints | None  # (N, 3)


def leading(sums: Ints, squares: Ints) -> Leading:
    """The largest sums of each input (the lower class on a tie), and what bounds the rest."""
    if sums.shape[1] <= MANY:
        return Leading(sums, squares, None, None)
    kept = np.sort(np.argsort(-sums, axis=1, kind="stable")[:, :KEPT], axis=1)
    shown = []
    others = []
    for values in (sums, squares):
        mine = np.zeros_like(values)
        np.put_along_axis(mine, kept, np.take_along_axis(values, kept, axis=1), axis=1)
        shown.append(mine)
        others.append(values - mine)
    rest = [others[0].max(axis=1), others[1].max(axis=1), others[0].sum(axis=1)]
    return Leading(shown[0], shown[1], kept, np.column_stack(rest))
