"""Write and read the parts of a run: immutable Parquet files that each hold a tally.

A part has one row per input and is named by its own checksum. Class vectors are stored sparse, as
two lists (classes and values) without zeros: a thousand classes of which five were ever seen take
the space of five. `write_part` and `read_part` handle one part, and `build_tallies` joins many.
"""

import errno
import json
from collections.abc import Iterable, Sequence, Set
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from simplicert.errors import DamagedRun, SimplicertError, require
from simplicert.files import (
    content_checksum,
    open_file,
    parse_json,
    read_run_file,
    write_atomically,
)
from simplicert.parquet import MOST_FILE, read_column, read_metadata, read_parquet
from simplicert.store.identity import find_strange_setting, run_identity
from simplicert.store.layers import find_layers
from simplicert.store.manifest import Manifest
from simplicert.types import Ints, Tally
from simplicert.types.arrays import find_rows

SINGLE = ("labels", "invalid", "votes_invalid")  # one number per input
VECTORS = ("counts", "softmax_sums", "softmax_squares", "votes", "pilot")  # one number per class
SMALL = ("leaders", "softmax_classes", "softmax_rest")  # a few numbers per input
SEGMENTS = "segments"
SECONDS = b"seconds"
MOST_SECONDS = 1e9  # that one part may have taken, about thirty years
MERGED = b"merged"  # in a merged part: the parts that it was made of, with the seconds of each

# What reading raises if a table has other columns or types than ours.
UNREADABLE = (KeyError, ValueError, TypeError, AttributeError, IndexError, SimplicertError)


class VanishedPart(DamagedRun):
    """A part that was listed and is not there any more: it was merged, set aside or lost."""


class PartRecord(NamedTuple):
    """A part as it was read: its rows, and the drawn parts that they come from."""

    table: pa.Table
    origins: dict[str, float]  # name without suffix -> seconds; of a drawn part, itself


def write_part(folder: Path, tally: Tally, manifest: Manifest, seconds: float = 0.0) -> Path:
    """Write the tally as one part of this run, with the seconds it took to draw."""
    name, content = encode_part(tally, manifest, seconds)
    write_atomically(folder / name, content, sweep=False)
    return folder / name


def encode_part(tally: Tally, manifest: Manifest, seconds: float) -> tuple[str, bytes]:
    """Return the name and content of a part."""
    if tally.histograms is not None:
        bins = tally.histograms.shape[2]
        require(
            bins == manifest.bins,
            f"histograms must have the {manifest.bins} bins of run format {manifest.format}, "
            f"got {bins}",
        )
    return _encode_table(_tally_to_table(tally), manifest, seconds, {})


def encode_merged_part(
    table: pa.Table, manifest: Manifest, origins: dict[str, float]
) -> tuple[str, bytes]:
    """Return the name and content of a part with the rows of several, whose names it keeps."""
    record = {MERGED: json.dumps(dict(sorted(origins.items()))).encode()}
    return _encode_table(table, manifest, sum(origins.values()), record)


def _encode_table(
    table: pa.Table, manifest: Manifest, seconds: float, more: dict[bytes, bytes]
) -> tuple[str, bytes]:
    sink = BytesIO()
    metadata = {**run_identity(manifest), SECONDS: f"{seconds:.3f}".encode(), **more}
    pq.write_table(table.replace_schema_metadata(metadata), sink, compression="zstd")
    content = sink.getvalue()
    return part_name(int(_integer_column(table, "index").min()), content), content


def part_name(first: int, content: bytes) -> str:
    """Name a part by its smallest input and its checksum, so that no part has two names."""
    return f"{first:08d}-{content_checksum(content)}.parquet"


def read_part(path: Path, manifest: Manifest, content: bytes | None = None) -> Tally:
    """Read a part and check its checksum; an error names a damaged part.

    `content` is the content of the file, if it was already read.
    """
    return build_tallies([read_part_table(path, manifest, content)], [path], manifest)[0]


def read_part_table(path: Path, manifest: Manifest, content: bytes | None = None) -> pa.Table:
    """Read the table of one part and check its checksum, its run and its name."""
    return read_part_record(path, manifest, content).table


def read_part_record(path: Path, manifest: Manifest, content: bytes | None = None) -> PartRecord:
    """Read one part, with the same checks, and say which drawn parts its rows come from."""
    if content is None:
        content = _read_content(path)
    if content_checksum(content) != path.stem.rpartition("-")[2]:
        raise DamagedRun(f"{path} was altered or truncated: its checksum does not match its name")
    try:
        table = read_parquet(content, manifest.most_rows)
        first = int(_integer_column(table, "index").min())
    except (pa.ArrowException, *UNREADABLE) as error:
        raise DamagedRun(f"{path} does not hold a tally: {error}") from None
    metadata = table.schema.metadata or {}
    if strange := find_strange_setting(metadata, manifest):
        raise DamagedRun(f"{path} belongs to another run: its {strange} is not this run's")
    if path.name != part_name(first, content):
        raise DamagedRun(f"{path} is a copy under another name: its draws would count twice")
    return PartRecord(table.replace_schema_metadata(None), _parse_origins(path, metadata))


def _read_content(path: Path) -> bytes:
    """Read the file of a part; one that is gone has an error of its own."""
    try:
        return read_run_file(path, MOST_FILE)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ESTALE):  # ESTALE is what NFS says of it
            raise VanishedPart(f"{path} is not there any more") from None
        raise


def build_tallies(
    tables: Sequence[pa.Table], paths: Sequence[Path], manifest: Manifest
) -> list[Tally]:
    """Turn checked tables into one tally for each layer, in which no input comes twice."""
    names, rows = set(tables[0].column_names), sum(table.num_rows for table in tables)
    bins = (tables[0]["leaders"].type.list_size + 1) * manifest.bins if "leaders" in names else 0
    manifest.require_room(rows, sum(f"{name}_class" in names for name in VECTORS), bins)
    if len(tables) > 1 and all(table.schema == tables[0].schema for table in tables):
        tables, paths = _join_layers(tables, paths)
    out = []
    for table, path in zip(tables, paths, strict=True):
        try:
            out.append(_table_to_tally(table, manifest))
        except (pa.ArrowException, *UNREADABLE) as error:
            raise DamagedRun(f"{path} does not hold a tally: {error}") from None
    return out


def _join_layers(
    tables: Sequence[pa.Table], paths: Sequence[Path]
) -> tuple[list[pa.Table], list[Path]]:
    """Join the tables of each layer into one; a layer of several parts goes by their folder."""
    layers = find_layers([_integer_column(table, "index") for table in tables])
    joined, places = [], []
    for layer in range(layers.max() + 1):
        mine = np.flatnonzero(layers == layer).tolist()
        alone = len(mine) == 1
        table = pa.concat_tables([tables[k] for k in mine])
        joined.append(table if alone else table.sort_by("index"))
        places.append(paths[mine[0]] if alone else paths[0].parent)
    return joined, places


def may_hold_inputs(path: Path, items: Set[int], manifest: Manifest) -> bool:
    """Tell whether a part may hold any of these inputs; its name only tells the smallest one.

    The file is not checked here, so the answer must never be used to count. If the file cannot be
    read the answer is yes: reading the part then says what is wrong.
    """
    try:
        return not items.isdisjoint(read_inputs(path, manifest))
    except (OSError, DamagedRun):
        return True


def read_inputs(path: Path, manifest: Manifest) -> list[int]:
    """Read the inputs of a part, unchecked, and nothing else of it."""
    try:
        with open_file(path, follow=False) as file:
            inputs: list[int] = read_column(file, manifest.most_rows, "index").to_pylist()
    except FileNotFoundError:
        raise VanishedPart(f"{path} is not there any more") from None
    except (pa.ArrowException, *UNREADABLE) as error:
        raise DamagedRun(f"{path} does not hold a tally: {error}") from None
    return inputs


def read_origins(path: Path) -> dict[str, float]:
    """Read which drawn parts a part holds, by name, and the seconds that each took to draw."""
    try:
        with open_file(path, follow=False) as file:
            metadata = read_metadata(file)
    except FileNotFoundError:
        raise VanishedPart(f"{path} is not there any more") from None
    except (pa.ArrowException, ValueError) as error:
        raise DamagedRun(f"{path} does not say how long it took: {error}") from None
    return _parse_origins(path, metadata)


def read_seconds(path: Path) -> float:
    """Read how many seconds a part took to draw; 0 if it does not say."""
    return sum(read_origins(path).values())


def sum_seconds(held: Iterable[dict[str, float]]) -> float:
    """Add the seconds of drawn parts; one that several parts hold counts once."""
    origins: dict[str, float] = {}
    for mine in held:
        origins |= mine
    return sum(origins[name] for name in sorted(origins))


def _parse_origins(path: Path, metadata: dict[bytes, bytes]) -> dict[str, float]:
    """Read the names and seconds of the parts that were merged, or of the part itself."""
    try:
        if MERGED not in metadata:
            origins: Any = {path.stem: float(metadata.get(SECONDS, 0.0))}
        else:
            origins = parse_json(f"the origin of {path}", metadata[MERGED])
        times = [float(seconds) for seconds in origins.values()]
    except (ValueError, TypeError, AttributeError, OverflowError) as error:
        raise DamagedRun(f"{path} does not say how long it took: {error}") from None
    for seconds in times:
        if not 0 <= seconds < MOST_SECONDS:  # so that sums of them can be shown and written
            raise DamagedRun(f"{path} must have taken 0 to {MOST_SECONDS:,.0f} s, got {seconds}")
    return dict(zip(origins, times, strict=True))


def _tally_to_table(tally: Tally) -> pa.Table:
    """Make a table with one row per input, and columns only for what the tally holds."""
    columns: dict[str, Any] = {"index": tally.inputs}
    for name in SINGLE:
        if getattr(tally, name) is not None:
            columns[name] = getattr(tally, name)
    for name in VECTORS:
        if getattr(tally, name) is not None:
            columns |= _encode_sparse(name, getattr(tally, name))
    for name in SMALL:
        if getattr(tally, name) is not None:
            columns[name] = _encode_fixed_lists(getattr(tally, name))
    if tally.histograms is not None:
        columns |= _encode_sparse("histograms", tally.histograms.reshape(len(tally), -1))
    if tally.segments is not None:
        columns[SEGMENTS] = _encode_segments(tally.segments, tally.inputs)
    return pa.table(columns)


def _table_to_tally(table: pa.Table, manifest: Manifest) -> Tally:
    """Undo `_tally_to_table`; noise, classes and plan are those of the run."""
    held = set(table.column_names)
    fields: dict[str, Any] = {"index": _integer_column(table, "index")}
    for name in SINGLE:
        if name in held:
            fields[name] = _integer_column(table, name)
    for name in VECTORS:
        if f"{name}_class" in held:
            fields[name] = _decode_sparse(table, name, manifest.classes)
    for name in SMALL:
        if name in held:
            flat = table[name].combine_chunks().flatten().to_numpy()
            fields[name] = flat.reshape(table.num_rows, -1)
    if "histograms_class" in held:
        kinds = fields["leaders"].shape[1] + 1
        flat = _decode_sparse(table, "histograms", kinds * manifest.bins)
        fields["histograms"] = flat.reshape(-1, kinds, manifest.bins)
    if SEGMENTS in held:
        fields[SEGMENTS] = decode_segments(table, fields["index"])
    return Tally(**fields, sigma=manifest.sigma, plan=manifest.plan, **manifest.function)


def _encode_sparse(name: str, values: Ints) -> dict[str, pa.ListArray]:
    """Make two list columns: the classes that are not zero, and their values."""
    rows, classes = np.nonzero(values)
    offsets = pa.array(np.searchsorted(rows, np.arange(len(values) + 1)), pa.int32())
    return {
        f"{name}_class": pa.ListArray.from_arrays(offsets, pa.array(classes.astype(np.int32))),
        f"{name}_value": pa.ListArray.from_arrays(offsets, pa.array(values[rows, classes])),
    }


def _decode_sparse(table: pa.Table, name: str, classes: int) -> Ints:
    """Return (N, K) values from the two list columns."""
    at, value = (table[f"{name}_{part}"].combine_chunks() for part in ("class", "value"))
    lengths = at.value_lengths().to_numpy()
    rows = np.repeat(np.arange(len(at)), lengths)
    columns, entries = at.flatten().to_numpy(), value.flatten().to_numpy()
    fits = (
        np.array_equal(lengths, value.value_lengths().to_numpy())
        and columns.dtype.kind == entries.dtype.kind == "i"
        and not ((columns < 0) | (columns >= classes)).any()
    )
    cells = rows * classes + columns if fits else rows
    if not fits or (np.diff(cells) <= 0).any():  # classes are written in order, each once
        raise DamagedRun(f"column {name} does not fit {classes} classes, each named once")
    out = np.zeros((len(at), classes), np.int64)
    out[rows, columns] = entries
    out.setflags(write=False)
    return out


def _encode_fixed_lists(values: Ints) -> pa.FixedSizeListArray:
    """Make a small dense column, with the same number of entries in each row."""
    return pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), values.shape[1])


def _integer_column(table: pa.Table, name: str) -> Ints:
    """Return one integer column as an array."""
    values = table[name].to_numpy()
    if values.dtype.kind != "i":
        raise DamagedRun(f"column {name} must hold integers, got {values.dtype}")
    return np.asarray(values, dtype=np.int64)


def _encode_segments(segments: Ints, index: Ints) -> pa.ListArray:
    """Make, for each input, the flat list seed, first, stop, seed, first, stop, ..."""
    rows = find_rows(segments[:, 0], index)
    order = np.argsort(rows, kind="stable")
    offsets = 3 * np.searchsorted(rows[order], np.arange(len(index) + 1))
    flat = segments[order, 1:].ravel()
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(flat))


def decode_segments(table: pa.Table, index: Ints) -> Ints:
    """Return (M, 4) rows of input, seed, first draw, and one past the last."""
    lists = table[SEGMENTS].combine_chunks()
    triples = lists.flatten().to_numpy().reshape(-1, 3)
    inputs = np.repeat(index, lists.value_lengths().to_numpy() // 3)
    return np.column_stack([inputs, triples])
