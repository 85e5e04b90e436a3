"""Which draws fill which rows."""

from hypothesis import given
from hypothesis import strategies as st

from simplicert.sampling.loop import chunk_slices, pack_batches


@given(st.integers(1, 5), st.integers(0, 200), st.integers(1, 200), st.sampled_from([1, 7, 64]))
def test_pieces_cover_each_draw_once(slots, first, more, chunk):
    found = [
        (slot, number * chunk + row)
        for slot, number, rows in chunk_slices(slots, first, first + more, chunk)
        for row in range(rows.start, rows.stop)
    ]
    assert found == [(slot, d) for slot in range(slots) for d in range(first, first + more)]


@given(st.integers(1, 6), st.integers(0, 100), st.integers(1, 300), st.booleans())
def test_batches_are_never_too_long_and_keep_the_order(slots, first, more, together):
    work = list(chunk_slices(slots, first, first + more, 8))
    groups = list(pack_batches(iter(work), 16, together))
    assert [piece for group in groups for piece in group] == work
    for group in groups:
        assert 0 < sum(p.rows.stop - p.rows.start for p in group) <= 16
        assert together or len({p.slot for p in group}) == 1


def test_small_inputs_share_a_batch():
    assert len(list(pack_batches(chunk_slices(100, 0, 8, 8), 80, True))) == 10
    assert len(list(pack_batches(chunk_slices(100, 0, 8, 8), 80, False))) == 100
