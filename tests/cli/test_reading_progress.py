"""Progress is shown while a large data set is read for the first time."""

import time

import numpy as np
import pytest

from simplicert.cli import progress
from simplicert.cli.progress import merging_lines, show_reading_progress
from simplicert.data.dataset import WATCH


@pytest.fixture
def clock(monkeypatch):
    """Set the time by hand."""
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_a_line_after_some_seconds_and_then_every_minute(clock, capsys):
    with show_reading_progress(quiet=False):
        watch = WATCH.get()
        for seconds, read in ((0, 1_000), (4, 2_000), (6, 3_000), (60, 4_000), (67, 5_000)):
            clock[0] = 100.0 + seconds
            watch("folder:big", read, 20_000)
    assert capsys.readouterr().err.splitlines() == [
        "reading folder:big: 3,000 of 20,000 inputs",
        "reading folder:big: 5,000 of 20,000 inputs",
    ]


def test_nothing_of_what_is_quick_however_much_of_it(clock, capsys):
    with show_reading_progress(quiet=False):
        for start in (100.0, 200.0, 300.0):
            clock[0] = start
            WATCH.get()("digits", 900, 1797)
            clock[0] = start + 4
            WATCH.get()("digits", 1797, 1797)
    assert capsys.readouterr().err == ""


def test_nothing_when_quiet(clock, capsys):
    with show_reading_progress(quiet=True):
        for seconds in (0, 100):
            clock[0] = 100.0 + seconds
            WATCH.get()("folder:big", 10, 20)
    assert capsys.readouterr().err == ""


def test_afterwards_no_progress_is_reported():
    before = WATCH.get()
    with show_reading_progress(quiet=False):
        assert WATCH.get() is not before
    assert WATCH.get() is before


MODEL = """
import numpy as np
WEIGHTS = np.random.default_rng(0).normal(size=(6, 3)).astype(np.float32)
def make():
    return lambda batch: batch @ WEIGHTS
"""


@pytest.fixture
def slow(command, tmp_path, monkeypatch):
    """A run drawn quietly, whose every reading of data from now on seems to take long."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "slowly_read.py").write_text(MODEL)
    inputs = np.random.default_rng(1).random((24, 6)).astype(np.float32)
    np.savez("data.npz", inputs=inputs, labels=np.arange(24) % 3)
    monkeypatch.setattr("simplicert.data.dataset.CHUNK", 60)
    monkeypatch.setattr(progress, "FIRST_READING_SECONDS", 0.0)
    assert command("sample", *DRAWN, "--out", "run", "--quiet") == (0, "", "")


DRAWN = ["--model", "slowly_read:make", "--data", "data.npz", "--sigma", 0.3, "--draws", 64]
TRAINED = ["--data", "data.npz", "--arch", "mlp", "--sigma", 0.3, "--epochs", 1]
ATTACKED = [
    "run",
    "--model",
    "slowly_read:make",
    "--index",
    0,
    "--steps",
    1,
    "--restarts",
    1,
    "--confirm",
    50,
]
GIVEN = ["run", "--model", "slowly_read:make"]
SAID = "reading data.npz: 10 of 24 inputs\n"


@pytest.mark.slow
@pytest.mark.usefixtures("slow", "one_thread")
@pytest.mark.parametrize(
    "words",
    [
        ["sample", *DRAWN, "--out", "new"],
        ["run", *DRAWN, "--out", "new"],
        ["train", *TRAINED, "--out", "new"],
        ["attack", *ATTACKED],
    ],
    ids=lambda words: words[0],
)
def test_commands_that_read_data_say_so_unless_quiet(command, words):
    assert SAID not in command(*words, "--quiet")[2]
    code, _, err = command(*words[:-1], "other" if words[-1] == "new" else words[-1])
    assert code == 0 and SAID in err


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("words", [["verify", *GIVEN, "--replay", 1], ["report", "run"]])
def test_commands_that_are_never_quiet(command, words):
    code, _, err = command(*words)
    assert code == 0 and SAID in err


@pytest.mark.slow
@pytest.mark.usefixtures("slow", "one_thread")
def test_of_several_that_train_only_the_first_speaks(command, monkeypatch):
    monkeypatch.setenv("RANK", "1")
    assert SAID not in command("train", *TRAINED, "--out", "new")[2]


def test_the_end_of_a_drawing_of_many_parts_is_not_silent(monkeypatch, capsys):
    """A line after a second, one every ten seconds then, and none about a run of few parts."""
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    report = merging_lines()
    report(1, 20_000)
    now = 100.5
    report(2, 20_000)
    assert capsys.readouterr().err == ""
    for now in (101.5, 102.0, 103.0, 112.0):
        report(round(100 * (now - 100)) * 10, 20_000)
    said = "the last draw is kept; before the parts are merged, {} % of 10,000 parts are read"
    assert capsys.readouterr().err.splitlines() == [said.format(7), said.format(60)]
    now = 200.0
    report(20_000, 20_000)
    assert capsys.readouterr().err == ""
