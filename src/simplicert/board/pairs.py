"""Comparisons that are counted beforehand, because the rows of a log may not be published.

`count_pairs` takes each log of which only totals may be shown: against the others of that sort at
the same sigma, and against one log of every other folder, the best at that sigma. More is left out
on purpose: counts against hundreds of logs whose rows are known would tell the rows after all.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from simplicert.board.entry import RADII, Entry

RULE = (
    "The licence of some logs lets no row be copied, so this board has their totals alone. Each of "
    "them is compared with every other such log of the same inputs, norm and sigma, and with one "
    "log of every other folder: of those with the same inputs, norm, noise and sigma the one with "
    "the highest certified accuracy at the largest radius of the table that is not above sigma. "
    "A board made from your own copies, without totals_only in its claims, compares any two."
)


def count_pairs(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Return the counts of each pair at each radius, up to the last that any input reaches.

    `only_a` inputs are certified by the first alone; `among` how many logs is the second the best?
    """
    shut = [entry for entry in entries if entry.settings.totals_only]
    out = []
    for one, two in combinations(shut, 2):
        if _are_alike(one, two):
            out += _count_pair(one, two, among=1)
    for one in shut:
        for best, among in _find_rivals(one, entries):
            out += _count_pair(one, best, among=among)
    return out


def _are_alike(one: Entry, two: Entry) -> bool:
    """Whether two logs have the same inputs, norm and sigma."""
    a, b = one.settings, two.settings
    return one.numbering == two.numbering and (a.norm, a.sigma) == (b.norm, b.sigma)


def _find_rivals(one: Entry, entries: Sequence[Entry]) -> Iterator[tuple[Entry, int]]:
    """Yield the best log of every folder that may be shown, and of how many it is the best."""
    place = int(np.searchsorted(RADII, one.settings.sigma or 0.0, side="right")) - 1
    folders: dict[object, list[Entry]] = {}
    for entry in entries:
        same = _are_alike(one, entry) and one.settings.noise == entry.settings.noise
        if same and not entry.settings.totals_only and entry.source.root != one.source.root:
            folders.setdefault(entry.source.root, []).append(entry)
    for rivals in folders.values():
        best = max(rivals, key=lambda entry: entry.hits_at(RADII)[place] / len(entry))
        yield best, len(rivals)


def _count_pair(one: Entry, two: Entry, among: int) -> list[dict[str, Any]]:
    """Count at each radius how many shared inputs either log certifies; no pair if none."""
    _, mine, its = np.intersect1d(one.index, two.index, assume_unique=True, return_indices=True)
    if not mine.size:
        return []
    first, second = one.reached[mine], two.reached[its]
    radii = range(max(int(first.max()), int(second.max())))
    return [
        {
            "a": one.source.id,
            "b": two.source.id,
            "shared": int(mine.size),
            "among": among,
            "hits_a": [int((first > rank).sum()) for rank in radii],
            "hits_b": [int((second > rank).sum()) for rank in radii],
            "only_a": [int(((first > rank) & (second <= rank)).sum()) for rank in radii],
        }
    ]
