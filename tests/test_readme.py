"""What the README says is what happens."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def blocks(language):
    """The fenced blocks of one language, "" for none."""
    parts = README.split("```")[1::2]
    return [part.partition("\n")[2] for part in parts if part.partition("\n")[0] == language]


def test_the_python_lines_run():
    code, more = blocks("python")
    assert "sc.sample(" in more
    assert len([line for line in code.splitlines() if line.strip()]) <= 10
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "[0.5792" in done.stdout


def test_the_table_shown_is_the_one_printed():
    (shown,) = (block for block in blocks("") if block.startswith("mechanism"))
    words = [
        sys.executable,
        "-m",
        "simplicert",
        "radius",
        "--e0",
        ".6",
        "--e1",
        ".3",
        "--sigma",
        ".5",
    ]
    printed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    tidy = [line.rstrip() for line in printed.splitlines()]
    for line in shown.splitlines():
        assert line.rstrip() in tidy


def test_every_command_shown_works(tmp_path):
    (commands,) = (block for block in blocks("") if block.startswith("simplicert"))
    (tmp_path / "counts.txt").write_text("900 80 20 0\n500 480 20 1\n")
    (tmp_path / "mymodule.py").write_text("def mechanism(e0, e1):\n    return (e0 - e1) / 2\n")
    for line in commands.splitlines():
        words = shlex.split(line.split("  ")[0])
        done = subprocess.run(
            [sys.executable, "-m", *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (line, done.stderr)


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
