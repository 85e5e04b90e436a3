"""What another kind of machine may change in the draws of one input, and nothing beyond.

It rounds otherwise, and that moves the logits. Logits that all move by at most d move a score by
at most d / 2: it is the logistic function, whose slope is at most 1/4, of a number that moves by at
most 2 d; a square moves by at most twice as much. So logits that agree to 2 * MOVED have mean
scores that agree to MOVED and mean squares that agree to 2 * MOVED. How many draws fall on another
class depends on how many lie close to a boundary: at most MOVED of them are excused.
"""

from typing import NamedTuple

import numpy as np

from simplicert.bounds.softmax import rest_of
from simplicert.types import FIXED_POINT, Floats, Ints, Tally

MOVED = 1e-3  # share of the draws that may fall elsewhere, and of 1 by which a mean score may move
BINS_MOVED = 1e-2  # share of the draws by which a distribution of scores may move at a threshold
SAME = ("labels", "leaders")


class Moved(NamedTuple):
    """Draws and votes of one part that fall elsewhere, and what else differs by too much."""

    draws: int
    votes: int
    beyond: frozenset[str]


def moved(held: Tally, drawn: Tally) -> Moved:
    """One input of one part against its draws made again."""
    beyond = {name for name in FIELDS if _shape(held, name) != _shape(drawn, name)}
    if beyond:
        return Moved(0, 0, frozenset(beyond))
    beyond |= {
        name for name in SAME if not np.array_equal(getattr(held, name), getattr(drawn, name))
    }
    votes = 0
    if held.votes is not None:
        votes = elsewhere(_cells(held, "votes"), _cells(drawn, "votes"))
    if held.pilot is not None and drawn.pilot is not None:
        allowed = max(MOVED * int(held.pilot.sum()), 1)
        beyond |= {"pilot"} if elsewhere(held.pilot, drawn.pilot) > allowed else set()
    if held.softmax_sums is not None:
        beyond |= _scores_beyond(held, drawn)
    if held.histograms is not None and drawn.histograms is not None and "leaders" not in beyond:
        change = np.cumsum(held.histograms - drawn.histograms, axis=-1)
        if np.abs(change).max() > BINS_MOVED * held.draws[0]:
            beyond.add("histograms")
    draws = elsewhere(_cells(held, "counts"), _cells(drawn, "counts"))
    return Moved(draws, votes, frozenset(beyond))


def elsewhere(one: Ints, other: Ints) -> int:
    """Draws that must have another class at least, for these two rows of counts."""
    return -(-int(np.abs(one - other).sum()) // 2)


FIELDS = (
    *("counts", "labels", "pilot", "leaders", "votes", "histograms"),
    *("softmax_sums", "softmax_squares", "softmax_classes", "softmax_rest"),
)


def _shape(tally: Tally, name: str) -> tuple[int, ...] | None:
    values = getattr(tally, name)
    return None if values is None else np.shape(values)


def _cells(tally: Tally, name: str) -> Ints:
    """Counts or votes, those for no class in the last column."""
    none = tally.invalid if name == "counts" else tally.votes_invalid
    assert none is not None
    return np.column_stack([getattr(tally, name), none])


def _scores_beyond(held: Tally, drawn: Tally) -> set[str]:
    """Sums, squares and what is kept of the classes without sums of their own.

    Of two classes whose sums are nearly the same, one machine may keep the one and another the
    other: a class is compared as the span in which its sum is known to lie.
    """
    unit = MOVED * float(held.draws[0]) * 2.0**FIXED_POINT
    beyond = set()
    for name, place, allowed in (("softmax_sums", 0, unit), ("softmax_squares", 1, 2 * unit)):
        if getattr(held, name) is None:
            continue
        (low, high), (again_low, again_high) = (_spans(side, name, place) for side in (held, drawn))
        apart = np.maximum(again_low - high, low - again_high)
        if apart.max() > allowed:
            beyond.add(name)
    if held.softmax_rest is not None and drawn.softmax_rest is not None:
        apart = np.abs(held.softmax_rest - drawn.softmax_rest).astype(float)
        if apart.max() > 4 * unit:  # a class may have taken the place of another
            beyond.add("softmax_rest")
    return beyond


def _spans(tally: Tally, name: str, place: int) -> tuple[Floats, Floats]:
    """(1, K) the least and the most that each class's sum can be."""
    least = getattr(tally, name).astype(float)
    return least, least + rest_of(tally, slice(None))[place]
