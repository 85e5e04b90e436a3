"""`simplicert table` as a user types it: three commands to Table 2, formats, refusals."""

import csv
import io
from importlib import resources

import numpy as np
import pytest
from scipy import stats

import simplicert as sc


@pytest.fixture
def counts(tmp_path, monkeypatch):
    """An empty folder with the bundled table of counts, and nothing else."""
    monkeypatch.chdir(tmp_path)
    bundled = resources.files("simplicert.data") / "example_counts.txt"
    (tmp_path / "counts.txt").write_text(bundled.read_text())
    return tmp_path / "counts.txt"


@pytest.fixture
def runs(command, counts):
    """Runs of the same counts as if drawn at two sigmas."""
    for name, sigma in (("a", "0.25"), ("b", "0.5")):
        assert command("import", "counts", counts, "--sigma", sigma, "--out", name)[0] == 0
    return "a", "b"


def test_three_commands_from_bare_counts_to_table_2(command, counts):
    assert command("import", "counts", counts, "--sigma", ".5", "--out", "mine")[0] == 0
    assert command("certify", "mine", "--out", "certificates.csv")[0] == 0
    code, out, err = command("table", "mine", "--style", "paper2")
    assert (code, err) == (0, "")
    table = np.loadtxt(counts, dtype=int)
    certs = sc.certify(sc.bound(sc.Tally(table[:, :-1], 0.5)))
    gain = certs.ensemble - certs.radii["cohen"]
    gain[gain < 1e-12 * certs.ensemble] = 0
    test = stats.wilcoxon(gain, zero_method="pratt", alternative="greater")
    (row,) = (line.split() for line in out.splitlines() if line.split()[3:4] == ["ensemble"])
    assert row[:3] == ["mine", "counts.txt", "0.5"]
    assert float(row[4]) == pytest.approx(test.pvalue, rel=0.1)
    assert float(row[5]) == test.statistic
    assert float(row[6]) == pytest.approx(100 * (gain > 0).mean(), abs=0.1)
    some = certs.radii["cohen"] > 0
    assert int(row[7]) == some.sum()
    assert float(row[8]) == pytest.approx(np.median(gain[some]), abs=1e-4)
    assert float(row[10]) == pytest.approx(gain[some].mean(), abs=1e-4)
    assert float(row[14]) == pytest.approx(gain.mean(), abs=1e-4)
    assert "over all 200 inputs" in out


def test_the_default_is_the_field_s_table(command, runs):
    code, out, err = command("table", *runs)
    assert (code, err) == (0, "")
    certs = sc.open_run("b").certify()
    accuracy = (certs.correct & (certs.radius > 0.5)).mean()
    row = next(line.split() for line in out.splitlines() if line.startswith("b "))
    assert float(row[4].strip("*")) == pytest.approx(100 * accuracy, abs=0.1)
    assert "best sigma" in out


@pytest.mark.parametrize("style", ["field", "paper1", "paper2", "pairs"])
@pytest.mark.parametrize(
    ("suffix", "begins"),
    [("md", "**"), ("tex", "% needs \\usepackage{booktabs}"), ("csv", "")],
)
def test_every_style_in_every_format(command, runs, style, suffix, begins, tmp_path):
    out = tmp_path / f"table.{suffix}"
    code, said, err = command("table", *runs, "--style", style, "--out", out)
    assert (code, said, err) == (0, f"wrote {out}\n", "")
    assert out.read_text().startswith(begins)
    name = {"md": "markdown", "tex": "latex", "csv": "csv"}[suffix]
    assert command("table", *runs, "--style", style, "--format", name)[1] == out.read_text()


def test_labels_group_runs_of_one_method(command, runs):
    words = ("--label", "a=our_method", "--label", "b=our_method", "--format", "csv")
    code, out, _ = command("table", *runs, *words)
    assert code == 0
    assert [row["run"] for row in csv.DictReader(io.StringIO(out))] == ["our_method"] * 2


def test_choices_reach_the_table(command, runs):
    words = ("--radii", ".5,0,.5", "--column", "cohen", "--population", "correct", "--inclusive")
    _, out, _ = command("table", *runs, *words, "--format", "csv")
    row = next(csv.DictReader(io.StringIO(out)))
    assert (row["column"], row["population"], row["inclusive"]) == ("cohen", "correct", "true")
    assert [name for name in row if name.startswith("accuracy") and name[-1].isdigit()] == [
        "accuracy_at_0",
        "accuracy_at_0.5",
    ]
    with_lines, without = (command("table", *runs, f"--{word}intervals")[1] for word in ("", "no-"))
    assert len(with_lines.splitlines()) == len(without.splitlines()) + 3


def test_a_run_without_labels(command, counts):
    lines = counts.read_text().splitlines()
    counts.write_text("".join(line.rpartition(" ")[0] + "\n" for line in lines))
    words = ("import", "counts", counts, "--no-labels", "--sigma", ".5", "--out", "bare")
    assert command(*words)[0] == 0
    code, out, err = command("table", "bare")
    assert (code, out) == (2, "")
    assert "the run bare has none" in err
    assert command("table", "bare", "--style", "paper2")[0] == 0
    assert command("table", "bare", "--style", "paper1")[0] == 0


@pytest.mark.slow
def test_runs_on_other_inputs_are_refused_and_the_missing_named(command, runs, counts):
    lines = counts.read_text().splitlines()
    counts.write_text("\n".join(lines[:-2]) + "\n")
    assert command("import", "counts", counts, "--sigma", "1", "--out", "short")[0] == 0
    for style in ("field", "paper1", "paper2", "pairs"):
        code, out, err = command("table", "a", "short", "--style", style)
        assert (code, out) == (2, "")
        assert "short lacks 2 of 200: 198, 199" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--style", "paper3"), "style must be one of field, paper1, paper2, pairs, got 'paper3'"),
        (("--style", "pair"), "got 'pair'; did you mean pairs?"),
        (
            ("--format", "pdf"),
            "format must be one of screen, markdown, latex, html, csv, json, got 'pdf'",
        ),
        (("--out", "table.txt"), "out must end in .md, .tex, .html, .csv, .json"),
        (("--out", "nowhere/table.md"), "out must lie in a folder that exists"),
        (("--out", "a/table.md"), "out must not lie inside a run it is made from"),
        (("--out", "x.txt", "--format", "screen"), "got 'screen'"),
        (
            ("--out", "t.tex", "--format", "csv"),
            "format must be latex to be written to t.tex, or be left out, got 'csv'",
        ),
        (("--radii", "0,x"), "radii must be numbers separated by commas, got '0,x'"),
        (("--radii", ""), "radii must be numbers separated by commas, got ''"),
        (("--radii", "nan"), "radii must be finite"),
        (("--radii", "inf"), "radii must be finite"),
        (("--radii=-1",), "radii must not be negative"),
        (("--column", "ours"), "column ours is not among those of run a"),
        (("--population", "wrong"), "population must be one of all, correct, got 'wrong'"),
        (("--kind", "x"), "kind must be one of"),
        (("--kind", "soft"), "run a: "),
        (("--label", "a"), "label must be RUN=name, got 'a'"),
        (("--label", "z=x"), "label must name a run that is given, got z"),
        (("--style", "paper1", "--radii", "0"), "radii has no place in style paper1"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_is_written(command, runs, tmp_path, words, message):
    before = sorted(tmp_path.rglob("*"))
    code, out, err = command("table", *runs, *words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("simplicert: ")
    assert err.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before


def test_a_refusal_leaves_the_old_file(command, runs, tmp_path):
    old = tmp_path / "table.md"
    old.write_text("precious")
    assert command("table", "a", "--style", "pairs", "--out", old)[0] == 2
    assert old.read_text() == "precious"


def test_an_incomplete_run_says_so(command, runs, tmp_path):
    text = (tmp_path / "b" / "run.toml").read_text()
    (tmp_path / "b" / "run.toml").write_text(text.replace("inputs = 200", "inputs = 210"))
    _, out, _ = command("table", *runs)
    assert "incomplete: b (sigma 0.5): 10 of 210 inputs are missing" in out
