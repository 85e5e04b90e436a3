"""Read a table of class counts as a tally: text with one row per input, or an npz file.

In text, a row holds K counts and the label last, or an index, a label and a list of counts.
"""

from pathlib import Path
from typing import Any

import numpy as np

from simplicert.data.arrays import read_arrays
from simplicert.errors import require
from simplicert.files import MOST_LOG, read_file
from simplicert.logs.count_lists import CountTable, holds_lists, read_count_lists
from simplicert.logs.count_table import read_count_table
from simplicert.types import Ints, Tally

# Arrays of an npz file: the names of Tally's fields.
FIELDS = (
    "counts",
    "labels",
    "index",
    "invalid",
    "softmax_sums",
    "softmax_squares",
    "votes",
    "votes_invalid",
    "pilot",
)


def read_counts(
    path: Path, sigma: float, *, labelled: bool = True, pilot: Path | None = None
) -> Tally:
    """Read a tally from a file; `pilot` is a second table of separate draws, for scheme "split"."""
    if path.suffix == ".npz":
        require(pilot is None, f"pilot must be an array of {path.name} itself, got {pilot}")
        return Tally(**_read_npz_fields(path), sigma=sigma)
    require(
        path.suffix != ".npy",
        f"file must be text or npz, got {str(path)!r}: "
        "save it by np.savez('counts.npz', counts=..., labels=...)",
    )
    table = _read_count_rows(path, labelled)
    if pilot is None:
        return Tally(table.counts, sigma, table.labels, table.index, table.invalid)
    require(
        read_file(pilot, MOST_LOG) != read_file(path, MOST_LOG),
        f"pilot must hold separate draws, and {pilot} is the table of counts itself",
    )
    other = _read_count_rows(pilot, labelled)
    require(
        other.counts.shape == table.counts.shape
        and _columns_agree(other.labels, table.labels)
        and _columns_agree(other.index, table.index),
        f"pilot must hold the same inputs, labels and classes as {path}, got {pilot}",
    )
    return Tally(table.counts, sigma, table.labels, table.index, table.invalid, pilot=other.counts)


def _read_count_rows(path: Path, labelled: bool) -> CountTable:
    """Read the rows of a text file in either form."""
    if holds_lists(path):
        return read_count_lists(path, labelled)
    return read_count_table(path, labelled)


def _columns_agree(left: Ints | None, right: Ints | None) -> bool:
    """Tell whether two columns agree; a missing column contradicts nothing."""
    return left is None or right is None or np.array_equal(left, right)


def _read_npz_fields(path: Path) -> dict[str, Any]:
    """Read the arrays of an npz file by the names of Tally's fields, without unpickling."""
    arrays = read_arrays(path, FIELDS)
    require("counts" in arrays, f"{path} must hold an array 'counts', got {sorted(arrays)}")
    return arrays
