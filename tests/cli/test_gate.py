"""`simplicert gate` as a build server calls it."""

import json

import numpy as np
import pytest

import simplicert as sc
from simplicert.store import Manifest


def made(place, name, shares, inputs=40, seed=0):
    random = np.random.default_rng(seed)
    labels = np.arange(inputs) % 2
    counts = random.multinomial(1000, shares, inputs)
    counts[labels == 1] = counts[labels == 1][:, ::-1]
    tally = sc.Tally(counts, 0.5, labels=labels, plan=sc.Plan((1000,)))
    sc.create_run(place / name, Manifest(0.5, inputs, 2, plan=tally.plan), tally)
    return place / name


@pytest.fixture
def run(tmp_path):
    return made(tmp_path, "good", [0.95, 0.05])


def test_requirements_that_hold(command, run):
    code, out, err = command("gate", run, "--require", "accuracy@0.5>=0.9")
    assert (code, err) == (0, "") and "1 of 1 requirements hold" in out
    assert "With 99 % confidence at least" in out and "distance 0.5" in out


@pytest.mark.parametrize(
    "text",
    [
        "accuracy@2>=0.1",
        "abstained<=-0.5",
        "average_radius>=3",
        "median_radius>=2",
        "statement@0.5>=0.99",
    ],
)
def test_requirements_that_fail(command, run, text):
    code, out, _ = command("gate", run, "--require", text, "--require", "abstained<=1")
    assert code == 1 and "FAILS" in out and "1 of 2 requirements hold" in out


def test_values_are_the_metrics(command, run):
    words = ["accuracy@0.5>=0", "average_radius>=0", "median_radius>=0", "abstained<=1"]
    options = [word for text in words for word in ("--require", text)]
    found = json.loads(command("gate", run, *options, "--json")[1])
    certificates = sc.open_run(run).certify()
    values = [item["value"] for item in found["checks"]]
    radius = np.where(certificates.correct, certificates.radius, 0)
    assert values == pytest.approx(
        [(radius > 0.5).mean(), radius.mean(), np.median(certificates.radius), 0.0]
    )
    assert found["passed"] and found["statements"][0]["inputs"] == 40


def test_a_baseline(command, run, tmp_path):
    worse = made(tmp_path, "worse", [0.6, 0.4])
    words = ["--require", "average_radius>=0", "--baseline", run]
    assert command("gate", worse, *words)[0] == 1
    assert command("gate", worse, *words, "--max-drop", 0.9)[0] == 0
    assert command("gate", run, "--require", "average_radius>=0", "--baseline", worse)[0] == 0
    other = made(tmp_path, "other", [0.6, 0.4], inputs=30)
    code, _, err = command("gate", other, *words)
    assert code == 2 and "must cover the same inputs" in err


def test_groups(command, run, tmp_path):
    code, out, _ = command("gate", run, "--require", "accuracy@0>=0.5", "--groups", "label")
    assert code == 0 and "label 1" in out and "3 of 3" in out
    path = tmp_path / "groups.csv"
    path.write_text("index,group\n0,first\n1,second\n3,second\n")
    found = json.loads(
        command("gate", run, "--require", "accuracy@0>=0.5", "--groups", path, "--json")[1]
    )
    assert [(item["group"], item["inputs"]) for item in found["checks"]] == [
        ("all", 40),
        ("first", 1),
        ("second", 2),
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--require", "speed>=3"], "require must be one of accuracy"),
        (["--require", "accuracy>=0.5"], "must name a radius after accuracy@"),
        (["--require", "abstained@1<=0.5"], "must not name a radius after abstained"),
        (["--require", "accuracy@0.5=0.6"], "require must be like accuracy@0.5>=0.6"),
        (["--require", "accuracy@1e>=1"], "require must hold numbers"),
        (["--require", "accuracy@-1>=1"], "must have a radius >= 0"),
        (["--require", "abstained<=1", "--max-drop", 0.1], "max_drop must come with baseline"),
        (["--require", "abstained<=1", "--confidence", 2], "confidence must lie strictly"),
        (["--require", "abstained<=1", "--groups", "/nowhere.csv"], "nowhere.csv"),
    ],
)
def test_refused(command, run, words, said):
    words = [*words, "--require", "accuracy@0.5>=0"] if "--confidence" in words else words
    code, out, err = command("gate", run, *words)
    assert code == 2 and said in err and out == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\n1,2\n", "must have the columns index and group"),
        ("index,group\nx,one\n", "a number and a name in line 2"),
        ("index,group\n1,\n", "a number and a name in line 2"),
        ("index,group\n1,all\n", "a number and a name in line 2"),
        ("index,group\n999,far\n", "far holds none"),
        ("", "must have the columns"),
    ],
)
def test_groups_that_are_none(command, run, tmp_path, text, said):
    path = tmp_path / "groups.csv"
    path.write_text(text)
    code, _, err = command("gate", run, "--require", "abstained<=1", "--groups", path)
    assert code == 2 and said in err


def test_an_incomplete_run_is_no_evidence(command, tmp_path):
    tally = sc.Tally([[1000, 0]], 0.5, labels=[0], plan=sc.Plan((1000,)))
    sc.create_run(tmp_path / "part", Manifest(0.5, 2, 2, plan=tally.plan), tally)
    code, _, err = command("gate", tmp_path / "part", "--require", "abstained<=1")
    assert code == 2 and "must be complete: 1 of 2 inputs are missing" in err
