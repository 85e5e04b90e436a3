"""The Python example of docs/sampling.md, run as a reader would: from an empty folder."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import simplicert as sc

PAGE = (Path(__file__).parents[1] / "docs" / "sampling.md").read_text()
SECTION = re.search(r"^## From Python\n(.*?)(?=^## )", PAGE, re.DOTALL | re.MULTILINE)[1]
BLOCKS = re.findall(r"^```(\w+)[^\n]*\n(.*?)^```$", SECTION, re.DOTALL | re.MULTILINE)


@pytest.mark.slow
def test_the_example_prints_what_the_page_shows(tmp_path):
    """It stops halfway and continues; another process then finds nothing left to draw."""
    (_, program), (_, line), (_, shown) = BLOCKS
    assert [language for language, _ in BLOCKS] == ["python", "sh", "text"]
    assert line == "python draw.py\n"
    (tmp_path / "draw.py").write_text(program)
    printed = [run_example(tmp_path) for _ in range(2)]
    assert printed[0] == shown
    assert printed[1] == shown.replace("complete: False", "complete: True")


def run_example(folder):
    words = [sys.executable, "draw.py"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_draws_what_an_undisturbed_call_draws(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "draw"}
    exec(BLOCKS[0][1], names)
    whole = sc.draw(names["classifier"], names["inputs"], **{**names["asked"], "out": "whole"})
    tallies = [run.tally() for run in (names["outcome"].run, whole.run)]
    np.testing.assert_array_equal(tallies[0].counts, tallies[1].counts)
    assert tallies[0] == tallies[1]
