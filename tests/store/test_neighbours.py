"""The table of a search for neighbours."""

import csv
import json
from dataclasses import replace

import pytest

from simplicert.errors import DamagedRun, InvalidInput
from simplicert.store.neighbours import (
    COLUMNS,
    NeighbourRow,
    neighbours_path,
    read_neighbours,
    write_neighbours,
)

ROW = NeighbourRow(
    index=3,
    predicted=1,
    radius=0.1 + 0.2,
    own=0.25,
    found=0.1 + 0.2,
    plain=0.27,
    same_draws=None,
    distance=0.1,
    neighbour_radius=0.35,
    draws=1000,
    pilot_draws=560,
    neighbour_draws=440,
    own_alpha=0.0005,
    neighbour_alpha=0.0005,
    alpha=0.001,
    share=0.5,
    pilot=128,
    copies=16,
    steps=1,
    seed=0,
    sigma=0.25,
    kind="multinomial",
    scheme="joint",
    run="abc",
    fresh=440,
)
STAYED = {"radius": 0.25, "found": 0.0, "distance": None, "neighbour_radius": None}
STAYED |= {"neighbour_draws": 0}


def test_every_row_says_where_it_holds(tmp_path):
    stayed = replace(ROW, index=4, **STAYED)
    write_neighbours(neighbours_path(tmp_path), [ROW, stayed])
    with (tmp_path / "geometry.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["holds_for"] for row in rows] == ["perturbed inputs in [0, 1]"] * 2
    assert float(rows[0]["radius"]) == 0.1 + 0.2 and rows[0]["same_draws"] == ""
    write_neighbours(tmp_path / "rows.json", [ROW, stayed])
    records = json.loads((tmp_path / "rows.json").read_text())
    assert [record["distance"] for record in records] == [0.1, None]
    assert tuple(records[0]) == COLUMNS
    assert ROW.moved and not stayed.moved and ROW.total_draws == 2000


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"radius": 0.4}, "radius must be the larger of the two"),
        ({"radius": float("nan")}, "radius must be finite"),
        ({"radius": 0.4, "found": 0.4}, "found must be at most neighbour_radius"),
        ({"distance": -1.0}, "distance must be finite and not negative"),
        ({"own_alpha": 0.001}, "alpha must cover both certificates"),
        ({"radius": 0.34, "found": 0.34}, "found must lie within neighbour_radius at this dist"),
        ({"distance": 0.2}, "found must lie within neighbour_radius at this distance"),
        ({"radius": 1e200, "own": 1e200}, "radius must be finite"),
        ({"pilot_draws": -1}, "pilot_draws must be a count, got -1"),
        ({"draws": 10**400}, "draws must be a count, got 1000"),
        ({"index": -3}, "index must be a count"),
        ({"neighbour_draws": 0}, "distance, neighbour_radius and neighbour_draws must be there"),
        ({"distance": None}, "must be there together, got None, 0.35 and 440"),
        (STAYED | {"neighbour_radius": 5.0}, "must be there together, got None, 5.0 and 0"),
        ({"holds_for": "everything"}, "holds_for must be 'perturbed inputs in"),
    ],
)
def test_no_row_claims_more_than_its_parts(change, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        replace(ROW, **change)


@pytest.mark.parametrize("name", ["rows.csv", "rows.json"])
def test_rows_are_read_as_they_were_written(tmp_path, name):
    rows = [ROW, replace(ROW, index=4, predicted=None, **STAYED)]
    write_neighbours(tmp_path / name, rows)
    assert read_neighbours(tmp_path / name) == rows
    write_neighbours(tmp_path / name, [])
    assert read_neighbours(tmp_path / name) == []


@pytest.mark.parametrize(
    ("name", "change", "sentence"),
    [
        ("rows.csv", lambda text: "", "its first line must name"),
        ("rows.csv", lambda text: text.replace("plain", "gain"), "its first line must name"),
        ("rows.csv", lambda text: text + "1,2\n", "its lines must be equally long"),
        ("rows.csv", lambda text: text + text.splitlines()[1] + "\n", "it holds an input twice"),
        ("rows.csv", lambda text: text.replace("0.27", "x"), "row 1: a cell must hold a number"),
        ("rows.csv", lambda text: text.replace("1000", "1_000"), "a cell must hold a number of"),
        ("rows.json", lambda text: "{}", "it must be a list of rows, got dict"),
        ("rows.json", lambda text: "[1]", "each row must be an object"),
        ("rows.json", lambda text: text.replace("plain", "gain"), "each row must have"),
        ("rows.json", lambda text: text.replace("0.27", "NaN"), "plain must be finite"),
        ("rows.json", lambda text: text.replace("0.27", "[0.27]"), "row 1: a cell must hold"),
        ("rows.json", lambda text: text.replace(": 3,", ": 1e9,"), "row 1: a cell must hold"),
    ],
)
def test_a_table_that_was_altered_is_one_sentence(tmp_path, name, change, sentence):
    path = tmp_path / name
    write_neighbours(path, [ROW])
    path.write_text(change(path.read_text()))
    with pytest.raises(DamagedRun, match=sentence):
        read_neighbours(path)


def test_a_neighbour_at_the_input_itself_gives_all_its_radius(tmp_path):
    """Its ball is then the whole certificate: equal, and not less."""
    here = replace(ROW, found=0.35, radius=0.35, distance=0.0)
    write_neighbours(neighbours_path(tmp_path), [here])
    assert read_neighbours(neighbours_path(tmp_path)) == [here]
    with pytest.raises(InvalidInput, match=r"found must be at most neighbour_radius, got 0\.36"):
        replace(ROW, found=0.36, radius=0.36)


def test_a_neighbour_too_far_away_to_prove_anything_is_a_row():
    far = replace(ROW, found=0.0, radius=0.25, distance=0.5)
    assert far.moved and far.radius == far.own
