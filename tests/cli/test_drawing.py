"""A signal while a run is prepared stops it at once, with the exit code of a stopped run."""

import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress

import numpy as np
import pytest

from simplicert import drawing

SLOW = """
import time
def make():
    open("loading", "w").close()
    time.sleep(100)
"""
SAID = (
    "simplicert: stopped while nothing was being drawn: nothing is lost, the same command continues"
)


@pytest.fixture
def words(tmp_path, monkeypatch):
    """A command whose model takes long to load, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "slow_to_load.py").write_text(SLOW)
    np.savez("data.npz", inputs=np.zeros((2, 3), np.float32))
    return [
        "sample", "--model", "slow_to_load:make", "--data", "data.npz", "--sigma", "1",
        "--draws", "9", "--device", "cpu", "--out", "run",
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), ("--workers", "2")], ids=["alone", "workers"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_the_model_loads(words, tmp_path, number, more):
    process = subprocess.Popen(
        [sys.executable, "-m", "simplicert", *words, *more], stderr=subprocess.PIPE, text=True
    )
    while not (tmp_path / "loading").exists():
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(number)
    _, said = process.communicate(timeout=90)
    assert process.returncode == 130
    assert said.splitlines()[1:] == [SAID]  # after "loading model ..."
    assert not (tmp_path / "run").exists()


def swallowed():
    """Swallow the signal, as a library does that hears it in a callback."""
    return suppress(KeyboardInterrupt)


@contextmanager
def changed():
    """Replace the exception of the handler by another, as Ray does."""
    try:
        yield
    except KeyboardInterrupt:
        raise RuntimeError("interrupted") from None


@pytest.mark.parametrize("library", [swallowed, changed])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_library_that_makes_something_else_of_the_signal(
    words, command, monkeypatch, number, library
):
    def prepare(request, workers, say):
        with library():
            signal.raise_signal(number)

    before = signal.getsignal(number)
    monkeypatch.setattr(drawing, "prepare_run", prepare)
    monkeypatch.setattr(drawing, "warn_of_run", lambda settings, prepared, warn: None)
    code, _, err = command(*words)
    assert (code, err.splitlines()[1:]) == (130, [SAID])  # after "loading model ..."
    assert signal.getsignal(number) is before
