"""Read Parquet files that somebody else may have made, without running out of memory.

Equal values take almost no space in a file: one megabyte may hold a billion rows. So the rows, the
values of each column and the sizes of its pages are added up before memory is allocated. This
includes the headers of the pages, because the Parquet reader allocates by them and not by the table
of contents.
"""

from collections.abc import Callable
from io import SEEK_END, BytesIO
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from simplicert.errors import DamagedRun, InvalidInput
from simplicert.machine import refuse_huge_unpacking

MOST_FILE = 2**31  # bytes of one file
MOST_COLUMNS = 200
MOST_CONTENTS = 2**24  # bytes of a text in the table of contents, and entries of a list in it
VALUE = 16  # bytes of a value in memory, with its position in a list
LISTS = 1  # levels of lists: a list holds numbers, not lists
TEXT = "BYTE_ARRAY"  # how Parquet stores texts
DEEPEST = 8  # levels of nested structures in a page's header
LONGEST, CONTINUATION_BIT = 10, 128  # bytes of a number; the bit that announces another byte

# Numbers of the fields in a page's header.
UNPACKED_SIZE, PACKED_SIZE, DATA, DATA_2 = 2, 3, 5, 8

# Types of Thrift's compact protocol.
TRUE, FALSE, BYTE, DOUBLE, BINARY, STRUCT = 1, 2, 3, 7, 8, 12

INTEGERS = (4, 5, 6)


def read_parquet(
    content: bytes, most_rows: int, *, texts: bool = False, most_columns: int = MOST_COLUMNS
) -> pa.Table:
    """Read a table of at most `most_rows` rows, of integers alone unless `texts` is true."""
    source = BytesIO(content)
    with _open_table(source, most_columns) as file:
        _check_contents(source, file.metadata, most_rows, None, texts)
        table = file.read(use_threads=False)
        return _decode_dictionaries(len(content), table) if texts else table


def read_column(source: IO[bytes], most_rows: int, name: str) -> pa.ChunkedArray:
    """Read one column of integers; nothing else is read but the table of contents."""
    with _open_table(source) as file:
        _check_contents(source, file.metadata, most_rows, name, texts=False)
        return file.read(columns=[name], use_threads=False)[name]


def read_metadata(source: IO[bytes]) -> dict[bytes, bytes]:
    """Read what a table says about itself besides its columns."""
    with _open_table(source) as file:
        return file.schema_arrow.metadata or {}


class GroupReader:
    """A Parquet file of which one column of one group of rows is read at a time.

    Columns may hold anything; texts stay in dictionaries, each once. The file is opened for each
    reading, so that several threads may read; its table of contents is read once.
    """

    def __init__(self, opener: Callable[[], IO[bytes]]) -> None:
        """Read the table of contents."""
        self._opener = opener
        with opener() as source, _open_table(source) as file:
            self._contents = file.metadata
            self.names = [str(name) for name in file.schema_arrow.names]
        groups = range(self._contents.num_row_groups)
        self.rows = [self._contents.row_group(number).num_rows for number in groups]

    def read(self, number: int, name: str) -> pa.ChunkedArray:
        """Read one column of a group, after its pages have been added up."""
        group = self._contents.row_group(number)
        columns = [group.column(place) for place in range(group.num_columns)]
        columns = [one for one in columns if one.path_in_schema.split(".")[0] == name]
        texts = [one.path_in_schema for one in columns if one.physical_type == TEXT]
        with self._opener() as source:
            held, needed = source.seek(0, SEEK_END), 0
            for column in columns:
                values, unpacked = announced_sizes(source, held, column)
                needed += VALUE * max(values, column.num_values) + unpacked
            try:
                refuse_huge_unpacking("it", held, needed)
            except InvalidInput as error:
                raise DamagedRun(str(error)) from None
            with pq.ParquetFile(source, metadata=self._contents, read_dictionary=texts) as file:
                return file.read_row_group(number, columns=[name], use_threads=False)[name]


def _open_table(source: IO[bytes], most_columns: int = MOST_COLUMNS) -> pq.ParquetFile:
    """Open the file and read its table of contents; texts stay in dictionaries, each once."""
    limits = {
        "thrift_string_size_limit": MOST_CONTENTS,
        "thrift_container_size_limit": MOST_CONTENTS,
    }
    file = pq.ParquetFile(source, **limits)
    if file.metadata.num_columns > most_columns:
        raise DamagedRun(f"it has {file.metadata.num_columns} columns, more than {most_columns}")
    columns = [file.schema.column(place) for place in range(file.metadata.num_columns)]
    if any(column.max_repetition_level > LISTS for column in columns):
        raise DamagedRun("its columns hold lists of lists")
    names = [column.path for column in columns if column.physical_type == TEXT]
    return pq.ParquetFile(source, read_dictionary=names, **limits) if names else file


def _check_contents(
    source: IO[bytes], metadata: pq.FileMetaData, most_rows: int, name: str | None, texts: bool
) -> None:
    """Refuse too many rows, and values (of one column, if named) that would fill the memory."""
    if metadata.num_rows > most_rows:
        raise DamagedRun(
            f"it has {metadata.num_rows:,} rows, and at most {most_rows:,} belong there"
        )
    held, needed, packed, rows = source.seek(0, SEEK_END), 0, 0, 0
    for group in (metadata.row_group(number) for number in range(metadata.num_row_groups)):
        rows += group.num_rows
        for column in (group.column(place) for place in range(metadata.num_columns)):
            packed += column.total_compressed_size
            if not texts and column.physical_type not in ("INT32", "INT64"):
                raise DamagedRun(f"column {column.path_in_schema} must hold integers")
            if name in (None, column.path_in_schema):
                values, unpacked = announced_sizes(source, held, column)
                needed += VALUE * max(values, column.num_values) + unpacked
    if rows != metadata.num_rows or packed > held:
        raise DamagedRun("its table of contents contradicts itself")
    try:
        refuse_huge_unpacking("it", held, needed)
    except InvalidInput as error:
        raise DamagedRun(str(error)) from None


def _decode_dictionaries(packed: int, table: pa.Table) -> pa.Table:
    """Write out texts after adding up their lengths: a dictionary may repeat a long one."""
    for place, name in enumerate(table.column_names):
        column = table[place]
        if not pa.types.is_dictionary(column.type):
            continue
        total = 0
        for chunk in column.chunks:
            lengths = pc.binary_length(chunk.dictionary).cast(pa.int64())
            total += pc.sum(lengths.take(chunk.indices)).as_py() or 0
        try:
            refuse_huge_unpacking(f"column {name}", packed, total)
        except InvalidInput as error:
            raise DamagedRun(str(error)) from None
        table = table.set_column(place, name, column.cast(column.type.value_type))
    return table


def announced_sizes(
    source: IO[bytes], held: int, column: pq.ColumnChunkMetaData
) -> tuple[int, int]:
    """Add up the values and the unpacked bytes that the pages of one column announce."""
    start = column.data_page_offset
    if column.has_dictionary_page and 0 < (column.dictionary_page_offset or 0) < start:
        start = column.dictionary_page_offset
    length = column.total_compressed_size
    if not 0 <= start <= start + length <= held:
        raise DamagedRun(f"column {column.path_in_schema} lies outside of the file")
    source.seek(start)
    pages, at, values, unpacked = source.read(length), 0, 0, 0
    while at < length:
        try:
            header, at = _read_thrift_struct(pages, at)
            inner = {**header.get(DATA, {}), **header.get(DATA_2, {})}.get(1, 0)
            sizes = inner, header[UNPACKED_SIZE], header[PACKED_SIZE]
            if min(sizes) < 0:
                raise IndexError(at)
        except (LookupError, TypeError):
            raise DamagedRun(f"a page of column {column.path_in_schema} has no header") from None
        values, unpacked, at = values + sizes[0], unpacked + sizes[1], at + sizes[2]
    return values, unpacked


def _read_thrift_struct(pages: bytes, at: int, depth: int = 0) -> tuple[dict[int, Any], int]:
    """Read a structure of Thrift's compact protocol, by field numbers, and return where it ends.

    A structure that is cut short or nests too deep is a LookupError.
    """
    held: dict[int, Any] = {}
    number = 0
    while pages[at]:
        step, kind = pages[at] >> 4, pages[at] & 15
        number, at = (number + step, at + 1) if step else _read_thrift_integer(pages, at + 1)
        held[number], at = _read_thrift_value(pages, at, kind, depth)
    return held, at + 1


def _read_thrift_value(pages: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
    """Read one value of a header; texts are skipped, and lists do not occur."""
    if kind in (TRUE, FALSE):
        return kind == TRUE, at
    if kind in INTEGERS:
        return _read_thrift_integer(pages, at)
    if kind == STRUCT and depth < DEEPEST:
        return _read_thrift_struct(pages, at, depth + 1)
    if kind == BINARY:
        length, at = _read_varint(pages, at)
        return None, at + length
    return None, at + {BYTE: 1, DOUBLE: 8}[kind]


def _read_thrift_integer(pages: bytes, at: int) -> tuple[int, int]:
    """Read a signed number: even codes are positive, odd ones negative."""
    value, at = _read_varint(pages, at)
    return (value >> 1) ^ -(value & 1), at


def _read_varint(pages: bytes, at: int) -> tuple[int, int]:
    """Read seven bits per byte, lowest first; the last byte has no eighth bit."""
    value = 0
    for place in range(LONGEST):
        value |= (pages[at + place] & 127) << 7 * place
        if pages[at + place] < CONTINUATION_BIT:
            return value, at + place + 1
    raise IndexError(at)
