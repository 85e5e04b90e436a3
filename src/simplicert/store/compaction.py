"""Merge the small parts of a run into few large ones, while others read and write it.

A merged part is a part like any other, with the rows of many, and keeps their names, which hold
their checksums. Rows are not changed or added up. A row says which draws of which input it counts,
and a reader counts each draw once whoever holds it, so a part beside the merged part that holds it
changes nothing. What follows from that is in docs/faults.md:

1. the merged part is written under a temporary name, flushed, renamed, and its folder flushed;
2. it is read back, and every row of the parts that it was made of is found in it;
3. these parts are removed, one by one.
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from simplicert.errors import DamagedRun, require
from simplicert.files import make_folder, sync_folder
from simplicert.store.collect import join_records
from simplicert.store.keeping import keep_part
from simplicert.store.layers import pack_layers
from simplicert.store.listing import Watch, list_parts, read_settled, watch_nothing
from simplicert.store.manifest import Manifest, read_manifest
from simplicert.store.overlaps import find_contested_parts
from simplicert.store.parts import (
    SEGMENTS,
    PartRecord,
    VanishedPart,
    build_tallies,
    encode_merged_part,
    read_inputs,
    read_part_record,
)
from simplicert.store.run import PARTS, Run, hold_tally, read_records
from simplicert.store.seals import SEAL
from simplicert.temporary import remove_stale_files
from simplicert.types import Ints

MOST_BYTES = 2**25  # bytes of the files that become one

MOST_UNPACKED = 2**28  # bytes of their tables in memory

MANY = 32  # parts of a complete run from which on they are merged by themselves


@dataclass(frozen=True)
class Compaction:
    """What a compaction did.

    >>> Compaction(before=500, after=1, removed=500, written=1).after
    1
    """

    before: int  # parts
    after: int
    removed: int  # by this process
    written: int  # merged parts


def compact_run(folder: Path | str, watch: Watch = watch_nothing) -> Compaction:
    """Merge the small parts of a run; what it holds, and counts, stays the same.

    Parts of at most half of 32 MiB are merged into parts of at most 32 MiB. Left alone are parts
    that do not say which draws they hold, and parts whose draws another part counts otherwise.
    Other processes may read, draw and merge meanwhile. A killed process loses nothing; give the
    command again. `watch` counts the parts that are read.

    >>> import tempfile
    >>> from simplicert import Manifest, Tally, create_run
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     settings = Manifest(sigma=0.5, inputs=1, classes=3)
    ...     _ = create_run(f"{folder}/run", settings, Tally([[990, 8, 2]], sigma=0.5))
    ...     compact_run(f"{folder}/run")
    Compaction(before=1, after=1, removed=0, written=0)
    """
    folder = Path(folder)
    run = Run(folder, read_manifest(folder))
    require(
        "holds" not in run.manifest.source,
        f"run must be one of tallies, and {folder} is a log that was imported: it has no parts",
    )
    require(
        not os.path.lexists(folder / SEAL),
        f"run must not be sealed, and {folder} is, as these parts: take {SEAL} away, and seal it "
        "again when its parts are merged",
    )
    records = read_records(run, watch)
    if records:
        _require_tallies(records, run.manifest)
    return _merge_records(run, records)


def compact_if_complete(folder: Path, watch: Watch = watch_nothing) -> Compaction | None:
    """Merge the parts of a run that has many and needs no more draws; None if it was left alone.

    Each part is read twice, first to see which inputs it holds; `watch` counts both readings.
    """
    run = Run(folder, read_manifest(folder))
    sealed = os.path.lexists(folder / SEAL)
    if sealed or len(run.paths()) < MANY or _count_inputs(run, watch) < run.manifest.inputs:
        return None
    records = read_records(run, lambda done, count: watch(count + done, 2 * count))
    hold_tally(run, join_records(records, run.manifest))
    return None if run.missing else _merge_records(run, records)


def _count_inputs(run: Run, watch: Watch) -> int:
    """Count the inputs of which there is any draw; of each part only its index is read."""
    held = read_settled(
        run.paths,
        lambda path: read_inputs(path, run.manifest),
        lambda done, count: watch(done, 2 * count),
    )
    return len(set().union(*held.values()))


def _require_tallies(records: Mapping[Path, PartRecord], manifest: Manifest) -> None:
    """Refuse a part that holds no tally: the draws that it is merged with could not be read."""
    try:
        build_tallies([record.table for record in records.values()], list(records), manifest)
    except DamagedRun:
        for path, record in records.items():  # which of them?
            build_tallies([record.table], [path], manifest)
        raise


def _merge_records(run: Run, records: dict[Path, PartRecord]) -> Compaction:
    """Merge what was read, and remove what a merged part holds."""
    parts = make_folder(run.folder / PARTS)  # refuses a link: nothing is removed elsewhere
    remove_stale_files(parts)
    removed = _remove_leftovers(records)
    left = {path: record for path, record in records.items() if path not in removed}
    written = 0
    for group in plan_merging(left, run.manifest):
        merged = _write_merged(parts, {path: left[path] for path in group}, run.manifest)
        if merged is not None:
            removed |= _remove_held(merged, {path: left[path] for path in group})
            written += 1
    return Compaction(len(records), len(list_parts(parts)), len(removed), written)


def plan_merging(records: Mapping[Path, PartRecord], manifest: Manifest) -> list[list[Path]]:
    """Choose the parts that become one: small, of one layer, and of the same columns."""
    contested = find_contested_parts({path: record.table for path, record in records.items()})
    groups: list[list[Path]] = []
    small: dict[str, list[Path]] = {}
    for path in sorted(records):
        table = records[path].table
        light = _file_size(path) <= MOST_BYTES // 2 and table.nbytes <= MOST_UNPACKED // 2
        if light and path not in contested and SEGMENTS in table.column_names:
            small.setdefault(str(table.schema), []).append(path)
    for paths in small.values():
        for layer in pack_layers([_inputs(records[path].table) for path in paths]):
            groups += _fill_groups([paths[k] for k in layer], records, manifest.most_rows)
    return [group for group in groups if len(group) > 1]


def _fill_groups(
    paths: Sequence[Path], records: Mapping[Path, PartRecord], most_rows: int
) -> list[list[Path]]:
    """Put parts into groups, one after another, up to the limits of a merged part."""
    limits = np.array([MOST_BYTES, MOST_UNPACKED, most_rows])
    groups: list[list[Path]] = [[]]
    filled = np.zeros(3, np.int64)
    for path in paths:
        table = records[path].table
        size = np.array([_file_size(path), table.nbytes, table.num_rows])
        if groups[-1] and (filled + size > limits).any():
            groups.append([])
            filled[:] = 0
        groups[-1].append(path)
        filled += size
    return groups


def _write_merged(
    parts: Path, records: Mapping[Path, PartRecord], manifest: Manifest
) -> tuple[Path, PartRecord] | None:
    """Write one merged part durably and read it back; None if it could not be read again.

    It may be gone already, if another process has merged it into a larger one.
    """
    table = pa.concat_tables([record.table for record in records.values()]).sort_by("index")
    origins = {name: s for record in records.values() for name, s in record.origins.items()}
    name, content = encode_merged_part(table, manifest, origins)
    try:
        read_part_record(parts / name, manifest, content)
    except DamagedRun:  # such as too much for the memory
        return None
    written = max((_file_time(path) for path in records), default=0.0)
    keep_part(parts.parent, manifest, name, content)
    with suppress(OSError):  # for `status`: when the last draws were kept
        os.utime(parts / name, (written, written))
    with suppress(VanishedPart):
        return parts / name, read_part_record(parts / name, manifest)
    return None


def _remove_held(merged: tuple[Path, PartRecord], records: Mapping[Path, PartRecord]) -> set[Path]:
    """Remove the parts whose every row is found in the merged part; return those it removed."""
    path, record = merged
    if path not in list_parts(path.parent):  # not yet shown to others: leave everything
        return set()
    sync_folder(path.parent)  # another process may have renamed it and not come to that
    places = _rows_by_input(record.table)
    gone = {old for old in records if old != path and _holds_rows(record, places, records[old])}
    for old in sorted(gone):
        old.unlink(missing_ok=True)
    sync_folder(path.parent)
    return gone


def _remove_leftovers(records: Mapping[Path, PartRecord]) -> set[Path]:
    """Remove what an earlier compaction merged and did not come to remove."""
    gone: set[Path] = set()
    merged = [path for path in records if len(records[path].origins) > 1]
    for path in sorted(merged, key=lambda p: (-len(records[p].origins), p.name)):
        mine = [other for other in records if other not in gone and _precedes(path, other, records)]
        if mine and path not in gone:
            gone |= _remove_held((path, records[path]), {other: records[other] for other in mine})
    return gone


def _precedes(path: Path, other: Path, records: Mapping[Path, PartRecord]) -> bool:
    """Tell whether `other` is made of parts that `path` is made of too.

    Of two that are made of the same parts the one whose name comes first stays. So no two parts
    can each be removed because of the other, whoever removes.
    """
    mine, its = records[path].origins.keys(), records[other].origins.keys()
    if other == path or not its <= mine:
        return False
    return len(its) < len(mine) or path.name < other.name


def _holds_rows(whole: PartRecord, places: dict[int, int], part: PartRecord) -> bool:
    """Tell whether every row of a part is found in a merged part, equal in every column."""
    rows = [places.get(item, -1) for item in _inputs(part.table).tolist()]
    if -1 in rows or part.table.schema != whole.table.schema:
        return False
    found = whole.table.take(pa.array(rows, pa.int64())).combine_chunks()
    return bool(found.equals(part.table.combine_chunks()))


def _rows_by_input(table: pa.Table) -> dict[int, int]:
    """Return the row of each input."""
    return {item: row for row, item in enumerate(_inputs(table).tolist())}


def _inputs(table: pa.Table) -> Ints:
    return np.asarray(table["index"].to_numpy(), dtype=np.int64)


def _file_size(path: Path) -> int:
    """Return the bytes of a file; 0 if another process has removed it."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _file_time(path: Path) -> float:
    """Return when a file was written; 0 if another process has removed it."""
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0
