"""`simplicert history`: the gate's numbers by date and commit."""

import csv
import json

import numpy as np
import pytest

import simplicert as sc
from simplicert import machine
from simplicert.metrics.history import trace_history

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def made(folder, share, *, inputs=40, **told):
    counts = np.random.default_rng(0).multinomial(1000, [share, 1 - share], inputs)
    tally = sc.Tally(counts, 0.5, labels=[0] * inputs)
    sc.create_run(folder, sc.Manifest(0.5, inputs, 2, made=told), tally)
    return folder


@pytest.fixture
def runs(tmp_path):
    """The later run first, over fewer inputs."""
    later = made(tmp_path / "b", 0.9, inputs=30, began="2026-11-17T01:00:00+02:00", commit=COMMIT)
    return [later, made(tmp_path / "a", 0.6, began="2026-11-16T22:30:00+00:00")]


def test_the_earliest_is_first_and_values_are_the_gate_s(command, runs):
    words = ("--measure", "accuracy@0.25", "--measure", "statement@0.25")
    found = json.loads(command("history", *runs, *words, "--json")[1])["history"]
    assert [point["run"] for point in found] == ["a", "b"]
    assert [point["commit"] for point in found] == [None, COMMIT]
    assert found[1]["began"] == "2026-11-16T23:00:00+00:00" and found[1]["inputs"] == 30
    for point, run in zip(found, reversed(runs), strict=True):
        checks = sc.gate(run, ["accuracy@0.25>=0", "statement@0.25>=0"]).checks
        assert [(v["value"], v["low"]) for v in point["values"]] == [
            (c.value, c.low) for c in checks
        ]


def test_the_table_and_its_file(command, runs, tmp_path):
    code, out, err = command("history", *runs)
    assert (code, err) == (0, "") and "2026-11-16" in out and COMMIT[:7] in out
    assert "the earliest first" in out and "accuracy@0 " in out
    assert command("history", *runs, "--out", tmp_path / "h.csv")[0] == 0
    with (tmp_path / "h.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert rows[1]["commit"] == COMMIT and float(rows[1]["abstained"]) == 0


@pytest.mark.slow
def test_the_figure(command, runs, tmp_path):
    out = tmp_path / "h.svg"
    assert command("history", *runs, "--measure", "average_radius", "--out", out)[0] == 0
    text = out.read_text()
    assert "average radius" in text and "2026-11-16" in text and COMMIT[:7] in text


@pytest.mark.parametrize("told", [{"began": "yesterday"}, {"began": 3, "commit": "$(rm -rf)"}, {}])
def test_what_is_no_date_leaves_the_order_as_given(runs, tmp_path, told):
    third = made(tmp_path / "c", 0.8, **told)
    points = trace_history(sc.metrics.read_studies([third, *runs]))
    assert [point.run for point in points] == ["c", "b", "a"] and points[0].commit is None
    assert points[0].day == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--measure", "speed"], "measure must be one of accuracy"),
        (["--measure", "abstained", "--measure", "abstained"], "abstained twice"),
        (["--json", "--out", "h.csv"], "json must come without out"),
        (["--out", "h.txt"], "out must end in"),
        (["--label", "nobody=x"], "label must name a run"),
    ],
)
def test_refused(command, runs, words, said):
    code, out, err = command("history", *runs, *words)
    assert code == 2 and out == "" and said in err


def test_an_incomplete_run_is_no_history(command, runs, tmp_path):
    tally = sc.Tally([[900, 100]], 0.5, labels=[0])
    sc.create_run(tmp_path / "part", sc.Manifest(0.5, 2, 2), tally)
    code, _, err = command("history", *runs, tmp_path / "part")
    assert code == 2 and "run part must be complete" in err


def test_a_commit_is_what_the_build_server_says(monkeypatch):
    for name in machine.COMMIT_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    assert machine.find_commit() == ""
    monkeypatch.setenv("GITHUB_SHA", "not a commit; rm")
    monkeypatch.setenv("CI_COMMIT_SHA", COMMIT)
    assert machine.find_commit() == COMMIT
