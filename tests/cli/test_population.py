"""`simplicert population`, `plan --population` and `gate` with a design, as a user types them."""

import json

import numpy as np
import pytest

import simplicert as sc

SIGMA, DRAWS, INPUTS = 0.5, 16, 300


def made(folder, inputs, draws, first, seed, **made):
    rng = np.random.default_rng(seed)
    right = rng.binomial(draws, rng.beta(0.8, 0.3, inputs))
    counts = np.column_stack([right, draws - right])
    index = np.arange(first, first + inputs)
    tally = sc.Tally(counts, SIGMA, labels=[0] * inputs, index=index, plan=sc.Plan((draws,)))
    sc.create_run(folder, sc.Manifest(SIGMA, inputs, 2, plan=tally.plan, made=made), tally)
    return folder


@pytest.fixture
def place(tmp_path, monkeypatch, command):
    """A pilot, a design from it, and a run that began after it."""
    monkeypatch.chdir(tmp_path)
    made("pilot", 100, 200, 1000, 0)
    words = ("--radius", 0.25, "--draws", DRAWS, "--inputs", INPUTS, "--out", "design.toml")
    code, out, err = command("population", "design", "--pilot", "pilot", *words)
    assert (code, err) == (0, "") and "fingerprint" in out
    made("run", INPUTS, DRAWS, 0, 1, began="2999-01-01T00:00:00+00:00")
    return tmp_path


def test_a_design_and_its_certificate(command, place):
    code, out, err = command("population", "certify", "run", "--design", "design.toml")
    assert (code, err) == (0, "")
    assert "With 99.9 % confidence at least" in out and "16 draws of each of 300 inputs" in out
    assert "the draws began at 2999" in out
    found = json.loads(
        command("population", "certify", "run", "--design", "design.toml", "--json")[1]
    )
    exact = sc.population(sc.open_run("run"), "design.toml")
    assert found["shares"][0]["share"] == exact.share(0.25) > 0.3
    assert found["fingerprint"] in (place / "design.toml").read_text()


def test_refusals_are_one_sentence(command, place):
    made("early", INPUTS, DRAWS, 0, 1, began="2000-01-01T00:00:00+00:00")
    made("both", INPUTS + 50, DRAWS, 750, 1, began="2999-01-01T00:00:00+00:00")
    (place / "other.toml").write_text(
        (place / "design.toml").read_text().replace("0.999", "0.9999")
    )
    design = ["--radius", 0.25, "--draws", 4, "--inputs", 10]
    for words, said in (
        (("certify", "early", "--design", "design.toml"), "recorded before the draws begin"),
        (("certify", "both", "--design", "design.toml"), "among the pilot's"),
        (
            ("certify", "pilot", "--design", "design.toml"),
            "one fixed look at the design's 16 draws, got fixed with looks at 200\n",
        ),
        (("certify", "run", "--design", "other.toml"), "checksum does not match"),
        (("certify", "run", "--design", "nothing.toml"), "cannot read"),
        (("design", *design, "--out", "new.toml"), "sigma must be given"),
        (("design", *design, "--out", "design.toml", "--sigma", 1), "already there"),
        (("design", *design, "--out", "new.toml", "--sigma", 1, "--prior", "1"), "prior must"),
        (
            ("design", *design, "--out", "new.toml", "--pilot", "pilot", "--prior", "1,1"),
            "prior must not be given with a pilot",
        ),
    ):
        code, out, err = command("population", *words)
        assert code == 2 and said in err and err.count("\n") == 1 and out == ""
    assert not (place / "new.toml").exists()


def test_the_pilot_is_left_out_where_it_is_asked_for(command, place):
    made("both", INPUTS + 50, DRAWS, 750, 1)
    code, _, err = command(
        "population", "certify", "both", "--design", "design.toml", "--without-pilot"
    )
    assert code == 2 and "the design's 300, got 250 without the pilot's 100" in err
    made("right", INPUTS + 100, DRAWS, 900, 1)
    words = ("population", "certify", "right", "--design", "design.toml", "--without-pilot")
    code, out, _ = command(*words)
    assert code == 0 and "100 of the pilot left out" in out and "user's word" in out


def test_one_draw_and_two_radii_are_said_as_a_person_would(command, place):
    made("one", INPUTS, 1, 0, 1, began="2999-01-01T00:00:00+00:00")
    words = ("--sigma", SIGMA, "--radius", 0, "--radius", 0.1, "--draws", 1, "--inputs", INPUTS)
    kind = ("--classifier", "randomised", "--out", "one.toml")
    assert command("population", "design", *words, *kind)[0] == 0
    code, out, _ = command("population", "certify", "one", "--design", "one.toml")
    assert code == 0 and out.startswith("randomised classifier: 1 draw of each of 300 inputs\n")
    assert "for both radii of the design together" in out and "1 draws" not in out


def test_a_log_without_counts_is_refused(command, place):
    (place / "log.tsv").write_text(
        "idx\tlabel\tpredict\tradius\tcorrect\ttime\n0\t3\t3\t0.4\t1\t17\n"
    )
    words = ("--sigma", SIGMA, "--draws", 100, "--out", "log")
    assert command("import", "cohen", "log.tsv", *words)[0] == 0
    for words in (
        ("certify", "log", "--design", "design.toml"),
        (
            "design",
            "--pilot",
            "log",
            "--radius",
            0.1,
            "--draws",
            4,
            "--inputs",
            9,
            "--out",
            "n.toml",
        ),
    ):
        code, _, err = command("population", *words)
        assert code == 2 and "counts" in err


def test_the_gate_takes_a_design(command, place):
    share = sc.population(sc.open_run("run"), "design.toml").share(0.25)
    for limit, wanted in ((share - 0.01, 0), (share + 0.01, 1)):
        words = ("--require", f"population@0.25>={limit:.6f}", "--design", "design.toml")
        code, out, err = command("gate", "run", *words, "--require", "abstained<=1")
        assert (code, err) == (wanted, "")
        assert "16 draws of each of 300 inputs" in out and "user's word" in out
        assert "the draws began at 2999" in out
    found = json.loads(command("gate", "run", *words, "--json")[1])
    assert [check["value"] for check in found["checks"]] == [share]
    assert found["statements"][0]["fingerprint"]


def test_the_gate_refuses_what_is_not_there(command, place):
    design = ("--design", "design.toml")
    for words, said in (
        (("--require", "population@0.25>=0.1"), "design must be given for population@R"),
        (("--require", "accuracy@0.25>=0.1", *design), "no place without --require population"),
        (("--require", "population@0.3>=0.1", *design), "one of the design's, 0.25"),
        (("--require", "population@0.25<=0.1", *design), "lower limit"),
        (("--require", "population>=0.1", *design), "must name a radius"),
        (("--require", "population@0.25>=0.1", *design, "--groups", "label"), "besides population"),
    ):
        code, _, err = command("gate", "run", *words)
        assert code == 2 and said in err


@pytest.mark.slow
def test_plan_divides_a_budget(command, place):
    words = ("plan", "--population", 6400, "--radius", 0.25, "--run", "pilot", "--inputs", 300)
    code, out, err = command(*words)
    assert (code, err) == (0, "") and "population" in out and "each input" in out
    found = json.loads(command(*words, "--json")[1])
    rows = {(row["method"], row["draws"]): row for row in found["rows"]}
    assert rows["population", 16]["inputs"] == 300 and rows["population", 64]["inputs"] == 100
    assert all(0 <= row["share"] <= found["true"] for row in found["rows"])
    assert rows["population", 16]["share"] > rows["population", 256]["share"]
    for extra, said in (
        (("--draws", 5), "no place beside population"),
        (("--confidence", 2), "confidence must"),
    ):
        code, _, err = command(*words, *extra)
        assert code == 2 and said in err
    assert command("plan", "--population", 10, "--radius", 0.25, "--run", "pilot")[0] == 2
    for given, said in (("--radius", "run must be"), ("--sigma", "run must be")):
        code, _, err = command("plan", "--population", 9999, given, 0.25)
        assert code == 2 and said in err and "`simplicert population design`" in err
    code, _, err = command("plan", "--population", 9999, "--run", "pilot")
    assert code == 2 and "radius must be given with population" in err
    assert command("plan", "--draws", 10, "--sigma", 1, "--confidence", 0.9)[0] == 2
