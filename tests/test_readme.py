"""What the README says is what happens."""

import json
import math
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from simplicert import PAPER_ENSEMBLE, Tally, bound, radius

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def blocks(language):
    """The fenced blocks of one language, "" for none."""
    parts = README.split("```")[1::2]
    return [part.partition("\n")[2] for part in parts if part.partition("\n")[0] == language]


GIVEN = """\
import numpy as np
weights = np.random.default_rng(0).normal(size=(20, 10))
network, images = lambda batch: batch @ weights, np.random.default_rng(1).normal(size=(4, 20))
"""


def test_the_python_lines_run():
    (code,) = blocks("python")
    lines = [line for line in code.splitlines() if line.strip()]
    assert len(lines) == 6 and lines[0] == "import simplicert as sc"
    run = [sys.executable, "-c", GIVEN + code]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "two_sided" in done.stdout


def row(start):
    """Cells of the row of the table that begins so."""
    (line,) = (line for line in README.splitlines() if line.startswith(f"| {start}"))
    return [cell.strip() for cell in line.strip("|").split("|")][1:]


def test_radii_of_the_table_are_rounded_down():
    names = ("cohen", PAPER_ENSEMBLE["multinomial"], "two_sided")
    for cell, name in zip(row("radius at E0 = .6, E1 = .3, sigma .5"), names, strict=True):
        several = [name] if isinstance(name, str) else name
        true = max(radius(one, 0.6, 0.3, sigma=0.5) for one in several)
        assert cell[:6] == f"{math.floor(true * 10_000) / 10_000:.4f}"


def test_mean_radii_of_the_table_are_those_of_the_experiments():
    """Rounded down, as radii are."""
    findings = json.loads((ROOT / "experiments" / "cifar10" / "findings.json").read_text())
    (found,) = (one["means"] for one in findings["gaussian"] if one["sigma"] == 1)
    down = {name: f"{math.floor(1000 * value) / 1000:.3f}" for name, value in found.items()}
    ours = f"{down['two_sided, joint']} (`joint`), {down['two_sided']} (`gated`)"
    assert row("mean radius of 500 CIFAR-10") == [down["cohen"], down["ensemble"], ours]


def test_draws_of_the_table_are_those_of_the_committed_result():
    real = json.loads((ROOT / "benchmarks" / "results" / "draws.json").read_text())["real"]
    (found,) = (part for part in real if part["draws"] == 10_000)
    inputs = found["certified_by_paper"]
    cohen, paper, ours = row(
        f"draws for the paper's radius at n = 10,000, mean over {inputs} real tallies"
    )
    assert cohen == f"{found['cohen']['reached'] * inputs:.0f} of {inputs} gets there with 64 n"
    assert paper == f"{100 * found['paper']['mean']:.0f} %"
    joint, gated = (f"{100 * found[name]['mean']:.0f} %" for name in ("joint", "gated"))
    assert ours == f"{joint} (`joint`), {gated} (`gated`, the default)"
    assert found["joint"]["reached"] == found["gated"]["reached"] == 1.0


def test_levels_of_the_table_are_those_that_certificates_carry():
    tally = Tally([[900, 80, 20]], sigma=0.5)
    level = {scheme: bound(tally, 0.001, scheme=scheme).level for scheme in ("paper", "gated")}
    _, paper, ours = row("an input's certificate is wrong with probability at most")
    assert paper.startswith("3 alpha") and level["paper"] == pytest.approx(0.003)
    assert ours.startswith("alpha") and level["gated"] == pytest.approx(0.001)


def test_every_command_shown_works(tmp_path, monkeypatch, command):
    (commands,) = (block for block in blocks("") if block.startswith("simplicert"))
    (tmp_path / "counts.txt").write_text("900 80 20 0\n500 480 20 1\n")
    (tmp_path / "mymodule.py").write_text("def mechanism(e0, e1):\n    return (e0 - e1) / 2\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])  # `check` puts the folder in front
    for line in commands.splitlines():
        code, _, said = command(*shlex.split(line.split("  ")[0])[1:])
        assert code == 0, (line, said)
    sys.modules.pop("mymodule")


def test_benchmark_figures_are_those_of_the_committed_result():
    result = json.loads((ROOT / "benchmarks" / "results" / "radii.json").read_text())
    against = result["improved_dp_against_slsqp"]
    assert f"{against['slsqp_per_second']:,.0f} points a second" in README
    assert f"{against['ours_per_second_same_points']:,.0f}, a ratio of" in README
    assert f"ratio of {against['ratio_same_points']:,.0f}" in README
    assert f"{against['slsqp_too_large_by_more_than_1e-6']} of SLSQP's 400 answers" in README
    assert f"up to {against['slsqp_largest_excess_percent']:.1f} percent" in README
    assert against["ratio_same_points"] > 1000


@pytest.mark.parametrize("path", sorted(ROOT.glob("*.md")) + sorted((ROOT / "docs").glob("*.md")))
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)#]+)\)", path.read_text()):
        assert target.startswith("http") or (path.parent / target).exists(), target
