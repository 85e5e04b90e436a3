"""Files of double sampling: bounds on the label's probability, and radii with their file's name."""

import numpy as np
import pytest

import simplicert as sc
from simplicert.logs import dsrs, import_dsrs

BOUNDS = """
x disttype gaussian
x k None
x std 0.5
x N 100000
x alpha 0.001

o 0 0.9 0.91
o 10 0.4 0.41
o 20 0.9999239938640181 1
"""
NAME = "gaussian-None-0.5-100000-0.001.txt"


def write(folder, text, name=NAME):
    path = folder / name
    path.write_text(text)
    return path


def test_bounds_are_e0(tmp_path):
    run = import_dsrs(write(tmp_path, BOUNDS), tmp_path / "run")
    made = run.certify()
    assert made.correct.tolist() == [True, False, True]
    assert made.abstained.tolist() == [False, True, False]
    # .5 * Phi^-1(.9), and no more
    assert 0.64077 < made.radius[0] <= 0.6407757827723


def test_a_bound_above_the_cap_is_found(tmp_path):
    text = BOUNDS.replace("o 0 0.9 ", "o 0 0.99999 ")
    run = import_dsrs(write(tmp_path, text), tmp_path / "run")
    assert any("prove no larger one" in sentence for sentence in run.audit)
    assert run.manifest.source["audit_codes"].count("above_cap") == 1


def test_radii_are_taken_as_they_are(tmp_path):
    name = "new-rad-general-gaussian-th-1530-0.25-x+-50000-0.0005.txt"
    path = write(tmp_path, "0 0.45 0.03 0.07\n10 0.0 0.0 0.0\n", name)
    frame = import_dsrs(path, tmp_path / "run").to_frame()
    assert frame["radius"].tolist() == [0.45, 0.0]
    assert frame["correct"].tolist() == [True, False]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (NAME, ("gaussian", 0.5, 100_000, 0.001)),
        ("general-gaussian-15-0.25-50000-0.0005-x+.txt", ("general-gaussian", 0.25, 50_000, 5e-4)),
        ("new-rad-general-gaussian-1530-0.25-0.2-50000-0.0005.txt",
         ("general-gaussian", 0.25, 50_000, 5e-4)),
        ("orig-rad-L2-Linfty-gaussian-None-0.5-50000-0.0005.txt",
         ("L2-Linfty-gaussian", 0.5, 50_000, 5e-4)),
    ],
)  # fmt: skip
def test_names_tell_settings(tmp_path, name, told):
    assert tuple(dsrs.settings_of_name(tmp_path / name)) == told


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        (BOUNDS.replace("x std 0.5\n", ""), NAME, "must have lines x std"),
        (BOUNDS.replace("x std 0.5", "x std nan"), NAME, "must state std > 0"),
        (BOUNDS.replace("x N 100000", "x N many"), NAME, "must state numbers"),
        (BOUNDS.replace("0.9 0.91", "1.9 0.91"), NAME, "a bound must lie in"),
        (BOUNDS.replace("gaussian", "general-gaussian"), NAME, "got general-gaussian"),
        ("x disttype gaussian\nx std 1\nx N 10\nx alpha .1\n", NAME, "at least one line o"),
        ("0 0.1\n", "radii.txt", "by its name"),
        ("0 -0.1\n", NAME, "a radius must be a number of at least 0"),
        ("nothing\n", NAME, "at least one line of index and radius"),
    ],
)
def test_refusals(tmp_path, text, name, words):
    with pytest.raises(sc.InvalidInput, match=words):
        import_dsrs(write(tmp_path, text, name), tmp_path / "run")


def test_other_lines_are_named(tmp_path):
    log = dsrs.read_dsrs_bounds(write(tmp_path, BOUNDS + "the end\n")).log
    assert len(log) == 3
    assert "the end" in log.left_out[0]
    assert np.all(log.label == 0)
