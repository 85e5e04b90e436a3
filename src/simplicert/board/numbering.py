"""Hold the labels of logs of the same data against each other.

The same number must mean the same input in two logs before they are compared on it. Labels tell:
`number_inputs` puts logs into groups that agree on every label they share, and flags those that
disagree with the largest group. Their inputs have another order, or their labels were shifted: a
group that has logs of several of the given folders is taken for another order.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from simplicert.board.entry import Entry
from simplicert.logs.row_checks import AuditFinding
from simplicert.types import Ints

UNKNOWN = "unlabelled"


class _Group:
    """Logs of one data set that agree, and the labels that they know together."""

    def __init__(self, place: int, index: Ints, label: Ints) -> None:
        self.members = [place]
        self.index, self.label = index, label

    def compare(self, index: Ints, label: Ints) -> tuple[int, int]:
        """Return how many inputs are shared, and on how many of them labels differ."""
        _, mine, its = np.intersect1d(self.index, index, assume_unique=True, return_indices=True)
        return mine.size, int((self.label[mine] != label[its]).sum())

    def add(self, place: int, index: Ints, label: Ints) -> None:
        """Take in a log that agrees."""
        self.members.append(place)
        new = ~np.isin(index, self.index, assume_unique=True)
        self.index = np.concatenate([self.index, index[new]])
        self.label = np.concatenate([self.label, label[new]])


def number_inputs(entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries with the name of their group, and a finding where labels disagree."""
    out = list(entries)
    for data in dict.fromkeys(entry.settings.data for entry in entries):
        places = [place for place, one in enumerate(out) if one.settings.data == data]
        groups = _make_groups((place, out[place]) for place in places)
        main = max(groups, key=lambda group: len(group.members), default=None)
        for number, group in enumerate(groups, 1):
            for place in group.members:
                entry = replace(out[place], numbering=f"{data or 'unknown'}-{number}")
                if main is not None and group is not main:
                    roots = {out[one].source.root for one in group.members}
                    code = "numbering" if len(roots) > 1 else "labels"
                    entry = entry.with_findings(*_describe_difference(entry, main, code))
                out[place] = entry
        for place in places:
            if not out[place].numbering:
                out[place] = replace(out[place], numbering=f"{data or 'unknown'}-{UNKNOWN}")
    return out


def _make_groups(entries: Iterable[tuple[int, Entry]]) -> list[_Group]:
    """Put each log into the first group that shares inputs with it and contradicts none."""
    groups: list[_Group] = []
    for place, entry in entries:
        if entry.label is None:
            continue
        for group in groups:
            shared, differ = group.compare(entry.index, entry.label)
            if shared and not differ:
                group.add(place, entry.index, entry.label)
                break
        else:
            groups.append(_Group(place, entry.index, entry.label))
    return groups


def _describe_difference(entry: Entry, main: _Group, code: str) -> list[AuditFinding]:
    """Say how the labels of a log differ from those of most others; nothing if none are shared."""
    assert entry.label is not None
    shared, differ = main.compare(entry.index, entry.label)
    if not differ:
        return []
    others = "another log" if len(main.members) == 1 else f"{len(main.members)} other logs"
    why = (
        "inputs are numbered otherwise, as in logs of other folders"
        if code == "numbering"
        else "inputs are numbered otherwise, or labels were shifted"
    )
    says = (
        f"labels differ from those of {others} of {entry.settings.data or 'the same data'} in "
        f"{differ} of {shared} shared inputs: {why}; it is not compared with them"
    )
    return [AuditFinding(code, says)]
