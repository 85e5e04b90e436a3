"""Find parts that hold the same draws and are not copies of each other.

Of such rows a reader keeps the longest, and of equally long ones the first by the name of its part.
Merging would change the names, so these parts are left alone.
"""

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa

from simplicert.store.parts import SEGMENTS, decode_segments
from simplicert.types import Ints

Row = tuple[Path, int]  # a part, and a row of it


def find_contested_parts(tables: Mapping[Path, pa.Table]) -> set[Path]:
    """Return the parts with a row that shares draws with another row and differs from it."""
    paths = [path for path, table in tables.items() if SEGMENTS in table.column_names]
    if not paths:
        return set()
    rows_of: dict[int, list[Row]] = {item: [] for item in _find_crowded_inputs(tables, paths)}
    for path in paths if rows_of else ():
        for row, item in enumerate(tables[path]["index"].to_pylist()):
            if item in rows_of:
                rows_of[item].append((path, row))
    contested: set[Path] = set()
    for rows in rows_of.values():
        for one, other in combinations(rows, 2):
            if _differ(tables, one, other):
                contested |= {one[0], other[0]}
    return contested


def _find_crowded_inputs(tables: Mapping[Path, pa.Table], paths: list[Path]) -> list[int]:
    """Return the inputs of which two rows share a draw."""
    spans = np.concatenate([_spans(tables[path]) for path in paths])
    spans = spans[np.lexsort(spans.T[2::-1])]  # by input, seed and first draw
    same = (spans[1:, :2] == spans[:-1, :2]).all(axis=1)
    crowded: list[int] = np.unique(spans[1:][same & (spans[1:, 2] < spans[:-1, 3]), 0]).tolist()
    return crowded


def _spans(table: pa.Table) -> Ints:
    return decode_segments(table, np.asarray(table["index"].to_numpy(), dtype=np.int64))


def _differ(tables: Mapping[Path, pa.Table], one: Row, other: Row) -> bool:
    """Tell whether two rows of an input share a draw and are not the same row."""
    rows = [tables[path].slice(row, 1).combine_chunks() for path, row in (one, other)]
    if rows[0].equals(rows[1]):
        return False
    spans = [_spans(row) for row in rows]
    return any(
        a[1] == b[1] and a[2] < b[3] and b[2] < a[3]
        for a in spans[0].tolist()
        for b in spans[1].tolist()
    )
