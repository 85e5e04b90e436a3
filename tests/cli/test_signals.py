"""After any signal, one or many, nothing is lost and no traceback is shown."""

import os
import pty
import signal
import subprocess
import sys
import time
from contextlib import suppress

import numpy as np
import pytest
from places import soon

import simplicert as sc
from simplicert.cli import signals

MODEL = """
import os
import time
import numpy as np
WEIGHTS = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)
def make():
    open("loading", "w").close()
    time.sleep(float(os.environ.get("LOAD", 0)))
    def classify(batch):
        time.sleep(float(os.environ.get("PAUSE", 0)))
        return batch @ WEIGHTS
    return classify
"""


@pytest.fixture
def started(tmp_path, monkeypatch):
    """Return a function that starts the command and waits until such a file is there."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sleepy.py").write_text(MODEL)
    np.savez("data.npz", inputs=np.random.default_rng(0).random((40, 3)).astype(np.float32))
    command = [
        sys.executable, "-m", "simplicert", "sample", "--model", "sleepy:make", "--data",
        "data.npz", "--sigma", "1", "--draws", "100", "--batch-size", "32", "--device", "cpu",
        "--out", "run",
    ]  # fmt: skip
    processes = []

    def start(pattern, *more, stderr=subprocess.PIPE, **environment):
        before = environment.pop("before", None)
        process = subprocess.Popen(
            [*command, *more],
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            text=True,
            env={**os.environ, **environment},
            preexec_fn=before,  # noqa: PLW1509
        )
        processes.append(process)
        while not list(tmp_path.glob(pattern)):
            assert process.poll() is None
            time.sleep(0.01)
        return process

    yield start
    for process in processes:
        process.kill()
        process.communicate()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pattern", "environment"),
    [("loading", {"LOAD": "300"}), ("run/parts/*.parquet", {"PAUSE": "0.2"})],
    ids=["loading", "drawing"],
)
@pytest.mark.parametrize("gap", [0.0, 0.03])
def test_six_fast_interrupts(started, pattern, environment, gap):
    process = started(pattern, **environment)
    time.sleep(0.05)  # a batch is under way
    for _ in range(6):
        process.send_signal(signal.SIGINT)
        time.sleep(gap)
    _, said = process.communicate(timeout=200)
    assert process.returncode == 130
    assert "Traceback" not in said
    assert "KeyboardInterrupt" not in said


@pytest.mark.slow
def test_a_closed_terminal(started):
    """SIGHUP comes with a terminal that cannot be written to: the run stops as by SIGTERM."""
    main, side = pty.openpty()
    process = started("run/parts/*.parquet", stderr=side, PAUSE="0.05")
    os.close(side)
    os.close(main)
    process.send_signal(signal.SIGHUP)
    assert process.wait(200) == 130
    assert 0 < len(sc.open_run("run").tally()) < 40


@pytest.mark.slow
def test_nohup_stays_what_it_is(started):
    def nohup():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    process = started("run/parts/*.parquet", PAUSE="0.02", before=nohup)
    process.send_signal(signal.SIGHUP)
    _, said = process.communicate(timeout=200)
    assert process.returncode == 0, said
    assert len(sc.open_run("run").tally()) == 40


def test_one_more_interrupt_on_the_way_out(monkeypatch):
    """A second Ctrl-C raises where it is; the third one ends the process by its exit code."""
    left = []
    monkeypatch.setattr(os, "_exit", left.append)
    with pytest.raises(KeyboardInterrupt), signals.stop_after_batch() as told:
        for _ in range(2):
            signal.raise_signal(signal.SIGINT)
    assert told()
    with signals.stop_after_batch(), signals.stop_at_once(), suppress(KeyboardInterrupt):
        assert signals.ExitState.code is None
        signals.ExitState.code = 130
        signal.raise_signal(signal.SIGTERM)  # no news
        assert left == []
        signal.raise_signal(signal.SIGINT)
    assert left == [130]


def test_handlers_are_put_back():
    before = [signal.getsignal(sign) for sign in signals.SIGNALS]
    with signals.stop_after_batch(), pytest.raises(signals.StoppedBySignal), signals.stop_at_once():
        signal.raise_signal(signal.SIGTERM)
    assert [signal.getsignal(sign) for sign in signals.SIGNALS] == before


@pytest.mark.slow
def test_a_command_that_has_nothing_to_go_on_with_says_a_word(tmp_path):
    code = (
        "import time, pathlib, simplicert.cli as cli\n"
        "cli.app = lambda: (pathlib.Path('begun').touch(), time.sleep(600))\n"
        "cli.run_program()"
    )
    words = [sys.executable, "-c", code]
    with subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        soon((tmp_path / "begun").exists)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=200)
    assert (process.returncode, said) == (130, "simplicert: stopped\n")
