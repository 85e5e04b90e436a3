"""Parts are joined to one tally, where they belong together."""

import numpy as np
import pytest
from counting import CountedNumber, count_comparisons

import simplicert as sc
from simplicert.store.collect import _select_distinct_rows, join_tallies


@pytest.mark.parametrize("count", [2, 3])
def test_a_first_part_of_another_sigma_is_refused(count):
    parts = [sc.Tally([[3, 1]], 0.5, index=[number]) for number in range(count)]
    assert join_tallies(parts).inputs.tolist() == list(range(count))
    parts[0] = sc.Tally([[3, 1]], 0.25, index=[0])
    with pytest.raises(sc.IncompatibleTallies, match="sigma"):
        join_tallies(parts)


def test_the_work_grows_like_the_number_of_spans():
    """Two rows of interleaved spans of one draw each, and as many rows of one span each."""
    many = 1000
    spans = [tuple(map(CountedNumber, (7, draw, draw + 1))) for draw in range(2 * many)]
    two = [tuple(spans[::2]), tuple(spans[1::2])]
    for rows in (two, [(span,) for span in spans]):
        index = np.zeros(len(rows), np.int64)
        keep = list(range(len(rows)))
        assert _select_distinct_rows(index, rows, {}, random=False) == keep
        work = count_comparisons(_select_distinct_rows, index, rows, {}, False)
        assert 0 < work < 400 * many


def drawn(counts, first, stop):
    return sc.Tally([counts], 0.5, index=[0], segments=[(0, 7, first, stop)])


@pytest.mark.parametrize("turn", [1, -1])
def test_of_parts_that_share_draws_the_one_with_most_counts(turn):
    """Whatever order they are read in; the rest of the smaller one is drawn again."""
    parts = [drawn([60, 40], 0, 100), drawn([40, 20], 60, 120), drawn([5, 5], 120, 130)]
    tally = join_tallies(parts[::turn], random=True)
    assert tally.counts.tolist() == [[65, 45]]


def test_the_same_draws_with_other_counts_are_refused_unless_the_model_is_random():
    parts = [drawn([60, 40], 0, 100), drawn([61, 39], 0, 100)]
    with pytest.raises(sc.DamagedRun, match="hold the same draws of input 0"):
        join_tallies(parts)
    assert join_tallies(parts, random=True).counts.sum() == 100
