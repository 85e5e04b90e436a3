"""`simplicert sample` loads what draws, and nothing of the analysis that comes after it."""

import json
import subprocess
import sys

import pytest

# Rooms that drawing has no use for; `plan` is there for the warning that draws are too few.
LATER = {
    *("metrics", "simplex", "tables", "figures", "report", "smoothed"),
    *("verification", "attack", "training"),
}

PROGRAM = """
import json, sys
from simplicert.cli import main
before = list(sys.modules)
sys.argv = ["simplicert", *sys.argv[1:]]
try:
    main()
except SystemExit as stop:
    assert not stop.code, stop.code
print(json.dumps([before, list(sys.modules)]))
"""


def loaded_rooms(modules):
    return {name.split(".")[1] for name in modules if name.startswith("simplicert.")}


@pytest.mark.parametrize(
    "more",
    [
        pytest.param("", marks=pytest.mark.slow),
        pytest.param("--until radius=0.1", marks=pytest.mark.slow),
        pytest.param("--kind softmax", marks=pytest.mark.slow),
        pytest.param("--workers 2", marks=pytest.mark.slow),
        "--draws 2",  # too few to certify anything: it warns
    ],
)
def test_sample_loads_no_room_of_the_analysis(place, more):
    folder, model = place
    command = ["sample", "--model", f"{model}:make", "--data", "data.npz", "--stop", "3"]
    command += ["--sigma", "0.25", "--draws", "40", "--out", "run", *more.split()]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *command],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    before, after = map(loaded_rooms, json.loads(done.stdout.splitlines()[-1]))
    assert before == {"cli", "errors", "glossary"}  # all that `simplicert --help` needs
    assert {"drawing", "sampling", "store", "plan"} <= after
    assert not after & LATER
