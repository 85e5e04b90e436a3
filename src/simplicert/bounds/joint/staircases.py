"""Find which outcomes are at least as good as the one seen, for many inputs at once.

They form a staircase, as bounds/joint/tail.py says: a smallest count of A for each count of the
rival, which never falls as the rival's count rises. The steps of all inputs lie one after another
in flat arrays, so that an operation on them is one for all inputs. Whatever is cut or rounded here
makes a staircase larger, and what is found for an input does not depend on the others.
"""

from collections import Counter
from typing import NamedTuple

import numpy as np

from simplicert.bounds.joint.scores import SLACK, score_table, tabulate_scores, worth_a_table
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
    rows = np.arange(len(seen.draws))
    beyond = np.where(tops[1] < seen.draws, tops[1], seen.draws + 1)  # more than all: impossible
    begin, least = _find_least(seen, tops, rivals, beyond)
    owner = np.repeat(rows, np.diff(begin))
    apart = rows * (int(seen.draws.max(initial=0)) + 2)  # so that no input's steps touch another's
    least += apart[owner]
    _include_seen(least, begin, apart + seen.wins, seen.losses - rivals[0])
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


def _find_least(
    seen: SeenOutcomes, tops: CountRanges, rivals: CountRanges, beyond: Ints
) -> tuple[Ints, Ints]:
    """Return where each input's steps begin, and (S,) the least of A by its scores, 0 for all.

    The rival's counts end where A would need more than its window.
    """
    n, tail = seen.draws, seen.tail
    own, other = lower_limit_score(seen.wins, n, tail), lower_limit_score(n - seen.losses, n, tail)
    enough = own + other - SLACK * (1 + np.abs(own) + np.abs(other))
    keys = list(zip(n.tolist(), tail.tolist(), strict=True))
    shared = {key for key, inputs in Counter(keys).items() if worth_a_table(inputs, key[0])}
    found = []
    ranges = zip(*(x.tolist() for x in (*tops, *rivals, beyond)), strict=True)
    for key, t, (first, last, fewest, most, end) in zip(keys, enough.tolist(), ranges, strict=True):
        draws = key[0]
        if key in shared:
            table = score_table(*key)
            reached, opposite = table[first : last + 1], table[draws - most : draws - fewest + 1]
        else:
            reached = tabulate_scores((first, last), *key)
            opposite = tabulate_scores((draws - most, draws - fewest), *key)
        possible = max(int(np.searchsorted(opposite, t - reached[-1])) - 1, 0)
        needed = t - opposite[possible:][::-1]
        least = np.minimum(first + np.searchsorted(reached, needed), end)
        least[needed <= reached[0]] = 0
        found.append(least)
    begin = np.cumsum([0, *(len(least) for least in found)])
    return begin, np.concatenate([np.empty(0, dtype=np.int64), *found])


def _include_seen(least: Ints, begin: Ints, wins: Ints, place: Ints) -> None:
    """Put what was seen into its own tail, whatever rounding says."""
    at = begin[:-1] + np.minimum(place, np.diff(begin) - 1)
    least[at] = np.minimum(least[at], wins)
