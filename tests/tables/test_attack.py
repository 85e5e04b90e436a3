"""The tables of an attack hold counts, the smallest ratio, and distances rounded up."""

from dataclasses import replace

import pytest

from simplicert.store.attacks import AttackRow
from simplicert.tables.attack import attack_table, attacked_inputs_table, format_distance

ROW = AttackRow(
    index=3, certified=1, radius=0.50009, rival=2, found=0.75001, draws=1000, tests=2, level=1e-5,
    inputs=9, confirm=500, explore=64, steps=5, restarts=2, samples=4, gradients="network",
    seed=0, kind="multinomial", alpha=0.001, scheme="gated", sigma=0.25, norm="l2", run="ab12",
)  # fmt: skip
ROWS = [
    ROW,
    replace(ROW, index=4, rival=None, found=None),
    replace(ROW, index=5, found=0.375, draws=2000),
    replace(ROW, index=6, found=1.0),
]


def test_the_whole_attack():
    cells = dict(attack_table(ROWS).rows)
    assert cells["inputs attacked"] == "4 of 9"
    assert cells["certificates broken"] == "1"
    assert cells["smallest ratio"] == "0.750 (input 5)"
    assert cells["median ratio"] == "1.500"
    assert cells["nothing found, out to 16 sigma"] == "1"
    assert cells["ascents an input"] == "3 losses x 2 restarts x 5 steps"
    assert cells["draws per input, mean"] == "1,250"
    assert cells["level of a confirmation"] == "1e-05"
    assert any("proves nothing" in note for note in attack_table(ROWS).notes)


def test_an_attack_that_found_nothing():
    cells = dict(attack_table(ROWS[1:2]).rows)
    assert cells["smallest ratio"] == cells["median ratio"] == "none found"


def test_the_closest_first_and_what_was_not_found_last():
    grid = attacked_inputs_table(ROWS, 9)
    assert [row[0] for row in grid.rows] == ["5", "3", "6", "4"]
    assert grid.rows[0][3:] == ("0.3750", "0.750", "2", "BROKEN")
    assert grid.rows[1] == ("3", "1", "0.5000", "0.7501", "1.500", "2", "no")
    assert grid.rows[3][3:] == ("none", "", "", "no")
    assert attacked_inputs_table(ROWS, 2).notes[1] == "the first 2 of 4"
    named = attacked_inputs_table(ROWS, 9, "class {}".format)
    assert [row[1] for row in named.rows] == [f"class {row[1]}" for row in grid.rows]


@pytest.mark.parametrize(
    ("distance", "text"), [(0.75, "0.7500"), (0.75001, "0.7501"), (1e-9, "0.0001")]
)
def test_distances_are_rounded_up(distance, text):
    assert format_distance(distance) == text


def test_the_median_of_two_is_their_mean():
    two = [replace(ROW, radius=0.5, found=0.75), replace(ROW, index=5, radius=0.5, found=0.375)]
    assert dict(attack_table(two).rows)["median ratio"] == "1.125"
