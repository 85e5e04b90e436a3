"""Join the parts of a run into one tally, counting every draw exactly once.

`join_tallies` adds all parts at once. Two parts that hold the same draws of an input must agree and
count once; of rows whose draws overlap, the longer ones are kept.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from simplicert.errors import DamagedRun, IncompatibleTallies
from simplicert.store.manifest import Manifest
from simplicert.store.parts import PartRecord, build_tallies
from simplicert.store.spans import Span, TakenDraws
from simplicert.types import Ints, Tally
from simplicert.types.merging import (
    COMMON_FIELDS,
    SHARED_FIELDS,
    SUMMED_FIELDS,
    intersect_classes,
    require_compatible,
)


def join_records(records: Mapping[Path, PartRecord], manifest: Manifest) -> Tally:
    """Add the rows of all parts that were read."""
    tables = [record.table for record in records.values()]
    return join_tallies(build_tallies(tables, list(records), manifest), random=manifest.random)


def join_tallies(parts: Sequence[Tally], *, random: bool = False) -> Tally:
    """Add all parts at once; draws of an input that two parts hold count once.

    Two parts hold the same draws if two processes draw the same inputs. Their counts must agree,
    unless the model is random by itself: then those of the first part are kept.
    """
    for part in parts[1:]:
        require_compatible(parts[0], part)
    if len(parts) == 1:
        return parts[0]
    index = np.concatenate([part.inputs for part in parts])
    fields = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in (*SUMMED_FIELDS, *SHARED_FIELDS, *COMMON_FIELDS)
        if getattr(parts[0], name) is not None
    }
    spans = [span for part in parts for span in _spans_by_row(part)]
    keep = _select_distinct_rows(index, spans, fields, random)
    index, fields = index[keep], {name: values[keep] for name, values in fields.items()}
    held = [(index[i], *span) for i, row in enumerate(keep) for span in spans[row]]
    segments = np.array(held, dtype=np.int64).reshape(-1, 4) if held else None
    inputs, places = np.unique(index, return_inverse=True)
    return Tally(
        **_sum_rows(inputs, places, fields, parts[0].classes),
        index=inputs,
        segments=segments,
        sigma=parts[0].sigma,
        plan=parts[0].plan,
        norm=parts[0].norm,
        grid=parts[0].grid,
        reading=parts[0].reading,
        noise=parts[0].noise,
        lipschitz=parts[0].lipschitz,
    )


def _spans_by_row(part: Tally) -> list[tuple[Span, ...]]:
    """Return, for each row of a part, the (seed, first, stop) of the draws it holds."""
    rows: dict[int, list[Span]] = {int(item): [] for item in part.inputs}
    for item, seed, first, stop in () if part.segments is None else part.segments.tolist():
        rows[item].append((seed, first, stop))
    return [tuple(rows[int(item)]) for item in part.inputs]


def _select_distinct_rows(
    index: Ints, spans: list[tuple[Span, ...]], fields: dict[str, Ints], random: bool
) -> list[int]:
    """Choose the rows to keep: no draw of an input twice, and as many draws as possible.

    Rows with the same draws must agree. Of rows whose draws overlap otherwise (one process went on
    drawing after another had extended the run) the longer ones are kept.
    """
    rows_of: dict[int, list[int]] = {}
    for row, item in enumerate(index.tolist()):
        rows_of.setdefault(item, []).append(row)
    keep: list[int] = []
    for item, rows in rows_of.items():
        if len(rows) == 1:
            keep += rows
            continue
        taken = TakenDraws()
        kept: dict[tuple[Span, ...], int] = {}  # by its draws: no two share any
        for row in sorted(rows, key=lambda r: (-_count_draws(spans[r]), r)):
            if not taken.share_draws(spans[row]):
                taken.add(spans[row])
                kept[spans[row]] = row
                keep.append(row)
            elif not random and spans[row] in kept and _rows_differ(fields, kept[spans[row]], row):
                raise DamagedRun(f"two parts hold the same draws of input {item} and disagree")
    return sorted(keep)


def _rows_differ(fields: dict[str, Ints], one: int, other: int) -> bool:
    """Tell whether two rows differ in any field."""
    return any((values[one] != values[other]).any() for values in fields.values())


def _count_draws(spans: tuple[Span, ...]) -> int:
    """Count the draws of one row."""
    return sum(stop - first for _, first, stop in spans)


def _sum_rows(inputs: Ints, places: Ints, fields: dict[str, Ints], classes: int) -> dict[str, Ints]:
    """Add the rows of the same input; fields that are not sums must agree."""
    out: dict[str, Ints] = {}
    for name, values in fields.items():
        shape = (len(inputs), *values.shape[1:])
        if name in SUMMED_FIELDS and len(inputs) < len(places):
            out[name] = np.zeros(shape, np.int64)
            np.add.at(out[name], places, values)
        elif name in COMMON_FIELDS:
            out[name] = intersect_classes(places, values, len(inputs), classes)
        else:
            out[name] = np.empty(shape, np.int64)
            out[name][places] = values
            if (out[name][places] != values).any():
                raise IncompatibleTallies(f"the parts disagree about the {name} of an input")
    return out
