"""docs/release.md: its table is that of the committed result, and every dependency has a reason."""

import json
import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "release.md").read_text()
RESULT = json.loads((ROOT / "release" / "results.json").read_text())
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.fixture
def check(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "release"))
    import check

    yield check
    for name in ("check", "place", "smoke"):
        sys.modules.pop(name, None)


def test_the_table_is_that_of_the_committed_result(check):
    assert check.table(list(RESULT["rows"].values())) in PAGE


def test_sizes_are_those_of_the_committed_result():
    wheel, sdist = (RESULT[f"{name}_bytes"] / 1e6 for name in ("wheel", "sdist"))
    assert f"the wheel has {wheel:.1f} MB and the sdist {sdist:.1f} MB" in PAGE


def test_nothing_failed_and_nothing_else_is_claimed():
    outcomes = {row["outcome"] for row in RESULT["rows"].values()}
    assert {outcome for outcome in outcomes if not outcome.startswith("skipped: ")} == {"works"}
    assert {pair for pair in RESULT["rows"] if pair.endswith(":base")} == {
        "3.11:base",
        "3.12:base",
        "3.13:base",
    }


def test_every_extra_has_a_smoke_test(check):
    assert {*check.SMOKES} == {"base", *PROJECT["optional-dependencies"]}


def wanted():
    """(name, where) of every requirement; the package's own extras are not others' work."""
    groups = {"base": PROJECT["dependencies"], **PROJECT["optional-dependencies"]}
    for where, lines in groups.items():
        for line in lines:
            name = re.match(r"[\w.-]+", line)[0]
            if name != "simplicert":
                yield name, where


def explained():
    """(name, where) of every row of the page's table of dependencies."""
    _, _, below = PAGE.partition("## Dependencies")
    for line in below.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `"):
            assert len(cells) == 5 and all(cells), line
            yield cells[0].strip("`"), cells[1].strip("`")


def test_every_dependency_is_explained_and_no_other():
    assert sorted(explained()) == sorted(wanted())
