"""The committed result of `make release`, and a reason for every dependency in docs/release.md."""

import json
import re
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "release.md").read_text()
RESULT = json.loads((ROOT / "release" / "results.json").read_text())
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.fixture
def release(monkeypatch):
    """The modules of release/, which are no part of the package."""
    monkeypatch.syspath_prepend(str(ROOT / "release"))
    import smoke

    yield SimpleNamespace(smoke=smoke)
    for name in ("smoke", "place"):
        sys.modules.pop(name, None)


def test_nothing_that_is_shown_failed():
    outcomes = {row["outcome"] for row in RESULT["rows"].values()}
    assert {outcome for outcome in outcomes if not outcome.startswith("skipped: ")} == {"works"}
    assert {f"{version}:base" for version in ("3.11", "3.12", "3.13")} <= {*RESULT["rows"]}


def test_every_extra_has_a_smoke_test(release):
    assert {*release.smoke.SMOKES} == {"base", *PROJECT["optional-dependencies"]}


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
