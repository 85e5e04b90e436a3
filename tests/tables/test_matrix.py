"""Several runs in pairs, and two runs on other inputs: cells by hand, and the correction."""

import numpy as np
import pytest
from certified import stated

from simplicert.errors import InvalidInput
from simplicert.metrics.pairing import mcnemar_p_value
from simplicert.metrics.shared import share_inputs
from simplicert.tables import TableOptions, pairs_table

RIGHT = [True] * 20
AT = TableOptions(radii=(0.5,))


def run(held, name, certified, index=None, **more):
    """The first so many of twenty inputs have radius 1, the others 0."""
    radii = [1.0] * certified + [0.0] * (20 - certified)
    return held(name, stated(RIGHT, two_sided=radii), index=index, **more)


@pytest.fixture
def three(held):
    return [run(held, name, hits) for name, hits in (("a", 2), ("b", 10), ("c", 12))]


def test_a_matrix_of_differences_and_corrected_p(three):
    grid = pairs_table(three, AT)
    assert grid.headings == ("run", "sigma", "r", "inputs", "accuracy", "1", "2", "3")
    # McNemar: 2 / 2^8, 2 / 2^10 and 2 / 2^2; Holm: 2, 3 and 1 times, and never falling
    raw = [mcnemar_p_value(8, 0), mcnemar_p_value(10, 0), mcnemar_p_value(2, 0)]
    assert raw == [2 / 2**8, 2 / 2**10, 0.5]
    assert grid.rows == [
        ("1 a", "0.5", "> 0.5", "20", "10.0", "-", "-40.0", "-50.0"),
        ("2 b", "0.5", "> 0.5", "20", "50.0", "0.0157", "-", "-10.0"),
        ("3 c", "0.5", "> 0.5", "20", "60.0", "0.00586", "0.5", "-"),
    ]
    assert grid.bold == {(0, 6), (0, 7), (1, 5), (2, 5)}
    assert "paired" in grid.title and "unpaired" not in grid.title
    notes = "\n".join(grid.notes)
    assert "corrected for all 3 comparisons of this table by Holm's method" in notes
    assert [one["p_holm"] for one in grid.records] == [2 * raw[0], 3 * raw[1], 0.5]
    assert [one["p"] for one in grid.records] == raw


def test_every_radius_counts_as_a_comparison(three):
    grid = pairs_table(three, TableOptions(radii=(0.25, 0.5)))
    assert len(grid.rows) == 6 and grid.rules == {3}
    assert {one["comparisons"] for one in grid.records} == {6}
    assert pairs_table(three).rows[0][2] == "> 0.25"  # by default one radius, so few comparisons


def test_runs_on_other_inputs_make_an_unpaired_matrix(held, three):
    other = run(held, "d", 20, index=np.arange(10, 30))
    grid = pairs_table([*three[:2], other], AT)
    assert "unpaired" in grid.title and {one["paired"] for one in grid.records} == {False}
    notes = "\n".join(grid.notes)
    assert "McNemar" not in notes and "it holds whatever inputs two runs share" in notes
    shared = pairs_table(share_inputs([*three[:2], other]), AT)
    assert shared.title.endswith("10 common inputs alone") and "McNemar" in "\n".join(shared.notes)
    assert {row[3] for row in shared.rows} == {"10"}


def test_two_runs_on_other_inputs_are_not_paired(held, three):
    apart = run(held, "d", 20, index=np.arange(20, 40), alpha=0.01)
    grid = pairs_table([three[1], apart], AT)
    assert grid.title == "d against b, unpaired: on different inputs"
    assert grid.rows[0] == ("inputs", "20", "20", "", "", "")
    name, first, second, difference, interval, p = grid.rows[1]
    assert (name, first, second, difference) == ("r > 0.5", "50.0", "100.0", "+50.0")
    assert p == "4.4e-4"  # Fisher: 2 C(30, 20) C(20, 20).../...: see test_unpaired for the test
    low, high = map(float, interval.strip("[]").split(", "))
    assert 0 < low < 50 < high
    notes = "\n".join(grid.notes)
    assert "Fisher's exact test, two-sided: no input is in two runs" in notes
    assert "settings differ" in notes and "alpha 0.01" in notes
    assert grid.records[0]["first_inputs"] == 20 and grid.records[-1]["measure"] == "average_radius"
    overlapping = run(held, "e", 20, index=np.arange(19, 39))
    said = "\n".join(pairs_table([three[1], overlapping], AT).notes)
    assert "Fisher" not in said and "1 inputs are in all of them" in said


def test_an_input_that_stands_twice_is_refused(held, three):
    twice = run(held, "twice", 3, index=[0, *range(19)])
    with pytest.raises(InvalidInput, match="twice holds 20 rows for 19 inputs"):
        pairs_table([three[0], twice], AT)
