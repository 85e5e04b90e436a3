"""docs/training.md says what was measured, and no more."""

import json
from pathlib import Path

from simplicert.models.trained import FOLDER, list_zoo_names, read_facts

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "training.md").read_text()

ROWS = {
    "forward_small_cnn": "forward, `small_cnn`, compiled",
    "forward_resnet20": "forward, `resnet20`, compiled",
    "step_gaussian": "training step, `gaussian`",
    "step_macer_4": "training step, `macer`, k = 4",
    "step_macer_16": "training step, `macer`, k = 16",
}


def test_speeds():
    result = json.loads((ROOT / "benchmarks" / "results" / "training.json").read_text())
    for name, rate in result["inputs_per_processor_second"].items():
        assert f"| {ROWS[name]} | {rate:,.0f} |" in PAGE
    assert f"makes {result['small_cnn_of_resnet20']:.1f} times the forward passes" in PAGE
    assert f"costs {result['macer_4_of_gaussian']:.1f} times" in PAGE
    assert f"and {result['macer_16_of_gaussian']:.1f} times with k = 16" in PAGE
    assert result["small_cnn_of_resnet20"] >= 3


def test_networks():
    """Each network that ships has its row: sigma, accuracies in per cent, minutes."""
    for name in list_zoo_names():
        content = read_facts(FOLDER / name).content
        result, sigma = content["result"], content["training"]["sigma"]
        noisy, clean = (100 * result[f"{kind}_accuracy"] for kind in ("noisy", "clean"))
        minutes = result["seconds"] / 60
        assert f"| `{name}` | {sigma:g} | {noisy:.1f} | {clean:.1f} | {minutes:.0f} |" in PAGE


def test_what_macer_moves():
    """The rows are those of the committed result, and they show what the page says."""
    result = json.loads((ROOT / "benchmarks" / "results" / "macer.json").read_text())
    for name, row in result.items():
        accuracy = " | ".join(f"{100 * share:.1f}" for share in row["certified_accuracy"].values())
        largest = [row["largest_of_issued"][each] for each in ("cohen", "li", "improved_dp")]
        shares = " | ".join(f"{100 * share:.1f}" for share in largest)
        means = f"{row['mean_e0_of_issued']:.3f} | {row['mean_e1_of_issued']:.3f}"
        issued = f"{row['mean_radius']:.3f} | {100 * row['issued']:.1f}"
        assert f"| {name} | {accuracy} | {issued} | {means} | {shares} |" in PAGE
    for sigma in ("0.25", "1"):
        control, moved = (result[f"{kind}-{sigma}"] for kind in ("control", "macer"))
        assert moved["largest_of_issued"]["cohen"] > control["largest_of_issued"]["cohen"]
        assert moved["mean_radius"] > control["mean_radius"]
        assert moved["mean_e0_of_issued"] > control["mean_e0_of_issued"]


def test_the_result_is_that_of_the_committed_runs(benchmark):
    result = json.loads((ROOT / "benchmarks" / "results" / "macer.json").read_text())
    name = "macer-1"
    assert (
        benchmark("macer").summary(ROOT / "experiments" / "cifar10" / "runs" / name) == result[name]
    )
