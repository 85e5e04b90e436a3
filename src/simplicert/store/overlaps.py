"""Find parts that hold the same draws and are not copies of each other.

Of such rows a reader keeps the longest, and of equally long ones the first by the name of its part.
Merging would change the names, so these parts are left alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from simplicert.store.parts import SEGMENTS, decode_segments
from simplicert.store.spans import Span, find_shared_spans
from simplicert.types import Ints


class DistinctRow(NamedTuple):
    """A row of one input, however many parts hold it."""

    spans: list[Span]
    holders: list[Path]


def find_contested_parts(tables: Mapping[Path, pa.Table]) -> set[Path]:
    """Return the parts with a row that shares draws with another row and differs from it.

    Equal rows are found by their checksums, so only one of them is compared with others.
    """
    paths = [path for path, table in tables.items() if SEGMENTS in table.column_names]
    if not paths:
        return set()
    rows_of: dict[int, dict[bytes, DistinctRow]]
    rows_of = {item: {} for item in _find_crowded_inputs(tables, paths)}
    for path in paths if rows_of else ():
        inputs = tables[path]["index"].to_pylist()
        places = [row for row, item in enumerate(inputs) if item in rows_of]
        table = tables[path].take(pa.array(places, pa.int64())).combine_chunks()
        for place, name, spans in zip(
            places, _hash_rows(table, path), _list_spans(table), strict=True
        ):
            rows_of[inputs[place]].setdefault(name, DistinctRow(spans, [])).holders.append(path)
    contested: set[Path] = set()
    for rows in rows_of.values():
        for row in _find_contested_rows(list(rows.values())):
            contested.update(row.holders)
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


def _find_contested_rows(rows: Sequence[DistinctRow]) -> list[DistinctRow]:
    """Return the rows of an input, none equal to another, that share a draw with another."""
    spans = [span for row in rows for span in row.spans]
    owners = [number for number, row in enumerate(rows) for _ in row.spans]
    return [rows[number] for number in find_shared_spans(spans, owners)]


def _list_spans(table: pa.Table) -> list[list[Span]]:
    """Return the (seed, first draw, one past the last) of each row."""
    lists = table[SEGMENTS].to_pylist()
    return [list(zip(flat[::3], flat[1::3], flat[2::3], strict=True)) for flat in lists]


def _hash_rows(table: pa.Table, path: Path) -> list[bytes]:
    """Return a checksum of each row: rows are equal in every column where these are equal.

    Simplicert writes whole numbers and lists of them. A row with anything else in it counts as
    equal to no other: it may hold NaN, which does not even equal itself.
    """
    if not all(_holds_integers(column) for column in table.columns):
        return [sha256(f"{path} {row}".encode()).digest() for row in range(table.num_rows)]
    columns = [(field.name, str(field.type), field.nullable) for field in table.schema]
    head = sha256(repr(columns).encode())
    hashes = [head.copy() for _ in range(table.num_rows)]
    for column in table.columns:
        for one, cell in zip(hashes, _write_cells(column.combine_chunks()), strict=True):
            one.update(cell)
    return [one.digest() for one in hashes]


def _holds_integers(column: pa.ChunkedArray) -> bool:
    """Tell whether a column holds whole numbers, or lists of them, and none is missing."""
    listed = pa.types.is_list(column.type) or pa.types.is_fixed_size_list(column.type)
    if not pa.types.is_integer(column.type.value_type if listed else column.type):
        return False
    flat = column.combine_chunks().flatten() if listed else column
    return bool(column.null_count == flat.null_count == 0)


def _write_cells(column: pa.Array) -> Iterator[bytes]:
    """Write each cell as bytes, a list with its length before it."""
    if pa.types.is_integer(column.type):
        lengths, flat = np.ones(len(column), np.int64), column.to_numpy()
    else:
        lengths, flat = column.value_lengths().to_numpy(), column.flatten().to_numpy()
    content, ends = flat.tobytes(), np.cumsum(lengths) * flat.itemsize
    start = 0
    for length, end in zip(lengths.tolist(), ends.tolist(), strict=True):
        yield length.to_bytes(8, "little") + content[start:end]
        start = end
