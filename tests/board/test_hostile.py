"""Logs and claims of people who mean harm: refused or flagged, in words, and never a traceback."""

import os
import re

import numpy as np
import pytest

import simplicert as sc
from simplicert.board import make_board, read_board
from simplicert.board.gathering import gather_runs
from simplicert.board.sources import find_sources
from simplicert.logs import import_log

HEADER = "idx\tlabel\tpredict\tradius\tcorrect\n"
ROWS = "".join(f"{row}\t{row % 10}\t{row % 10}\t0.41\t1\n" for row in range(20))


@pytest.fixture
def read_one(tmp_path):
    """Return a function that puts one log and its claims into a folder and reads the board."""

    def read(text=HEADER + ROWS, name="sigma_0.50", claim=""):
        (tmp_path / name).write_text(text)
        if claim:
            (tmp_path / "board.toml").write_text(f"[[claim]]\n{claim}\n")
        return read_board([tmp_path])

    return read


def codes(board):
    (entry,) = board.entries
    return {finding.code for finding in entry.findings}


def reason(board):
    assert not board.entries
    (refusal,) = board.refusals
    return refusal.reason


@pytest.mark.parametrize("radius", ["nan", "None", ""])
def test_a_class_without_a_radius_is_flagged_and_counts_nothing(read_one, radius):
    board = read_one(HEADER + ROWS + f"20\t0\t0\t{radius}\t1\n")
    assert "no_radius" in codes(board)
    (entry,) = board.entries
    assert entry.verdict == "doubtful" and entry.abstained[-1] and entry.radius[-1] == 0


@pytest.mark.parametrize("radius", ["inf", "-inf", "1e999", "9" * 400])
def test_radii_without_end_are_refused(read_one, radius):
    said = reason(read_one(HEADER + ROWS + f"20\t0\t0\t{radius}\t1\n"))
    assert "radius must be a finite number" in said


def test_a_column_that_is_there_twice_is_refused(read_one):
    text = "idx\tlabel\tpredict\tradius\tradius\n0\t1\t1\t.3\t.9\n"
    assert "must name each column once, got radius several times" in reason(read_one(text))


@pytest.mark.parametrize(
    "claim",
    ["draws = 1e300", "step = 9223372036854775807", f'method = "{"x" * 501}"', "sigma = nan",
     "alpha = 0", "draws = true"],
)  # fmt: skip
def test_claims_beyond_measure_are_refused(read_one, claim):
    assert "of a claim has no such value" in reason(read_one(claim=claim))


def test_a_claim_that_the_path_denies_is_flagged(read_one):
    board = read_one(claim="sigma = 5.0\ndraws = 100000\nalpha = 0.001")
    assert "claim" in codes(board) and board.entries[0].verdict == "doubtful"
    (said,) = (one.sentence for one in board.entries[0].findings if one.code == "claim")
    assert said == "sigma 5 is claimed, and the path says 0.5"


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("alpha = 1e-9", "alpha 1e-09 is claimed, and the run says 0.001"),
        ("draws = 7", "draws 7 is claimed, and the run says 1000"),
        ("sigma = 2.0", "sigma 2.0 is claimed, and the log says 0.5"),
        ('norm = "linf"', "norm linf is claimed, and the log says l2"),
        ('noise = "laplace"', "noise laplace is claimed, and the run says gaussian"),
    ],
)
def test_a_claim_that_a_run_denies_is_flagged(tmp_path, claim, words):
    tally = sc.Tally([[900, 80, 20], [40, 935, 25]], sigma=0.5, labels=[0, 1])
    sc.create_run(tmp_path / "run", sc.Manifest(sigma=0.5, inputs=2, classes=3), tally)
    (tmp_path / "board.toml").write_text(f"[[claim]]\n{claim}\n")
    (entry,) = read_board([tmp_path / "run"]).entries  # the file beside it is found
    assert [one.sentence for one in entry.findings if one.code == "claim"] == [words]
    assert (entry.settings.sigma, entry.settings.alpha, entry.settings.norm) == (0.5, 0.001, "l2")
    (tmp_path / "board.toml").write_text("[[claim]]\nsigma = 0.5\nalpha = 0.001\ndraws = 1000\n")
    (entry,) = read_board([tmp_path / "run"]).entries
    assert entry.verdict == "clean"


def test_links_are_not_followed_and_their_words_are_not_shown(tmp_path, read_one):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "secret.toml").write_text('password = "x"\n')
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "board.toml").symlink_to(tmp_path / "elsewhere" / "secret.toml")
    (tmp_path / "in" / "sigma_0.5").write_text(HEADER + ROWS)
    (tmp_path / "in" / "loop").symlink_to(tmp_path / "in")
    board = read_board([tmp_path / "in"])
    reasons = {one.source.path.name: one.reason for one in board.refusals}
    assert reasons["sigma_0.5"] == "board.toml must be a plain file, got a link"
    assert "password" not in str(reasons) and not board.entries


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_pipes_are_not_opened(tmp_path):
    for name in ("sigma_0.5", "board.toml", "preds.npy", "counts.npz"):
        os.mkfifo(tmp_path / name)
    board = read_board([tmp_path])
    assert {one.reason for one in board.refusals} == {"neither a plain file nor a folder"}
    with pytest.raises(sc.InvalidInput, match="neither a plain file"), gather_runs([tmp_path]):
        pass


@pytest.fixture
def make_nested():
    """Make so many folders inside one another; taken away again, which shutil cannot do."""
    made = []

    def make(folder, count):
        for _ in range(count):
            folder.mkdir()
            made.append(folder)
            folder /= "d"
        return made[-1]

    yield make
    for folder in reversed(made):
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()


def test_folders_without_end_are_not_walked(tmp_path, make_nested):
    (tmp_path / "sigma_0.50").write_text(HEADER + ROWS)
    make_nested(tmp_path / "deep", 1500)
    board = read_board([tmp_path])
    assert len(board.entries) == 1
    assert reason_of(board) == "inside more than 100 folders of the one given, and not opened"


@pytest.mark.parametrize("depth", [100, 101])
def test_a_log_in_a_hundred_folders_is_read(tmp_path, depth, make_nested):
    last = make_nested(tmp_path / "in", depth + 1)  # the first is the one that is given
    (last / "sigma_0.50").write_text(HEADER + ROWS)
    board = read_board([tmp_path / "in"])
    assert (len(board.entries), len(board.refusals)) == ((1, 0) if depth == 100 else (0, 1))


def test_folders_without_end_in_a_run_are_refused(tmp_path, make_nested):
    tally = sc.Tally([[900, 80, 20], [40, 935, 25]], sigma=0.5, labels=[0, 1])
    sc.create_run(tmp_path / "run", sc.Manifest(sigma=0.5, inputs=2, classes=3), tally)
    (tmp_path / "sigma_0.50").write_text(HEADER + ROWS)
    make_nested(tmp_path / "run" / "deep", 1500)
    board = read_board([tmp_path])
    assert len(board.entries) == 1
    assert reason_of(board) == "run must have at most 100 folders inside one another, got more"


def reason_of(board):
    (refusal,) = board.refusals
    return refusal.reason


def test_what_cannot_be_opened_is_refused_and_the_rest_is_read(tmp_path, monkeypatch, read_one):
    (tmp_path / "closed_sigma_0.5").write_text(HEADER + ROWS)
    opened = find_sources.__globals__["open_file"]

    def refuse(path):
        if path.name.startswith("closed"):
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path)

    monkeypatch.setitem(find_sources.__globals__, "open_file", refuse)
    board = read_one()
    assert len(board.entries) == 1
    assert board.refusals[0].reason == "cannot be opened: Permission denied"


def test_reasons_tell_no_folder_of_this_machine(tmp_path, read_one):
    board = read_one(claim="sigma = -1")
    assert str(tmp_path.parent) not in board.refusals[0].reason
    make_board([tmp_path], tmp_path / "out")
    pages = "".join(path.read_text() for path in (tmp_path / "out").rglob("*.*"))
    assert str(tmp_path.parent) not in pages


def test_radii_of_two_samplings_have_a_limit_too(read_one):
    rows = "".join(f"{row} 1.2\n" for row in range(0, 10_000, 100))
    name = "new-rad-general-gaussian-th-380-0.5-x+-50000-0.0005.txt"
    assert "above_usual" not in codes(read_one(rows, name))
    assert "above_usual" in codes(read_one(rows.replace("9900 1.2", "9900 1e300"), name))


def test_html_in_a_class_is_refused_and_escaped(tmp_path, read_one):
    nasty = "<img src=x onerror=alert(1)>"
    said = reason(read_one(HEADER + f"0\t{nasty}\t{nasty}\t0.4\t1\n"))
    assert f"label must be an integer, got '{nasty}'" in said
    make_board([tmp_path], tmp_path / "out")
    pages = [*(tmp_path / "out").rglob("*.html"), *(tmp_path / "out").rglob("*.js")]
    assert not any("<img" in page.read_text() for page in pages)


def test_forged_files_given_one_by_one_do_not_vouch_for_each_other(tmp_path):
    """Two files with shifted labels are no second repository."""
    paths = []
    for number in range(5):
        shift = 1 if number > 2 else 0
        rows = "".join(
            f"{row}\t{(row + shift) % 10}\t{(row + shift) % 10}\t0.41\t1\n" for row in range(20)
        )
        paths.append(tmp_path / "cifar10" / f"log{number}" / "sigma_0.5")
        paths[-1].parent.mkdir(parents=True)
        paths[-1].write_text(HEADER + rows)
    entries = read_board(paths).entries
    found = [{one.code for one in entry.findings} & {"labels", "numbering"} for entry in entries]
    assert found == [set(), set(), set(), {"labels"}, {"labels"}]
    assert {entry.settings.data for entry in entries} == {"cifar10"}


def test_arrays_with_impossible_numbers_are_flagged(tmp_path):
    folder = tmp_path / "uniform_0.50"
    folder.mkdir()
    arrays = {"preds": np.eye(3), "labels": np.arange(3), "prob_lb": np.ones(3)}
    for name, values in (arrays | {"radius_l1": np.array([np.inf, 1e30, 0.5])}).items():
        np.save(folder / f"{name}.npy", values)
    board = read_board([folder])
    assert {"above_cap", "sigma"} <= codes(board)
    assert board.entries[0].verdict == "disproved"
    assert board.entries[0].radius.max() <= 0.5 * np.sqrt(3)


def test_an_array_that_is_a_link_is_not_followed(tmp_path):
    folder = tmp_path / "in" / "uniform_0.50"
    folder.mkdir(parents=True)
    arrays = {"preds": np.eye(3), "labels": np.arange(3), "prob_lb": np.full(3, 0.9)}
    for name, values in (arrays | {"radius_l1": np.full(3, 0.2)}).items():
        np.save(folder / f"{name}.npy", values)
    assert len(read_board([tmp_path / "in"]).entries) == 1
    (folder / "prob_lb.npy").rename(tmp_path / "private.npy")
    (folder / "prob_lb.npy").symlink_to(tmp_path / "private.npy")
    board = read_board([tmp_path / "in"])
    assert not board.entries and "got a link" in board.refusals[0].reason


@pytest.mark.parametrize("value", ["5", "[1]", '[["a"]]'])
@pytest.mark.parametrize("name", ["audit", "audit_codes"])
def test_a_run_whose_audit_is_no_list_of_texts_is_refused_alone(tmp_path, name, value):
    (tmp_path / "sigma_0.50").write_text(HEADER + ROWS)
    import_log("cohen", tmp_path / "sigma_0.50", 0.5, tmp_path / "run", draws=1000)
    change_setting(tmp_path / "run", name, value)
    board = read_board([tmp_path])
    assert len(board.entries) == 1
    (refusal,) = board.refusals
    assert f"{name} in the table source must be a list of texts, got {value}" in (
        refusal.reason.replace("'", '"')
    )


def change_setting(folder, name, value):
    """Write another value of a list into run.toml."""
    path = folder / "run.toml"
    text, found = re.subn(rf"(?ms)^{name} = \[.*?^\]", f"{name} = {value}", path.read_text())
    assert found == 1
    path.write_text(text)
