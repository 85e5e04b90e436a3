"""No library calls home: models and data of Hugging Face, with every switch as a user has it.

The network is cut off where the system allows it, and every address that Python asks for is noted.
Ray has a test of its own (tests/drawing/test_ray.py).
"""

import os
import subprocess

import pytest
from strangers import COHEN, hub_model, make_run, saved_table
from typed import type_commands

pytestmark = pytest.mark.slow  # transformers and datasets are imported anew

SWITCHES = ("HF_HUB_OFFLINE", "HF_HUB_DISABLE_TELEMETRY", "DISABLE_TELEMETRY", "DO_NOT_TRACK",
            "HF_DATASETS_OFFLINE", "TRANSFORMERS_OFFLINE", "RAY_USAGE_STATS_ENABLED")  # fmt: skip
CUT = ("unshare", "--map-root-user", "--net")


def cut_off():
    """Words that start a process without a network, where that is allowed."""
    try:
        allowed = subprocess.run([*CUT, "true"], capture_output=True, check=False).returncode == 0
    except OSError:
        allowed = False
    return CUT if allowed else ()


def test_nothing_is_asked_for_over_the_network(tmp_path):
    pytest.importorskip("transformers")
    pytest.importorskip("datasets")
    makers = {"model": hub_model("config.json"), "table": saved_table("state.json")}
    lines = []
    for name, make in makers.items():
        (tmp_path / name).mkdir()
        lines.append((tmp_path / name, make(tmp_path / name)[1]))
    (tmp_path / "log.tsv").write_text(COHEN)
    run = make_run(tmp_path)
    lines.append((tmp_path, ["report", run, "--out", "report.html"]))
    lines.append((tmp_path, ["import", "cohen", "log.tsv", "--sigma", "1", "--out", "log"]))
    environment = {key: value for key, value in os.environ.items() if key not in SWITCHES}
    environment["HF_HOME"] = str(tmp_path / "hub")
    for answer in type_commands(lines, environment, cut_off()):
        assert answer.code == 0 and not answer.reached, answer
    where = ["sample", "--model", "hf:nobody/nothing", "--data", "digits", "--sigma", "1"]
    (answer,) = type_commands([(tmp_path, [*where, "--draws", "9", "--out", "o"])], environment)
    assert answer.code == 2 and not answer.reached, answer
