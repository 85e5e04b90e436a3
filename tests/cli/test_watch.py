"""`simplicert watch` and `sample --watch` as a user types them."""

import json
import subprocess
import sys

import pytest
from watched import CLEAR, CLOSE, begin

from simplicert.cli import progress as shown
from simplicert.cli.watch import keep_page
from simplicert.drawing import DrawingProgress
from simplicert.drawing.driver import ProgressCounter
from simplicert.store import Manifest
from simplicert.types import Plan, Tally

QUICK = """
import json, sys
from simplicert.cli import main
sys.argv = ["simplicert", *sys.argv[1:]]
try:
    main()
except SystemExit as stop:
    assert not stop.code, stop.code
print(json.dumps("torch" in sys.modules))
"""


def test_one_page_of_an_unfinished_run(command, tmp_path):
    run = begin(tmp_path, [CLEAR, CLOSE]).folder
    code, out, err = command("watch", run, "--once")
    assert (code, out) == (0, f"wrote {run}.watch.html: open it in a browser\n")
    assert err.startswith("2 of 10 inputs done")
    assert "refresh" not in (tmp_path / "run.watch.html").read_text()


def test_the_watching_ends_with_the_run(command, tmp_path):
    run = begin(tmp_path, [CLEAR, CLOSE], inputs=2).folder
    page = tmp_path / "page.html"
    assert command("watch", run, "--out", page)[0] == 0
    assert "Complete: 2 of 2 inputs are done." in page.read_text()


def test_what_cannot_be_watched_is_refused_in_a_sentence(command, tmp_path):
    run = begin(tmp_path, [CLEAR]).folder
    for words in ((tmp_path / "none",), (run, "--out", run / "p.html"), (run, "--every", "0.1")):
        code, out, err = command("watch", *words)
        assert (code, out) == (2, "") and err.startswith("simplicert: ") and err.count("\n") == 1


def test_the_page_is_kept_while_draws_are_made(tmp_path, capsys):
    run, reported = begin(tmp_path, [CLEAR]).folder, []
    with keep_page(run, reported.append) as report:
        page = tmp_path / "run.watch.html"
        assert "refresh" in page.read_text()
        report("a batch")
    assert reported == ["a batch"] and "refresh" not in page.read_text()
    assert "watch it: " in capsys.readouterr().err
    with keep_page(None, reported.append) as report:
        assert report == reported.append


def test_the_time_left_is_that_of_the_draws_left():
    told = []
    counter = ProgressCounter(2, lambda: False, told.append, planned=100, each=50)
    counter.count_batch(20)
    assert told[-1].left == 80
    assert told[-1].seconds_left == pytest.approx(4 * told[-1].seconds)
    counter.count_finished(Tally([[20, 10]], 0.5))  # by a rule, with 20 draws fewer than planned
    assert told[-1].left == 60
    counter.count_batch(500)  # failed and made twice
    assert told[-1].left == 0
    nothing = DrawingProgress(2, 0, 0, 0, 1.0, None, left=100)
    assert nothing.seconds_left is None


@pytest.mark.parametrize(("rule", "word"), [("fixed", "about"), ("decided", "at most")])
def test_progress_says_hours_and_minutes(rule, word):
    plan = Plan((50, 100), (0.5, 0.5), rule)
    manifest = Manifest(0.5, 2, 3, plan=plan)
    progress = DrawingProgress(2, 1, 0, 100, 100.0, None, left=12_120)
    assert shown._describe_left(progress, manifest) == f"{word} 3 h 22 min left"


@pytest.mark.slow
def test_neither_watch_nor_status_loads_torch(tmp_path):
    run = begin(tmp_path, [CLEAR]).folder
    for words in (["watch", run, "--once"], ["status", run]):
        done = subprocess.run(
            [sys.executable, "-c", QUICK, *words], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout.splitlines()[-1]) is False
