"""Every example runs, and says what it is there to say."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
SAID = {
    "pytorch_cnn": "kept by predict up to:",
    "onnx_model": "Certified accuracy in percent",
    "sklearn_tabular": "norm: scaled l2",
    "hugging_face": "abstained",
    "timm_model": "abstained",
    "noise_behind_a_layer": "noise behind the averages: sensitivity at most 0.5000",
    "text_edits": "right and certified against so many changed words",
    "text_embeddings": "two words are at least this far apart",
    "toolbox_attacks": "0 of them inside the certified radius",
    "mlflow_log": "accuracy_at_0.25: 0.7050",
    "wandb_log": "to be sent by `wandb sync`: 1",
}
LONG = ("text_edits",)  # takes half a minute
NEEDS = {"timm_model": "timm", "mlflow_log": "mlflow", "wandb_log": "wandb"}  # in no extra of ours


def absent(name):
    """Why a library does not import, "" if it does."""
    code = f"import {name}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stderr.strip().splitlines()[-1]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (name in LONG)) for name in SAID]
)
def test_it_runs(name):
    """In a process of its own, with nothing to fetch anything from."""
    if name in NEEDS and (reason := absent(NEEDS[name])):
        pytest.skip(f"{NEEDS[name]} does not import here: {reason}")
    offline = {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "http_proxy": "http://127.0.0.1:9"}
    done = subprocess.run(
        [sys.executable, EXAMPLES / f"{name}.py"],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, **offline},
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert SAID[name] in done.stdout


def test_each_is_tested():
    found = {path.stem for path in EXAMPLES.glob("*.py")}
    assert found - {"make_example_counts"} == set(SAID)


def test_each_has_a_line_in_the_quick_start():
    page = (ROOT / "docs" / "quickstart.md").read_text()
    for path in EXAMPLES.glob("*.py"):
        assert f"`examples/{path.name}`" in page, path.name
