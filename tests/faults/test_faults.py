"""What must not lose or falsify a run, done to real processes (as in tests/drawing/test_draw.py).

Killed, stopped, doubled and read-only runs are tested there; here is what else can happen to one.
"""

import importlib
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RESULT = json.loads((ROOT / "benchmarks" / "results" / "faults.json").read_text())
HERE = [
    "killed_while_extending",
    "interrupted_twice",
    "interrupted_six_times",
    "hung_up",
    "remote_model",
    "file_too_large",
    "full_disk",
    "read_only",
    "removed",
    "moved",
    "out_of_memory",
    "out_of_addresses",
    "out_of_memory_at_once",
    "two_minds",
]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with data, a model and an undisturbed run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "benchmarks"))
        made = importlib.import_module("fault_place").Place(tmp_path_factory.mktemp("faults"))
        assert made.draw("whole").code == 0
        patch.setattr(importlib.import_module("faults"), "KILLS", 3)
        yield made


@pytest.mark.slow
@pytest.mark.parametrize("name", HERE)
def test_nothing_is_lost_and_a_sentence_is_said(place, name):
    faults = importlib.import_module("faults")
    row = faults.outcome(place, getattr(faults, name))
    if name == "full_disk" and row is None:  # file_too_large is the same error where none mounts
        return
    assert row["good"], row


@pytest.mark.slow
def test_flipped_bits_are_refused_or_harmless(place):
    """In parts always; in run.toml, which is text, some are another setting."""
    rows = importlib.import_module("flips").flipped(place)
    assert [row["file"] for row in rows] == ["parts/*.parquet", "run.toml"]
    parts, settings = rows
    assert parts["flips"] == parts["refused"] > 60
    assert settings["unclear"] == 0
    assert settings["refused"] > settings["changed"]


def test_every_row_of_the_committed_result_is_good():
    assert len(RESULT["faults"]) >= 14
    for row in RESULT["faults"] + RESULT["flips"]:
        assert row["good"], row
