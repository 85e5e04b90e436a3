"""`simplicert report`, and `run` which ends in one, as a user types them."""

import json

import numpy as np
import pytest
from pages import pictures_in

import simplicert as sc
from simplicert.report.explorer import explorer_page
from simplicert.store import Manifest


@pytest.fixture
def counted(tmp_path):
    """A small run."""
    tally = sc.Tally([[900, 80, 20], [500, 480, 20], [10, 990, 0]], 0.5, labels=[0, 1, 2])
    sc.create_run(tmp_path / "run", Manifest(0.5, 3, 3), tally)
    return tmp_path / "run"


def test_a_run(command, counted, tmp_path):
    out = tmp_path / "page.html"
    code, printed, err = command("report", counted, "--out", out)
    assert (code, err) == (0, "")
    assert printed == f"wrote {out}\n"
    page = out.read_text()
    assert "Certificates of run" in page
    assert "2 of 3 inputs are certified" in page


def test_another_name(command, counted, tmp_path):
    out = tmp_path / "page.html"
    assert command("report", counted, "--label", f"{counted}=Mine", "--out", out)[0] == 0
    assert "Certificates of Mine" in out.read_text()


def test_without_a_run_the_explorer(command, tmp_path):
    """The same page as that of `simplicert explorer`, and with numbers of one's own."""
    out = tmp_path / "page.html"
    assert command("report", "--out", out)[:2] == (0, f"wrote {out}\n")
    assert out.read_text(encoding="utf-8") == explorer_page()
    assert command("report", "--size", "3072", "--keep", "75", "--out", out)[0] == 0
    assert '"usual":75' in out.read_text(encoding="utf-8").replace(" ", "")
    code, _, err = command("report", "--size", "10", "--keep", "75", "--out", out)
    assert code == 2 and "keep must" in err and err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nowhere",), "run must be a folder that exists"),
        (("--data", "digits"), "data must come with a run, got none"),
        (("run", "--data", "x.npz"), "data must name a file that exists, got x.npz"),
        (("run", "run"), "runs must have different names"),
        (("run", "--out", "page.pdf"), "out must end in .html"),
        (("run", "--label", "other=x"), "label must name a run that is given"),
        (("run", "--radii", "a"), "radii must be numbers separated by commas, got 'a'"),
        (("run", "--radii", "-1"), "radii must not be negative, and finite, got [-1.0]"),
        (("--radii", "1"), "radii must come with a run, got none"),
    ],
)
def test_bad_input_is_one_sentence(command, counted, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    code, out, err = command("report", *words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert not (tmp_path / "report.html").exists()


@pytest.fixture
def drawing(tmp_path, monkeypatch):
    """A model and images to draw from, and the words that do it."""
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "report_model.py").write_text(
        "def make():\n    return lambda b: 9 * b.reshape(len(b), -1)[:, :3]\n"
    )
    random = np.random.default_rng(0)
    np.savez("data.npz", images=random.integers(0, 256, (6, 4, 4), dtype=np.uint8))
    words = ("--model", "report_model:make", "--data", tmp_path / "data.npz", "--sigma", "0.1")
    return (*words, "--draws", 100, "--out", "r", "--device", "cpu", "--quiet")


@pytest.mark.slow
def test_run_ends_in_a_report_with_thumbnails(command, drawing, tmp_path):
    code, out, err = command("run", *drawing)
    assert code == 0, err
    assert "wrote r.csv" in out
    assert "wrote r.html" in out
    (sheet,) = pictures_in((tmp_path / "r.html").read_text())
    rows = [np.hstack(row) for row in np.load("data.npz")["images"].reshape(2, 3, 4, 4)]
    np.testing.assert_array_equal(np.asarray(sheet), np.vstack(rows))


@pytest.mark.slow
def test_a_shard_writes_neither_certificates_nor_report(command, drawing, tmp_path):
    code, out, err = command("run", *drawing, "--shard", "1/2")
    assert code == 0, err
    assert "3 of 6 inputs are missing, those of other shards" in err
    assert "wrote" not in out
    assert not (tmp_path / "r.csv").exists()
    assert not (tmp_path / "r.html").exists()
    code, out, _ = command("run", *drawing, "--shard", "2/2")  # the last one finds all drawn
    assert code == 0
    assert (tmp_path / "r.csv").exists()
    assert "3 of 6" not in out
    assert "of 6 inputs are certified" in (tmp_path / "r.html").read_text()


@pytest.fixture
def paired(tmp_path):
    """Two small runs of the same inputs, of which the second certifies farther."""
    for name, rows in (
        ("old", [[900, 80, 20], [40, 35, 25]]),
        ("new", [[990, 8, 2], [900, 80, 20]]),
    ):
        tally = sc.Tally(rows, 0.5, labels=[0, 0])
        sc.create_run(tmp_path / name, Manifest(0.5, 2, 3), tally)
    return tmp_path / "old", tmp_path / "new"


@pytest.mark.slow
def test_two_runs_compared(command, paired, tmp_path):
    out = tmp_path / "page.html"
    code, printed, err = command("report", *paired, "--compare", "--out", out)
    assert (code, printed, err) == (0, f"wrote {out}\n", "")
    assert "new against old" in out.read_text()


def test_the_comparison_as_json(command, paired, tmp_path):
    names = ("--label", f"{paired[0]}=Before")
    code, printed, err = command("report", *paired, "--compare", "--json", *names)
    assert (code, err) == (0, "")
    record = json.loads(printed)
    assert record["names"] == ["Before", "new"]
    assert record["agreement"]["only_second"] == 1
    assert record["average_radius"]["difference"] > 0
    assert list(tmp_path.glob("*.html")) == []


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--compare"], "compare must come with two runs, got 0"),
        (["{old}", "--compare"], "compare must come with two runs, got 1"),
        (["{old}", "{new}", "--json"], "json must come with compare"),
    ],
)
def test_what_compare_refuses(command, paired, tmp_path, words, sentence):
    typed = [word.format(old=paired[0], new=paired[1]) for word in words]
    code, _, err = command("report", *typed, "--out", tmp_path / "page.html")
    assert code == 2 and sentence in err


def test_runs_of_other_inputs_are_not_compared(command, paired, tmp_path):
    tally = sc.Tally([[900, 80, 20], [40, 35, 25]], 0.5, labels=[0, 0], index=[0, 7])
    sc.create_run(tmp_path / "else", Manifest(0.5, 2, 3), tally)
    for more in ((), ("--json",)):
        where = ("--out", tmp_path / "page.html")
        code, _, err = command("report", paired[0], tmp_path / "else", "--compare", *where, *more)
        assert code == 2 and "same inputs to be compared, and old lacks 1 of 3: 7" in err
