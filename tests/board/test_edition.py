"""Our own edition in docs/board: the page of every log, and no row of a log without a licence."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SITE = ROOT / "docs" / "board"
TEMPLATES = ROOT / "src" / "simplicert" / "board" / "templates"
FREE = {"MIT", "BSD-3-Clause"}  # licences that let rows be copied

pytestmark = pytest.mark.skipif(
    not (SITE / "data" / "0.js").exists(),
    reason="the sdist leaves out what the pages of the logs read",
)


def read_script(name):
    """Return what a script of data assigns."""
    return json.loads((SITE / name).read_text().split(" = ", 1)[1].strip().removesuffix(";"))


def test_every_log_has_its_page_and_only_licensed_ones_have_rows():
    ledger = json.loads((ROOT / "experiments" / "board" / "ledger.json").read_text())
    licences = {
        one["repository"].removeprefix("github.com/").replace("/", "+"): one["licence"]
        for one in ledger["repositories"]
    }
    table = read_script("rows.js")
    rows = [dict(zip(table["names"], row, strict=True)) for row in table["rows"]]
    parts = {part: read_script(f"data/{part}.js") for part in {row["part"] for row in rows}}
    limits, pairs = read_script("data/limits.js"), read_script("data/pairs.js")
    assert len({row["id"] for row in rows}) == len(rows) == ledger["read"]
    counted = {pair["a"] for pair in pairs} | {pair["b"] for pair in pairs}
    for row in rows:
        log = parts[row["part"]][row["id"]]
        free = licences[row["log"].split("/")[0]] in FREE
        assert ("codes" in log) == ("index" in log) == free
        assert free or row["id"] in counted
        assert len(log["sha256"]) == 64 and str(row["inputs"]) in limits


def test_json_holds_every_log_and_every_refusal():
    ledger = json.loads((ROOT / "experiments" / "board" / "ledger.json").read_text())
    held = json.loads((SITE / "board.json").read_text())
    assert len(held["logs"]) == ledger["read"] and len(held["refused"]) == ledger["refused"]
    assert all(len(log["hits"]) == len(held["radii"]) for log in held["logs"])


@pytest.mark.parametrize("name", ["board.css", "*.js"])
def test_its_scripts_are_those_of_this_package(name):
    """After a change of a script, copy it; after one of the data, remake the edition."""
    for file in TEMPLATES.glob(name):
        assert (SITE / file.name).read_text() == file.read_text(), file.name
