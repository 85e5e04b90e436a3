"""Which parts hold rows that share draws and differ: those are not merged."""

from itertools import combinations
from pathlib import Path

import pyarrow as pa
import pytest
from counting import count_calls
from hypothesis import given
from hypothesis import strategies as st

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


def test_equal_rows_are_contested_where_one_of_them_is():
    first, longer = part((0, 7, 0, 100, 60)), part((0, 7, 50, 200, 130))
    apart = part((0, 7, 200, 300, 50))
    assert contested(first, apart, first, longer) == {"part-0", "part-2", "part-3"}


def test_rows_of_other_columns_or_types_are_not_equal():
    row = part((0, 7, 0, 100, 60))
    more = row.append_column("more", pa.array([1]))
    wider = row.set_column(2, "count", pa.array([60], pa.int32()))
    for other in (more, wider, row.rename_columns(["index", "segments", "votes"])):
        assert contested(row, other) == {"part-0", "part-1"}
        assert contested(other, other) == set()


def test_numbers_that_move_from_one_list_to_the_next_make_another_row():
    def lists(one, two):
        row = part((0, 7, 0, 100, 60))
        for name, held in (("one", one), ("two", two)):
            row = row.append_column(name, pa.array([held], pa.list_(pa.int64())))
        return row

    assert contested(lists([1, 2], [3]), lists([1], [2, 3])) == {"part-0", "part-1"}
    assert contested(lists([1, 2], [3]), lists([1, 2], [3])) == set()


@pytest.mark.parametrize("value", [float("nan"), None])
def test_what_is_no_whole_number_is_equal_to_nothing(value):
    row = part((0, 7, 0, 100, 60)).append_column("more", pa.array([value], pa.float64()))
    assert contested(row, row) == {"part-0", "part-1"}
    listed = pa.array([[value]], pa.list_(pa.float64()))
    row = part((0, 7, 0, 100, 60)).append_column("more", listed)
    assert contested(row, row) == {"part-0", "part-1"}


def test_a_missing_number_is_equal_to_nothing():
    for values in (pa.array([None], pa.int64()), pa.array([[1, None]], pa.list_(pa.int64()))):
        row = part((0, 7, 0, 100, 60)).append_column("more", values)
        assert contested(row, row) == {"part-0", "part-1"}


@pytest.mark.parametrize("changed", [0, 1], ids=["equal rows", "other rows"])
def test_the_work_grows_like_the_number_of_parts(changed):
    many = 200
    tables = {
        Path(f"part-{number}"): part((0, 7, 0, 100, 60 + changed * number))
        for number in range(many)
    }
    assert len(find_contested_parts(tables)) == changed * many
    assert count_calls(find_contested_parts, tables) < 300 * many


SPANS = st.tuples(st.integers(7, 8), st.integers(0, 6), st.integers(1, 3)).map(
    lambda span: (span[0], span[1], span[1] + span[2])
)
ROW = st.tuples(SPANS, st.integers(1, 2)).map(lambda row: (*row[0], row[1]))
PARTS = st.lists(st.dictionaries(st.integers(0, 2), ROW, min_size=1), max_size=7)


@given(PARTS)
def test_contested_parts_are_those_of_every_pair_of_rows(parts):
    tables = [part(*((item, *row) for item, row in rows.items())) for rows in parts]
    wanted = set()
    for (one, left), (two, right) in combinations(enumerate(parts), 2):
        for item in left.keys() & right.keys():
            a, b = left[item], right[item]
            if a != b and a[0] == b[0] and a[1] < b[2] and b[1] < a[2]:
                wanted |= {f"part-{one}", f"part-{two}"}
    assert contested(*tables) == wanted
