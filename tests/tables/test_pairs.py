"""Two runs paired, as a table: cells, the inputs that changed sides, what is refused."""

import numpy as np
import pytest
from certified import stated

from simplicert.errors import InvalidInput
from simplicert.metrics import pairing
from simplicert.tables import TableOptions, pairs_table

RIGHT = [True] * 12
FIRST = [0.6, 0.3, *[0.0] * 9, 0.2]
SECOND = [0.1, 0.4, *[0.7] * 9, 0.2]


@pytest.fixture
def two(held):
    return [
        held("before", stated(RIGHT, two_sided=FIRST), index=range(100, 112)),
        held("after", stated(RIGHT, two_sided=SECOND), 1.0, index=range(100, 112)),
    ]


def test_every_cell_by_hand(two):
    grid = pairs_table(two, TableOptions(radii=(0.0, 0.5, 1.0)))
    assert grid.headings[1:3] == ("before", "after")
    # at 0: nine gained, none lost, p = 2 / 2^9; at 0.5: one lost, p = 2 (1 + 10) / 2^10
    assert grid.rows[:3] == [
        ("r > 0", "25.0", "100.0", "+75.0", "9", "0", "0.00391"),
        ("r > 0.5", "8.3", "75.0", "+66.6", "9", "1", "0.0215"),
        ("r > 1", "0.0", "0.0", "0.0", "0", "0", "1"),
    ]
    name, first, second, difference, gained, lost, interval = grid.rows[3]
    assert (name, first, second) == ("ACR", "0.091", "0.583")
    assert (difference, gained, lost) == ("+0.491", "10", "1")
    low, high = map(float, interval.strip("[]").split(", "))
    assert low < 0.491 < high
    assert grid.rules == {3}


def test_the_inputs_that_changed_sides_are_named(two):
    notes = "\n".join(pairs_table(two, TableOptions(radii=(0.0, 0.5, 1.0))).notes)
    assert "r > 0: gained 102, 103, 104, 105, 106, 107, 108, 109, 110; lost none" in notes
    assert "lost 100" in notes
    assert "r > 1:" not in notes
    assert "10,000 paired bootstrap resamples of the inputs, percentiles, seed 0" in notes
    assert "different sigmas" in notes


def test_a_long_list_is_cut_on_the_screen_and_whole_in_the_records(held):
    studies = [
        held("a", stated([True] * 40, two_sided=[0.0] * 40)),
        held("b", stated([True] * 40, two_sided=[1.0] * 40)),
    ]
    grid = pairs_table(studies, TableOptions(radii=(0.5,)))
    assert any("0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 30 more" in note for note in grid.notes)
    assert grid.records[0]["gained_inputs"] == " ".join(map(str, range(40)))
    assert not any("different sigmas" in note for note in grid.notes)


def test_records_are_the_tests_at_full_precision(held):
    random = np.random.default_rng(8)
    right = (random.random(60) < 0.7).tolist()
    first, second = (stated(right, cohen=random.choice([0, 0.3, 0.6], 60)) for _ in range(2))
    asked = TableOptions(column="cohen", inclusive=True, radii=(0.0, 0.3))
    grid = pairs_table([held("a", first), held("b", second)], asked)
    for record, radius in zip(grid.records, (0.0, 0.3), strict=False):
        test = pairing.mcnemar_test(first, second, radius, "cohen", inclusive=True)
        assert (record["measure"], record["radius"]) == ("accuracy", radius)
        assert (record["first"], record["second"]) == (test.first.value, test.second.value)
        assert (record["gained"], record["lost"]) == (test.gained.size, test.lost.size)
        assert (record["p"], record["difference"]) == (test.p, test.difference)
    shift = pairing.average_radius_change(first, second, "cohen")
    last = grid.records[-1]
    assert (last["measure"], last["radius"], last["p"]) == ("average_radius", None, None)
    assert (last["low"], last["high"]) == (shift.low, shift.high)
    assert last["difference"] == shift.difference
    assert (last["first_run"], last["second_run"]) == ("a", "b")


def test_swapping_the_runs_swaps_gains_and_losses(two):
    asked = TableOptions(radii=(0.5,))
    there, back = pairs_table(two, asked), pairs_table(two[::-1], asked)
    for one, other in zip(there.records, back.records, strict=True):
        assert one["gained_inputs"] == other["lost_inputs"]
        assert one["difference"] == pytest.approx(-other["difference"])
        assert one["p"] == other["p"]


def test_two_labelled_runs_or_more_in_one_norm(held, two):
    with pytest.raises(InvalidInput, match="runs must be two or more to be paired, got 1: before"):
        pairs_table(two[:1])
    bare = held("bare", stated(RIGHT, two_sided=FIRST), index=range(100, 112), labelled=False)
    with pytest.raises(InvalidInput, match="the run bare has none"):
        pairs_table([two[0], bare])
    scaled = held("scaled", stated(RIGHT, two_sided=FIRST), index=range(100, 112), noise_scale="x")
    with pytest.raises(InvalidInput, match="one norm"):
        pairs_table([two[0], scaled])
    with pytest.raises(InvalidInput, match="column li is not among those of run before"):
        pairs_table(two, TableOptions(column="li"))
