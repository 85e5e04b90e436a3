"""A table takes raw logs: read as a board reads them, imported, named, and nothing left unsaid."""

import csv
import io

import numpy as np
import pytest

import simplicert as sc
from simplicert.board import read_board
from simplicert.board.gathering import gather_runs
from simplicert.metrics.study import read_studies

CLAIM = "[[claim]]\ndraws = 100000\nalpha = 0.001\n"


@pytest.fixture
def logs(tmp_path, write_log):
    """Two methods at two sigmas on the same inputs, and what folders of logs hold besides."""
    folder = tmp_path / "logs" / "cifar10"
    for method, seed in (("cohen", 0), ("smoothadv", 5)):
        for sigma in (0.25, 0.5):
            path = folder / method / f"sigma_{sigma}"
            write_log(path, sigma=sigma, seed=seed + int(4 * sigma))
    (folder / "board.toml").write_text(CLAIM)
    (folder / "plot.py").write_text("x = 1\n")
    return folder


def test_the_numbers_are_those_of_the_board(command, logs):
    code, out, err = command("table", logs, "--format", "csv", "--radii", "0,.25,.5,1")
    assert (code, err) == (0, "")
    rows = list(csv.DictReader(io.StringIO(out)))
    own = {(row["run"], float(row["sigma"])): row for row in rows}
    entries = read_board([logs]).entries
    assert len(own) == len(entries) == 4
    for entry in entries:
        row = own[entry.settings.method, entry.settings.sigma]
        for at in (0.0, 0.25, 0.5, 1.0):
            name = f"accuracy_at_{str(at).removesuffix('.0')}"
            assert float(row[name]) == entry.accuracy_at(np.array([at])).value[0]
        assert (row["alpha"], row["draws_max"]) == ("0.001", "100000")


def test_it_is_what_import_and_table_say(command, logs, tmp_path):
    log = logs / "cohen" / "sigma_0.5"
    arguments = ("--sigma", ".5", "--draws", "100000", "--out", tmp_path / "cohen")
    assert command("import", "cohen", log, *arguments)[0] == 0
    out = command("table", tmp_path / "cohen", "--format", "csv")[1]
    (first,) = csv.DictReader(io.StringIO(out))
    (second,) = csv.DictReader(io.StringIO(command("table", log, "--format", "csv")[1]))
    differ = {name for name in first if first[name] != second[name]}
    assert differ == {"run"}


def test_labels_name_given_paths_and_folders_inside_them(command, logs):
    words = ("--label", f"{logs / 'cohen'}=Cohen et al.", "--format", "csv")
    _, out, _ = command("table", logs, *words)
    assert {row["run"] for row in csv.DictReader(io.StringIO(out))} == {"Cohen et al.", "smoothadv"}
    code, _, err = command("table", logs, "--label", "elsewhere=x")
    assert code == 2 and "label must name a run or log that is given, got elsewhere" in err


def test_runs_and_logs_stand_in_one_table(command, logs, tmp_path):
    labels, index = 7 * np.arange(40) % 10, 20 * np.arange(40)
    counts = 10 + 900 * np.eye(10, dtype=int)[labels]
    tally = sc.Tally(counts, sigma=0.5, labels=labels, index=index)
    sc.create_run(tmp_path / "mine", sc.Manifest(sigma=0.5, inputs=40, classes=10), tally)
    words = ("--label", f"{tmp_path / 'mine'}=ours", "--format", "csv")
    code, out, err = command("table", tmp_path / "mine", logs / "cohen", *words)
    assert (code, err) == (0, "")
    names = sorted(row["run"] for row in csv.DictReader(io.StringIO(out)))
    assert names == ["cohen", "cohen", "ours"]
    code, _, err = command("table", tmp_path / "mine", "--claims", logs / "board.toml")
    assert code == 2 and "claims are for logs" in err


def test_what_nobody_states_is_said(command, tmp_path, write_log):
    log = write_log(tmp_path / "sigma_0.5")
    code, out, _ = command("table", log)
    assert code == 0
    assert "draws or alpha are stated by nobody for" in out
    assert "taken as 100,000 draws at alpha 0.001" in out
    (tmp_path / "claims.toml").write_text(CLAIM)
    code, out, _ = command("table", log, "--claims", tmp_path / "claims.toml")
    assert code == 0 and "stated by nobody" not in out


def test_doubts_and_disproofs_are_said(command, tmp_path, write_log):
    def forge(rows):
        rows[3][2:5] = [rows[3][1], "2.5", 1]  # 5 sigma, of 100,000 draws
        return rows[:6] + rows[8:] + rows[:2]

    (tmp_path / "board.toml").write_text(CLAIM)
    code, out, _ = command("table", write_log(tmp_path / "sigma_0.5", alter=forge))
    assert code == 0
    assert "the stated level is disproved: the radius is above" in out
    assert "doubtful: 2 inputs in several rows" in out
    assert "doubtful: of 40 indices" in out


def test_files_that_are_not_read_are_named(command, logs):
    (logs / "cohen" / "averages").write_text("0.0 0.8\n0.5 0.6\n")
    code, out, _ = command("table", logs)
    assert code == 0
    assert "1 file was not read: cifar10/cohen/averages: averages at each radius" in out


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("plot.py", "x = 1\n", "plot.py cannot be read as a run or a log: .py: no log"),
        ("sigma_0.5", "idx\tlabel\tpredict\tradius\tcorrect\n0\t1\t1\tnan?\t1\n", "nan?"),
        ("log", "idx\tlabel\tpredict\tradius\tcorrect\n0\t1\t1\t.3\t1\n", "sigma is unknown"),
        ("averages", "0.0 0.8\n", "averages at each radius"),
        ("sigma_0.5.npz", "PK", "sigma_0.5.npz"),
    ],
)
def test_a_given_file_that_is_no_log_is_refused(command, tmp_path, name, content, words):
    (tmp_path / name).write_text(content)
    code, out, err = command("table", tmp_path / name)
    assert (code, out) == (2, "")
    assert words in err and "Traceback" not in err


def test_folders_without_logs_and_logs_over_themselves_are_refused(command, tmp_path, write_log):
    code, _, err = command("table", tmp_path)
    assert code == 2 and "runs must be runs, logs or folders of them" in err
    log = write_log(tmp_path / "sigma_0.5.csv")
    kept = log.read_text()
    code, _, err = command("table", log, "--out", log)
    assert code == 2 and "out must not" in err and log.read_text() == kept


def test_other_noise_is_not_taken_for_gaussian(tmp_path, write_log):
    log = write_log(tmp_path / "sigma_0.5")
    (tmp_path / "board.toml").write_text('[[claim]]\nnoise = "laplace"\nnorm = "l1"\n')
    (refusal,) = read_board([log]).refusals
    assert "gaussian noise in l2, and a claim says laplace noise in l1" in refusal.reason
    with pytest.raises(sc.InvalidInput, match="laplace noise in l1"), gather_runs([log]):
        pass


def test_arrays_are_read_with_their_noise(tmp_path):
    folder = tmp_path / "uniform_0.50"
    folder.mkdir()
    labels = np.array([0, 1, 1])
    np.save(folder / "preds.npy", np.eye(3)[labels])
    np.save(folder / "labels.npy", labels)
    np.save(folder / "prob_lb.npy", np.array([0.9, 0.99, 0.4]))
    with gather_runs([folder]) as gathered:
        (study,) = read_studies(gathered.folders, gathered.names)
        certificates = study.certificates()
    (entry,) = read_board([folder]).entries
    np.testing.assert_allclose(certificates.radius, entry.radius, rtol=1e-6)
    assert certificates.known.norm == entry.settings.norm == "l1"
    (tmp_path / "board.toml").write_text('[[claim]]\nnoise = "laplace"\nsigma = 0.5\n')
    (entry,) = read_board([folder]).entries
    own = sc.radius("one_sided", [0.9, 0.99], 0.0, noise="laplace", scale=0.5 * 0.5**0.5)
    np.testing.assert_allclose(entry.radius[:2], own, rtol=1e-5)


def test_a_claimed_step_says_which_inputs_counts_are_of(tmp_path):
    (tmp_path / "counts_sigma_0.5.txt").write_text("900 80 20 0\n10 900 90 1\n400 350 250 0\n")
    (tmp_path / "board.toml").write_text("[[claim]]\nstep = 20\n")
    with gather_runs([tmp_path]) as gathered:
        (study,) = read_studies(gathered.folders, gathered.names)
        assert study.index.tolist() == [0, 20, 40]
    assert read_board([tmp_path]).entries[0].index.tolist() == [0, 20, 40]


def test_a_sigma_that_the_path_denies_is_said_once(command, tmp_path, write_log):
    log = write_log(tmp_path / "sigma_0.5")
    (tmp_path / "board.toml").write_text(CLAIM + "sigma = 1.0\n")
    code, out, _ = command("table", log)
    assert code == 0
    assert out.count("sigma 1 is claimed, and the path says 0.5") == 1
