"""Read counts written as lists: lines of idx, label and [c0, c1, ...].

The lists are parsed as JSON and never evaluated.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from simplicert.errors import InvalidInput
from simplicert.files import parse_json
from simplicert.logs.table import is_integer, read_log_text
from simplicert.types import Ints

TOO_LARGE = 2**62  # no count, label or index is this large


@dataclass(frozen=True, eq=False)
class CountTable:
    """A table of counts, with labels and indices where the file has them."""

    counts: Ints  # (N, K)
    labels: Ints | None  # (N,)
    index: Ints | None  # (N,)
    invalid: Ints | None = None  # (N,) draws without a class


def holds_lists(path: Path) -> bool:
    """Tell whether one of the first two lines holds a list; the first may be a header."""
    return any("[" in line for line in read_log_text(path).splitlines()[:2])


def read_count_lists(path: Path, labelled: bool) -> CountTable:
    """Read the index, label and counts of each line; a header is skipped."""
    lines = [
        (n, line) for n, line in enumerate(read_log_text(path).splitlines(), 1) if line.strip()
    ]
    if not is_integer(lines[0][1].split("\t")[0]):
        lines = lines[1:]
    if not lines:
        raise InvalidInput(f"{path} must hold a line of counts below its header, got none")
    index, labels, counts = zip(*(_parse_list_row(path, n, line) for n, line in lines), strict=True)
    for (number, _), row in zip(lines, counts, strict=True):
        if len(row) != len(counts[0]):
            raise InvalidInput(
                f"{path} line {number} must hold {len(counts[0])} counts, as the first line does, "
                f"got {len(row)}"
            )
    return CountTable(np.array(counts), np.array(labels) if labelled else None, np.array(index))


def _parse_list_row(path: Path, number: int, line: str) -> tuple[int, int, list[int]]:
    """Parse one line, or raise an error that says what it must be."""
    try:
        index, label, text = line.split("\t")
        counts = parse_json(f"line {number}", text)
        if not all(type(count) is int for count in counts):
            raise ValueError
        if max(abs(int(n)) for n in (index, label, *counts)) >= TOO_LARGE:
            raise ValueError
        return int(index), int(label), counts
    except (ValueError, TypeError):
        raise InvalidInput(
            f"{path} line {number} must hold an index, a label and a list of counts, separated by "
            f"tabs, got {line!r:.60}"
        ) from None
