"""`simplicert geometry` as a user types it."""

import csv
import json

import numpy as np
import pytest
from boxed import EDGE, draw_boxed, place_boxed, true_radius

LITTLE = ("--pilot", 64, "--copies", 4, "--draws", 500)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("typed")
    place_boxed(folder, "typed_box")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        draw_boxed(folder, "typed_box:function")
        yield folder


def own(place, data="data.npz"):
    """The run's model and data, given by the user."""
    return ("--model", "typed_box:function", "--data", place / data)


def test_the_table_and_the_file_say_where_it_holds(command, place):
    code, out, err = command("geometry", place / "run", *own(place), *LITTLE, "--compare")
    assert code == 0
    words = " ".join(out.split())
    assert "radii in l2 that hold for perturbed inputs in [0, 1] only" in words
    assert "of as many draws at x, median" in words
    assert err.splitlines()[-1] == "2 of 2 inputs"
    with (place / "run" / "geometry.csv").open() as file:
        edge, _ = csv.DictReader(file)
    assert edge["holds_for"] == "perturbed inputs in [0, 1]"
    assert float(edge["radius"]) <= true_radius(EDGE)
    code, again, err = command("geometry", place / "run", *own(place), *LITTLE, "--compare")
    assert (code, again) == (0, out)  # all is done: nothing is searched again
    code, _, err = command("geometry", place / "run", *own(place), *LITTLE)
    assert code == 2 and "holds a search with --compare" in " ".join(err.split())


def test_json_has_every_column(command, place):
    path = place / "rows.json"
    words = ("geometry", place / "run", *own(place), *LITTLE, "--index", 1, "--quiet", "--json")
    code, out, err = command(*words, "--out", path)
    assert (code, err) == (0, "")
    (row,) = json.loads(out)
    assert row["index"] == 1 and row["holds_for"] == "perturbed inputs in [0, 1]"
    assert json.loads(path.read_text()) == [row]


def test_bad_input_is_one_sentence_and_exit_code_2(command, place):
    def refused(run, *words):
        code, out, err = command("geometry", place / run, *words)
        assert code == 2 and not out and "Traceback" not in err
        return " ".join(err.split())

    assert "share must lie strictly between 0 and 1, got 2.0" in refused("run", "--share", 2)
    lost = refused("run", "--model", "typed_box:nothing", "--data", place / "data.npz")
    assert "geometry needs the run's model and data" in lost
    assert "--model and --data say where they are" in refused("run", *own(place, "none.npz"))
    assert "index must name inputs" in refused("run", *own(place), "--index", 9)
    draw_boxed(
        place, "typed_box:function", "other", sigma=None, noise="laplace", scale=0.5, draws=8
    )
    assert "Gaussian noise with radii in l2" in refused("other", *own(place))
    np.savez(place / "grid.npz", inputs=np.zeros((1, 2, 3), np.float32))
    draw_boxed(place, "typed_box:function", "steps", "grid.npz", draws=8, grid="1/255")
    assert "without a grid for geometry" in refused("steps", *own(place, "grid.npz"))
    np.savez(place / "wide.npz", inputs=np.full((1, 2, 3), 1.5, np.float32))
    draw_boxed(place, "typed_box:function", "wide", "wide.npz", draws=8)
    assert "data: input 0 must lie in [0, 1]" in refused("wide", *own(place, "wide.npz"))
