"""The numbers of docs/choosing.md are those the commands print and the committed results hold."""

import json
import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "choosing.md").read_text()
SHOWN = re.findall(r"```sh\n([^\n]+)\n```\n\n```text\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize(("line", "shown"), SHOWN)
def test_the_lines_shown_are_lines_printed(command, line, shown):
    code, out, _ = command(*shlex.split(line)[1:])
    printed = [row.rstrip() for row in out.splitlines()]
    assert code == 0 and [row for row in shown.splitlines() if row not in printed] == []


def test_draws_saved_over_real_tallies():
    rows = json.loads((ROOT / "benchmarks" / "results" / "draws.json").read_text())["real"]
    for scheme in ("joint", "gated"):
        few, many = (f"{100 * row[scheme]['mean']:.0f} %" for row in rows)
        said = re.search(rf"`{scheme}` needs (\d+ %)[^%]*? and (\d+ %)", PAGE)
        assert said is not None and said.groups() == (few, many)
    assert [f"n = {row['draws']:,}" in PAGE for row in rows] == [True, True]
    assert len(SHOWN) == 2
