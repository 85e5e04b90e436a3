"""Which parts hold rows that share draws and differ: those are not merged."""

from pathlib import Path

import pyarrow as pa

from simplicert.store.overlaps import find_contested_parts


def part(*rows):
    """A part of rows (input, seed, first draw, one past the last, count)."""
    lists = pa.array(
        [[seed, first, stop] for _, seed, first, stop, _ in rows], pa.list_(pa.int64())
    )
    return pa.table(
        {"index": [row[0] for row in rows], "segments": lists, "count": [row[-1] for row in rows]}
    )


def contested(*parts):
    paths = {Path(f"part-{number}"): table for number, table in enumerate(parts)}
    return {path.name for path in find_contested_parts(paths)}


def test_rows_that_share_draws_and_differ():
    first, longer = part((0, 7, 0, 100, 60)), part((0, 7, 0, 200, 130))
    assert contested(first, longer) == {"part-0", "part-1"}
    assert contested(first, first) == set()  # the same row, drawn twice
    assert contested(first, part((0, 8, 0, 200, 130))) == set()  # other draws
    assert contested(first, part((1, 7, 0, 200, 130))) == set()  # another input
    assert contested(pa.table({"index": [0]})) == set()


def test_rows_that_only_touch_share_no_draw():
    """Beside two rows that do: the part after them, and the one before, may be merged."""
    first, longer = part((0, 7, 100, 200, 60)), part((0, 7, 100, 300, 130))
    after, before = part((0, 7, 300, 400, 50)), part((0, 7, 0, 100, 50))
    assert contested(first, longer, after, before) == {"part-0", "part-1"}
    assert contested(before, after, longer, first) == {"part-2", "part-3"}
