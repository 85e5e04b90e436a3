"""The tables of a search for neighbours say where their radii hold, and round to claim less."""

from dataclasses import replace

from simplicert.store.neighbours import NeighbourRow
from simplicert.tables.geometry import geometry_table, moved_inputs_table

SETTINGS = {
    "alpha": 0.001,
    "share": 0.5,
    "pilot": 128,
    "copies": 16,
    "steps": 1,
    "seed": 0,
    "sigma": 0.25,
    "kind": "multinomial",
    "scheme": "joint",
    "run": "abc",
    "draws": 1000,
    "own_alpha": 0.0005,
    "neighbour_alpha": 0.0005,
    "neighbour_draws": 440,
    "pilot_draws": 560,
    "fresh": 440,
}
MOVED = NeighbourRow(
    index=3, predicted=1, radius=0.30009, own=0.25, found=0.30009, plain=0.27, same_draws=0.28,
    distance=0.10001, neighbour_radius=0.375, **SETTINGS,
)  # fmt: skip
STAYED = replace(
    MOVED, index=4, radius=0.2, own=0.2, found=0.0, plain=0.2, same_draws=0.21, distance=None,
    neighbour_radius=None, neighbour_draws=0, own_alpha=0.001, neighbour_alpha=0.0,
)  # fmt: skip


def test_the_summary_compares_with_the_same_draws():
    grid = geometry_table([MOVED, STAYED])
    cells = dict(grid.rows)
    assert cells["for which a neighbour was drawn"] == "1"
    assert cells["whose radius is the neighbour's"] == "1"
    assert cells["certified radius, mean"] == "0.2500"  # 0.250045, rounded down
    assert cells["inputs better than that, worse"] == "1, 1"
    assert cells["draws per input, mean"] == "1,780"
    assert grid.notes[0] == "radii in l2 that hold for perturbed inputs in [0, 1] only"
    alone = geometry_table([replace(MOVED, same_draws=None), STAYED])
    assert "inputs better than that, worse" not in dict(alone.rows)


def test_the_moved_inputs_are_listed_with_rounded_numbers():
    worse = replace(MOVED, index=1, radius=0.3, own=0.3, found=0.1, predicted=None)
    grid = moved_inputs_table([worse, MOVED, STAYED], 1)
    assert grid.rows == [("3", "1", "0.3000", "0.2500", "0.3000", "0.1001", "0.3750")]
    assert grid.notes[-1] == "the first 1 of 2" and "[0, 1] only" in grid.notes[0]
    assert moved_inputs_table([STAYED], 5) is None
