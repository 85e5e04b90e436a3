"""JSON of the commands: the keys that docs/results.md lists, and never NaN."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import simplicert as sc

PAGE = (Path(__file__).parents[2] / "docs" / "results.md").read_text()
LISTED = {
    line.split("`")[1].split()[0]: set(re.findall(r"`(\w+)`", line.split("|")[2]))
    for line in PAGE.splitlines()
    if line.startswith("| `")
}
OPTIONS = {"gate": ("--require", "accuracy@0.25>=0.1")}


def read(text):
    return json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} in JSON"))


@pytest.fixture
def run(tmp_path):
    """Of twenty inputs, one of which is abstained: it has no class and no bounds."""
    counts = np.random.default_rng(0).multinomial(1000, [0.95, 0.05], 20)
    counts[0] = 500
    tally = sc.Tally(counts, 0.5, labels=[0] * 20, plan=sc.Plan((1000,)))
    made = {"began": "2026-11-17T22:30:00+00:00"}
    sc.create_run(tmp_path / "mine", sc.Manifest(0.5, 20, 2, plan=tally.plan, made=made), tally)
    return tmp_path / "mine"


@pytest.mark.parametrize("name", ["certify", "table", "gate", "status", "history", "verify"])
def test_keys_are_those_on_the_page(command, run, name):
    code, out, err = command(name, run, *OPTIONS.get(name, ()), "--json")
    assert (code, err) == (0, "") and out.count("\n") == 1
    assert set(read(out)) == LISTED[name]


def test_explanations_have_their_keys(command):
    assert {key for row in read(command("explain", "--json")[1]) for key in row} == LISTED[
        "explain"
    ]


def test_rows_are_the_certificates(command, run):
    found = read(command("certify", run, "--json")[1])
    certificates = sc.open_run(run).certify()
    assert found["inputs"] == 20 and found["certified"] == 19 and found["abstained"] == 0.05
    assert found["rows"][0]["e0"] is None and found["rows"][0]["predicted"] is None
    assert [row["radius"] for row in found["rows"]] == certificates.radius.tolist()
    assert list(found["rows"][0]) == list(certificates.to_frame().columns)
    curve = sc.metrics.accuracy_curve(certificates, [at["radius"] for at in found["accuracy"]])
    assert [at["low"] for at in found["accuracy"]] == curve.low.tolist()


def test_warnings_are_remarks_and_go_to_stderr(command, run):
    code, out, err = command("certify", run, "--json", "--alpha", ".01")
    assert code == 0 and read(out)["remarks"][0].startswith("exploratory") and "exploratory" in err


def test_without_labels_there_is_no_accuracy(command, tmp_path):
    sc.create_run(tmp_path / "run", sc.Manifest(0.5, 1, 2), sc.Tally([[99, 1]], 0.5))
    found = read(command("certify", tmp_path / "run", "--json")[1])
    assert found["accuracy"] is None and found["average_radius"] is None


def test_a_table_in_every_format(command, run, tmp_path):
    shown = read(command("table", run, "--json")[1])
    assert command("table", run, "--out", tmp_path / "t.json")[0] == 0
    assert read((tmp_path / "t.json").read_text()) == shown
    assert command("table", run, "--out", tmp_path / "t.html")[0] == 0
    page = (tmp_path / "t.html").read_text()
    assert shown["title"].replace(">", "&gt;") in page and shown["rows"][0][2] in page
    assert shown["records"][0]["accuracy_at_0.25"] == 0.95
    code, out, err = command("table", run, "--json", "--out", tmp_path / "u.json")
    assert code == 2 and out == "" and "json must come without format and out" in err


def test_a_failed_gate_is_json_too(command, run):
    code, out, _ = command("gate", run, "--require", "average_radius>=9", "--json")
    (check,) = read(out)["checks"]
    assert code == 1 and check["low"] < check["value"] < check["high"]
    assert check["words"].startswith("average_radius>=9 FAILS")
