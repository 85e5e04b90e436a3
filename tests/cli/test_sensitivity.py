"""`--sensitivity` divides the radii of every command that shows them, and is recorded and shown."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import simplicert as sc
from simplicert.metrics.growth import certify_shorter_runs
from simplicert.metrics.study import read_studies
from simplicert.store import Manifest

STAGE = 4.0
WORDS = "the input of a first stage of sensitivity 4"


def made(folder, seed=0, **source):
    """A run of two classes and 40 inputs, with what it declares about its source."""
    random, labels = np.random.default_rng(seed), np.arange(40) % 2
    counts = random.multinomial(1000, [0.95, 0.05], 40)
    counts[labels == 1] = counts[labels == 1][:, ::-1]
    tally = sc.Tally(counts, 0.5, labels=labels, plan=sc.Plan((1000,)))
    return sc.create_run(folder, Manifest(0.5, 40, 2, plan=tally.plan, source=source), tally).folder


@pytest.fixture
def plain(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return made(tmp_path / "plain")


@pytest.fixture
def staged(plain):
    """The same counts, behind a stage that the run declares."""
    return made(plain.with_name("staged"), sensitivity=STAGE)


def certified(command, run, *more, out="c.csv"):
    code, shown, err = command("certify", run, "--out", out, *more)
    assert code == 0
    return pd.read_csv(out), shown, err


@pytest.mark.slow
def test_certify_divides_once_records_and_shows(command, plain, staged):
    one, shown, _ = certified(command, plain)
    assert "first stage" not in shown and set(one["sensitivity"]) == {1.0}
    other, shown, err = certified(command, staged)
    assert WORDS in shown and "sensitivity 4" in shown and err == ""
    assert set(other["sensitivity"]) == {STAGE}
    for name in ("radius", *(name for name in sc.MECHANISMS if name in one), "ensemble"):
        np.testing.assert_array_equal(other[name], one[name] / STAGE)
    asked, shown, err = certified(command, plain, "--sensitivity", STAGE)
    pd.testing.assert_frame_equal(asked, other)
    assert "sensitivity 4 was asked for, and the run declares 1" in " ".join(err.split())
    none, *_ = certified(command, staged, "--sensitivity", 1)
    pd.testing.assert_frame_equal(none, one)
    certified_parquet = "c.parquet"
    assert command("certify", staged, "--out", certified_parquet)[0] == 0
    kept = json.loads(pq.read_schema(certified_parquet).metadata[b"simplicert"])
    assert kept["sensitivity"] == STAGE


@pytest.mark.slow
def test_certificates_made_at_a_sensitivity_are_verified_by_their_own(command, plain, staged):
    certified(command, staged, out="staged.csv")
    code, out, _ = command("verify", staged)
    assert code == 0 and "sensitivity 4 taken as given" in " ".join(out.split())
    certified(command, plain, "--sensitivity", 0.5, out="plain.csv")
    code, out, _ = command("verify", plain)  # radii twice as large, by the file's word alone
    assert code == 1
    assert "made for sensitivity 0.5, and the run declares 1" in " ".join(out.split())
    assert command("verify", plain, "--sensitivity", 0.5)[0] == 0
    assert command("verify", plain, "--sensitivity", 0.25)[0] == 0  # smaller radii than allowed
    assert command("verify", plain, "--sensitivity", 0.75)[0] == 1
    assert command("verify", plain, "--sensitivity", 0)[0] == 2
    frame = pd.read_csv("plain.csv", dtype=str)
    frame["sensitivity"] = "0.25"  # radii twice as large would follow from it
    frame.to_csv("plain.csv", index=False)
    assert command("verify", plain)[0] == 1
    frame["sensitivity"] = "-1"
    frame.to_csv("plain.csv", index=False)
    assert command("verify", plain)[0] == 1


@pytest.mark.parametrize("style", ["field", "paper1", "paper2"])
def test_table(command, plain, staged, style):
    own = command("table", staged, "--style", style)
    asked = command("table", plain, "--label", f"{plain}=staged", "--style", style,
                    "--sensitivity", STAGE)  # fmt: skip
    assert own == asked and own[0] == 0
    assert WORDS in " ".join(own[1].split())
    assert "first stage" not in command("table", plain, "--style", style)[1]


def test_the_file_of_a_table_says_it(command, staged):
    assert command("table", staged, "--out", "t.csv")[0] == 0
    lines = csv.DictReader(Path("t.csv").read_text().splitlines())
    assert {line["sensitivity"] for line in lines} == {"4.0"}


@pytest.mark.parametrize("words", [("table",), ("table", "--style", "pairs"), ("report",)])
def test_runs_of_different_sensitivities_are_not_compared(command, plain, staged, words):
    code, _, err = command(words[0], plain, staged, *words[1:])
    said = " ".join(err.split())
    assert code == 2 and "one sensitivity to be compared" in said and "4 (staged)" in said
    assert command(words[0], plain, staged, *words[1:], "--sensitivity", 2)[0] == 0


@pytest.mark.slow
def test_figure_says_it(command, plain, staged):
    for name in ("accuracy", "accuracy-sigmas", "scatter", "proportion", "improvement"):
        assert command("figure", name, staged, "--out", f"{name}.svg")[0] == 0
        assert command("figure", name, plain, "--sensitivity", STAGE, "--out", "b.svg")[0] == 0
    code, _, err = command("figure", "winner", "--sensitivity", 2)
    assert code == 2 and "sensitivity must come with a run" in err


def test_the_words_under_a_figure(plain, staged):
    from simplicert.figures.style import settings_note

    (study,) = read_studies([staged])
    assert "sensitivity 4" in settings_note([study.certificates()])
    (study,) = read_studies([plain])
    assert "sensitivity" not in settings_note([study.certificates()])


def test_shorter_runs_have_the_same_stage(plain, staged):
    (one,), (other,) = read_studies([plain]), read_studies([staged])
    for mine, its in zip(
        certify_shorter_runs(one).values(), certify_shorter_runs(other).values(), strict=True
    ):
        np.testing.assert_array_equal(its.radius, mine.radius / STAGE)


@pytest.mark.slow
def test_report(command, plain, staged):
    assert command("report", staged, "--out", "r.html")[0] == 0
    text = Path("r.html").read_text()
    assert f"perturbations of {WORDS}" in text and '"sensitivity":4.0' in text
    for name in ("sensitivity", "declared sensitivity"):
        assert len(re.findall(rf">{name}</th><td[^>]*>4</td>", text)) == 1, name
    assert "the run itself declares" not in text
    assert command("report", plain, "--sensitivity", STAGE, "--out", "r.html")[0] == 0
    assert "the run itself declares sensitivity 1" in Path("r.html").read_text()
    code, _, err = command("report", "--sensitivity", 2)
    assert code == 2 and "sensitivity must come with a run" in err


def test_gate(command, plain, staged):
    words = ("--require", "accuracy@0.3>=0.5", "--require", "average_radius>=0.1")
    assert command("gate", plain, *words)[0] == 0
    code, out, _ = command("gate", staged, *words)
    assert code == 1 and "of what goes into a first stage of sensitivity 4" in out
    assert f"radii are distances of {WORDS}" in out
    code, out, _ = command("gate", staged, *words, "--sensitivity", 1)
    assert code == 0 and "first stage" not in out
    code, out, _ = command("gate", plain, *words, "--sensitivity", STAGE, "--json")
    assert code == 1 and json.loads(out)["sensitivity"] == STAGE
    assert json.loads(out)["statements"][0]["sensitivity"] == STAGE
    code, _, err = command("gate", staged, *words, "--baseline", plain)
    assert code == 2 and "one sensitivity to be compared" in " ".join(err.split())


@pytest.mark.slow
def test_plan(command, plain, staged):
    """Radii of a plan are divided by the run's sensitivity, or by the one that is given."""
    words = ("plan", "--draws", 1000, "--json", "--radius")
    one = json.loads(command(*words, 0.8, "--run", plain)[1])
    other = json.loads(command(*words, 0.2, "--run", staged)[1])
    asked = json.loads(command(*words, 0.2, "--run", plain, "--sensitivity", STAGE)[1])
    asked["population"] = other["population"]
    assert asked == other and other["declared"]["sensitivity"] == STAGE
    for mine, its in zip(one["reach"], other["reach"], strict=True):
        assert its["two_sided"] == mine["two_sided"] / STAGE
        assert its["fewest_for_radius"] == mine["fewest_for_radius"]
    for mine, its in zip(one["losses"], other["losses"], strict=True):
        assert (its["certified"], its["true"]) == (mine["certified"] / STAGE, mine["true"] / STAGE)
    for mine, its in zip(one["costs"], other["costs"], strict=True):
        assert its["draws"] == mine["draws"] and its["certified"] == mine["certified"]
    assert WORDS in " ".join(command("plan", "--draws", 1000, "--run", staged)[1].split())


@pytest.mark.slow
def test_plan_serve(command, plain, staged):
    words = ("plan", "--draws", 500, "--json", "--serve")
    one, other = (json.loads(command(*words, run)[1]) for run in (plain, staged))
    np.testing.assert_allclose(
        other["operational_radius"], np.array(one["operational_radius"]) / STAGE, rtol=1e-8
    )
    assert f"a distance of {WORDS}" in other["operational_radius_rests_on"]
    asked = json.loads(command(*words, staged, "--sensitivity", 1)[1])
    assert asked["operational_radius"] == one["operational_radius"]


def test_a_log_has_no_place_for_it(command, plain, staged):
    code, _, err = command("export", "cohen", staged)
    assert code == 2 and "sensitivity must be 1 in a log" in " ".join(err.split())
    code, text, _ = command("export", "cohen", staged, "--sensitivity", 1)
    assert code == 0 and text == command("export", "cohen", plain)[1]


@pytest.mark.parametrize("bad", ["0", "-1", "nan", "inf"])
def test_what_is_no_sensitivity(command, plain, bad):
    for words in (("certify", plain), ("table", plain), ("report", plain)):
        code, _, err = command(*words, "--sensitivity", bad)
        assert code == 2 and "sensitivity must be a positive finite number" in " ".join(err.split())


MODEL = """
def make():
    return lambda batch: batch.reshape(len(batch), -1)[:, :3]
"""


@pytest.mark.slow
def test_run_declares_it(command, tmp_path, monkeypatch):
    """From the draws to the page; the same command goes on, and without it the run is another."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    Path("behind_a_stage.py").write_text(MODEL)
    inputs = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)
    np.savez("features.npz", inputs=inputs, labels=inputs[:, :3].argmax(1))
    words = ["run", "--model", "behind_a_stage:make", "--data", "features.npz", "--sigma", 0.5,
             "--draws", 200, "--device", "cpu", "--out", "runs", "--quiet"]  # fmt: skip
    code, out, _ = command(*words, "--sensitivity", STAGE)
    assert code == 0 and WORDS in " ".join(out.split())
    assert sc.open_run("runs").manifest.sensitivity == STAGE
    frame = pd.read_csv("runs.csv")
    assert set(frame["sensitivity"]) == {STAGE}
    np.testing.assert_array_equal(frame["radius"], sc.open_run("runs").certify().radius)
    assert f"perturbations of {WORDS}" in Path("runs.html").read_text()
    assert command(*words, "--sensitivity", STAGE)[0] == 0
    code, _, err = command(*words)
    assert code == 2 and "was made with sensitivity = 4.0" in " ".join(err.split())
    code, _, err = command(*words[:-2], "other", "--sensitivity", -1)
    assert code == 2 and "sensitivity must be a positive finite number" in " ".join(err.split())
