"""The workflow of docs/ci.md is YAML, and its commands do what the page says."""

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

PAGE = (Path(__file__).parents[1] / "docs" / "ci.md").read_text()
yaml = pytest.importorskip("yaml", reason="PyYAML is in the extra for developers")


def workflow():
    (text,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    return yaml.safe_load(text)


def test_it_is_a_workflow():
    held = workflow()
    job = held["jobs"]["gate"]
    assert held["permissions"] == {"contents": "read"} and job["timeout-minutes"] <= 60
    assert set(held[True]) == {"pull_request", "schedule"}  # YAML reads `on` as true
    assert all(("run" in step) != ("uses" in step) for step in job["steps"])
    assert any("--baseline certificates/last" in step.get("run", "") for step in job["steps"])


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread")
def test_its_commands_run(command, tmp_path, monkeypatch):
    """With a linear network for two clusters; redirections are read as the shell reads them."""
    import torch

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_SHA", "a" * 40)
    (tmp_path / "runs").mkdir()
    (tmp_path / "certificates").mkdir()
    labels = np.arange(40) % 2
    inputs = np.where(labels[:, None] == 1, 0.8, 0.2) * np.ones((40, 4))
    np.savez("data.npz", inputs=inputs.astype(np.float32), labels=labels)
    network = torch.nn.Linear(4, 2)
    with torch.no_grad():
        network.weight.copy_(torch.tensor([[-1.0] * 4, [1.0] * 4]))
        network.bias.copy_(torch.tensor([2.0, -2.0]))
    rows = ({0: torch.export.Dim("rows")},)
    torch.export.save(
        torch.export.export(network.eval(), (torch.rand(2, 4),), dynamic_shapes=rows), "net.pt2"
    )
    lines = [
        line
        for step in workflow()["jobs"]["gate"]["steps"]
        for line in step.get("run", "").splitlines()
        if line.startswith("simplicert ")
    ]
    assert len(lines) == 6
    (drawn,) = (line for line in lines if " sample " in line)
    assert command(*shlex.split(drawn.replace("runs/now", "certificates/last"))[1:])[0] == 0
    written = {}
    for line in lines:
        words, _, target = line.partition(" > " if " > " in line else " >> ")
        code, out, said = command(*shlex.split(words)[1:])
        assert code == 0, (line, said)
        written[target] = out
    assert json.loads(written["gate.json"])["passed"]
    assert written['"$GITHUB_STEP_SUMMARY"'].startswith("**Certified accuracy")
    assert (tmp_path / "report.html").exists() and (tmp_path / "badge.svg").exists()
    code, out, _ = command("history", "runs/now", "certificates/last", "--json")
    assert {point["commit"] for point in json.loads(out)["history"]} == {"a" * 40}
