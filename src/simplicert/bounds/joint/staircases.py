"""Find which outcomes are at least as good as the one seen, for many inputs at once.

They form a staircase, as bounds/joint/tail.py says: a smallest count of A for each count of the
rival, which never falls as the rival's count rises. The steps of all inputs lie one after another
in flat arrays, so that an operation on them is one for all inputs. Whatever is cut or rounded here
makes a staircase larger, and what is found for an input does not depend on the others.
"""

from typing import NamedTuple

import numpy as np

from simplicert.bounds.joint.scores import SLACK, CountWindows, tabulate_scores
from simplicert.bounds.joint.tail import lower_limit_score
from simplicert.types import Floats, Ints

CountRanges = tuple[Ints, Ints]  # the first and the last of consecutive counts, (N,) each


class SeenOutcomes(NamedTuple):
    """The counts of A and of the rival that were seen, and the tail of the limits compared."""

    wins: Ints  # (N,)
    losses: Ints  # (N,)
    draws: Ints  # (N,)
    tail: Floats  # (N,)


class Staircases(NamedTuple):
    """For each input the rival's counts, which are consecutive, and the least of A at each.

    An input whose windows hold no step has none.
    """

    draws: Ints  # (N,)
    first: Ints  # (N,) the rival's first count
    begin: Ints  # (N + 1,) where the steps of each input begin
    least: Ints  # (S,)

    @property
    def steps(self) -> Ints:
        """Number of steps of each input."""
        return np.diff(self.begin)


def build_staircases(seen: SeenOutcomes, tops: CountRanges, rivals: CountRanges) -> Staircases:
    """Build the staircases {T >= t}, t the T that was seen, inside the windows of counts.

    A step that starts below the windows takes in everything, one that starts above them starts at
    their end. Scores may be off by `SLACK`: outcomes that near count as equal.
    """
    size, rows = rivals[1] - rivals[0] + 1, np.arange(len(seen.draws))
    begin, owner = np.concatenate([[0], np.cumsum(size)]), np.repeat(rows, size)
    b = np.arange(begin[-1]) - (begin[:-1] - rivals[0])[owner]
    needed, found, lowest = _compare_scores(seen, tops, rivals, begin, owner)
    beyond = np.where(tops[1] < seen.draws, tops[1], seen.draws + 1)  # more than all: impossible
    least = np.minimum(tops[0][owner] + found, beyond[owner])
    least[needed <= lowest[owner]] = 0
    own = np.flatnonzero(b <= seen.losses[owner])  # what was seen is in its own tail
    least[own] = np.minimum(least[own], seen.wins[owner[own]])
    apart = rows * (int(seen.draws.max(initial=0)) + 2)  # so that no input's steps touch another's
    least += apart[owner]
    least = np.minimum.accumulate(least[::-1])[::-1]
    start = np.searchsorted(least, apart + 1)
    stop = np.maximum(np.minimum(np.searchsorted(least, apart + beyond) + 1, begin[1:]), start)
    at = np.arange(len(least))
    kept = (at >= start[owner]) & (at < stop[owner])
    return Staircases(
        seen.draws,
        rivals[0] + start - begin[:-1],
        np.concatenate([[0], np.cumsum(stop - start)]),
        (least - apart[owner])[kept],
    )


def _compare_scores(
    seen: SeenOutcomes, tops: CountRanges, rivals: CountRanges, begin: Ints, owner: Ints
) -> tuple[Floats, Ints, Floats]:
    """Return the score that A needs at each step, how many of its window are below, its lowest."""
    n, tail = seen.draws, seen.tail
    own = lower_limit_score(seen.wins, n, tail)
    other = lower_limit_score(n - seen.losses, n, tail)
    both = CountWindows(
        np.concatenate([n - rivals[1], tops[0]]),
        np.concatenate([n - rivals[0], tops[1]]),
        np.concatenate([n, n]),
        np.concatenate([tail, tail]),
    )
    table = tabulate_scores(both)
    opposite, top = table.begin[: len(n)], table.begin[len(n) :]
    back = (opposite + begin[1:] - 1)[owner] - np.arange(begin[-1])  # the last of n - b is b's first
    needed = own + other - SLACK * (1 + np.abs(own) + np.abs(other))
    needed = needed[owner] - table.scores[back]
    found, ends = np.empty(len(needed), dtype=np.int64), top + tops[1] - tops[0] + 1
    for a, z, from_, to in zip(begin[:-1], begin[1:], top, ends, strict=True):
        found[a:z] = np.searchsorted(table.scores[from_:to], needed[a:z])
    return needed, found, table.scores[top]
