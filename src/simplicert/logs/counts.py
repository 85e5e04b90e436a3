"""Read a table of class counts as a tally: text with one row per input, or an npz file.

In text, a row holds K counts and the label last, or an index, a label and a list of counts.
"""

from dataclasses import replace
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
    path: Path,
    sigma: float,
    *,
    labelled: bool = True,
    pilot: Path | None = None,
    start: int | None = None,
    step: int | None = None,
) -> Tally:
    """Read a tally from a file; `pilot` is a second table of separate draws, for scheme "split".

    `start` and `step` say which inputs the rows are, where the file has no index.
    """
    require(start is None or start >= 0, f"start must be at least 0, got {start}")
    require(step is None or step >= 1, f"step must be at least 1, got {step}")
    asked = start is not None or step is not None
    if path.suffix == ".npz":
        require(pilot is None, f"pilot must be an array of {path.name} itself, got {pilot}")
        fields = _read_npz_fields(path)
        _refuse_second_index(path, asked and "index" in fields)
        if asked:
            fields["index"] = _number_rows(len(fields["counts"]), start, step)
        return Tally(**fields, sigma=sigma)
    require(
        path.suffix != ".npy",
        f"file must be text or npz, got {str(path)!r}: "
        "save it by np.savez('counts.npz', counts=..., labels=...)",
    )
    table = _read_count_rows(path, labelled)
    _refuse_second_index(path, asked and table.index is not None)
    if asked:
        table = replace(table, index=_number_rows(len(table.counts), start, step))
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
        and (asked or _columns_agree(other.index, table.index)),
        f"pilot must hold the same inputs, labels and classes as {path}, got {pilot}",
    )
    return Tally(table.counts, sigma, table.labels, table.index, table.invalid, pilot=other.counts)


def holds_index(path: Path) -> bool:
    """Tell whether a table of counts says itself which inputs its rows are."""
    if path.suffix == ".npz":
        return "index" in _read_npz_fields(path)
    return holds_lists(path)


def _number_rows(rows: int, start: int | None, step: int | None) -> Ints:
    """Return the numbers of the inputs: start, start + step, ..."""
    return np.asarray((start or 0) + (step or 1) * np.arange(rows))


def _refuse_second_index(path: Path, twice: bool) -> None:
    """Refuse start and step for a file with an index of its own."""
    require(not twice, f"start and step must be left out: {path} numbers its inputs itself")


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
