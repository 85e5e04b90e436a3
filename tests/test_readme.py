"""What the README says is what happens."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from simplicert import Tally, bound

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


@pytest.mark.slow
def test_the_python_lines_run():
    (code,) = blocks("python")
    lines = [line for line in code.splitlines() if line.strip()]
    assert len(lines) == 6 and lines[0] == "import simplicert as sc"
    run = [sys.executable, "-c", GIVEN + code]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "two_sided" in done.stdout


def test_levels_are_those_that_the_table_states():
    tally = Tally([[900, 80, 20]], sigma=0.5)
    level = {scheme: bound(tally, 0.001, scheme=scheme).level for scheme in ("paper", "gated")}
    assert level == pytest.approx({"paper": 0.003, "gated": 0.001})


@pytest.mark.slow
def test_every_command_shown_works(tmp_path, monkeypatch, command):
    (commands,) = (block for block in blocks("") if block.startswith("simplicert"))
    (tmp_path / "counts.txt").write_text("900 80 20 0\n500 480 20 1\n")
    monkeypatch.chdir(tmp_path)
    for line in commands.splitlines():
        code, _, said = command(*shlex.split(line.split("  ")[0])[1:])
        assert code == 0, (line, said)


@pytest.mark.parametrize("path", sorted(ROOT.glob("*.md")) + sorted((ROOT / "docs").glob("*.md")))
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)#]+)\)", path.read_text()):
        assert target.startswith("http") or (path.parent / target).exists(), target
