"""`simplicert import` as a user types it: the audit on stderr, one sentence for what is wrong."""

import pytest

from simplicert.store.imported import read_imported_run

COHEN = "idx\tlabel\tpredict\tradius\tcorrect\ttime\n0\t3\t3\t0.486\t1\t17\n20\t7\t7\t1.96\t1\t17\n"
SECOND_ORDER = "idx\tlabel\tpredict\tradius\traw_count\n0\t3\t3\t0.486\t900\n"
ISS = "0\t3\t3\t0.934\t20000\t0.753\t1\t1.204\n===Certification Summary(absolute)===\nACR: 0.753\n"


@pytest.fixture
def run(command):
    """Type `simplicert import ...`."""
    return lambda *words: command("import", *words)


@pytest.fixture
def file(tmp_path):
    def written(text):
        path = tmp_path / "log.txt"
        path.write_text(text)
        return path

    return written


def test_help_names_every_format(run):
    code, out, _ = run("--help")
    assert code == 0
    assert all(name in out for name in ("counts", "cohen", "second-order", "iss", "radii"))


def test_cohen(run, file, tmp_path):
    out = tmp_path / "run"
    words = ("--sigma", ".5", "--draws", "100000", "--out", out)
    code, printed, err = run("cohen", file(COHEN), *words)
    assert code == 0
    assert printed.startswith("ImportedRun(2 inputs, 2 with a class, expectations of log.txt")
    assert printed.endswith(f"wrote {out}\n")
    opened = read_imported_run(out)
    assert err.splitlines() == [f"simplicert: audit: {sentence}" for sentence in opened.audit]
    assert "radius is above 1.906 in 1 row" in err
    assert opened.manifest.alpha == 0.001


def test_second_order(run, file, tmp_path):
    out = tmp_path / "run"
    words = ("--sigma", ".5", "--alpha", ".01", "--out", out)
    code, _, err = run("second-order", file(SECOND_ORDER), *words, "--draws", "1000")
    assert (code, err) == (0, "")
    assert read_imported_run(out).manifest.alpha == 0.01
    assert run("second-order", file(SECOND_ORDER), *words)[0] == 2  # without --draws


def test_iss(run, file, tmp_path):
    code, _, err = run("iss", file(ISS), "--sigma", ".5", "--out", tmp_path / "run")
    assert code == 0
    assert "not proved" in err
    assert "2 lines are no row" in err
    assert read_imported_run(tmp_path / "run").expectations().draws.tolist() == [20000]


def test_radii(run, file, tmp_path):
    words = ("--columns", "index=idx,predict=predict,radius=radius", "--sigma", ".5")
    code, _, _ = run("radii", file(COHEN), *words, "--out", tmp_path / "run")
    assert code == 0
    assert read_imported_run(tmp_path / "run").holds == "expectations"
    code, printed, _ = run("radii", file(COHEN), *words, "--bare", "--out", tmp_path / "bare")
    assert code == 0
    assert "radii of log.txt" in printed
    assert read_imported_run(tmp_path / "bare").holds == "radii"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("cohen", "--sigma", "0"), "sigma must be a positive finite number, got 0.0"),
        (("cohen", "--sigma", "1", "--alpha", "2"), "alpha must lie strictly between 0 and 1"),
        (("cohen", "--sigma", "1", "--draws", "-5"), "draws must be at least 1, got -5"),
        (("second-order", "--sigma", "1", "--draws", "9"), "must have a column raw_count, got idx"),
        (("iss", "--sigma", "1"), "must have a column samplesize or n, got idx"),
        (("radii", "--sigma", "1", "--columns", "r"), "columns must be name=column pairs"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(run, file, tmp_path, words, message):
    code, out, err = run(*words, file(COHEN), "--out", tmp_path / "run")
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("simplicert: ")
    assert err.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_a_file_without_its_format(command):
    code, _, err = command("import", "counts.csv", "--sigma", "1", "--out", "run")
    assert code == 2
    said = " ".join(err.replace("│", " ").split())
    assert "The format comes before the file, one of counts, cohen" in said
    assert "import counts counts.csv" in said


def test_a_log_that_is_not_there(run, tmp_path):
    code, _, err = run("cohen", "nowhere", "--sigma", "1", "--out", tmp_path / "run")
    assert code == 2
    assert "file must be a log that exists, got 'nowhere'" in err


def test_counts_of_unequal_draws_are_warned_of(run, file, tmp_path):
    words = ("--sigma", ".5", "--out")
    assert run("counts", file("7,2,1\n6,3,0\n"), *words, tmp_path / "equal")[2] == ""
    code, out, err = run("counts", file("7,2,1\n60,30,0\n"), *words, tmp_path / "unequal")
    assert (code, out.splitlines()[-1]) == (0, f"wrote {tmp_path / 'unequal'}")
    assert err == (
        "simplicert: log.txt: rows hold 9 to 90 draws: if their number depended on the counts, "
        "alpha does not cover these certificates\n"
    )
