"""While the model fails, pauses grow, and no input is given up too early."""

import os
import signal
import subprocess

import pytest
from places import HOT, asked, drawn, heat, words

import simplicert as sc
from simplicert.drawing import driver
from simplicert.drawing.driver import Backoff
from simplicert.sampling import forward


@pytest.fixture
def clock(monkeypatch):
    """Replace the clock by one that moves only when the code sleeps."""

    class Clock:
        now = 100.0

        def monotonic(self):
            return self.now

        def sleep(self, seconds):
            self.now += seconds

    clock = Clock()
    monkeypatch.setattr(driver, "time", clock)
    return clock


def test_pauses_double_up_to_a_minute_until_time_is_up(clock):
    sentences = []
    waits = Backoff(600.0, sentences.append)
    pauses = []
    while waits.fail("HTTP 503"):
        pauses.append(waits.left())
        waits.wait()
    assert pauses[:8] == [0.5, 1, 2, 4, 8, 16, 32, 60]
    assert max(pauses) == 60
    assert sum(pauses) == 600
    assert sentences[:3] == [
        f"the model failed (HTTP 503); trying again in {n} s" for n in (1, 2, 4)
    ]
    assert clock.now == 700


def test_an_answer_ends_it(clock):
    waits = Backoff(10.0)
    for _ in range(3):
        assert waits.fail("x")
        waits.wait()
    waits.end()
    assert waits.left() == 0
    assert waits.fail("x")
    assert waits.left() == 0.5


def test_workers_that_fail_together_count_once(clock):
    waits = Backoff(10.0)
    assert all(waits.fail("x") for _ in range(64))
    assert waits.left() == 0.5


def test_no_patience_waits_for_nothing(clock):
    assert not Backoff(0.0).fail("x")


@pytest.mark.parametrize("value", [-1.0, float("nan")])
def test_patience_is_a_number_of_seconds(place, value):
    with pytest.raises(sc.InvalidInput, match="patience must be a number of seconds, 0 or more"):
        drawn(asked(place, "run", patience=value))


SOMETIMES = """
import numpy as np
WEIGHTS = np.random.default_rng(0).normal(size=(12, 4)).astype(np.float32)
def make():
    calls = []
    def classify(batch):
        calls.append(1)
        if len(calls) in FAILING:
            raise OSError("HTTP 503")
        return batch.reshape(len(batch), -1) @ WEIGHTS
    return classify
"""


def run_command(place, *more):
    return subprocess.run(
        words(place, "run", *more), capture_output=True, text=True, check=False, timeout=300
    )


@pytest.mark.slow
def test_the_command_waits_and_loses_nothing(place):
    """Single calls fail, and once sixteen in a row: more than are tried before a pause."""
    (place[0] / "sometimes.py").write_text(
        SOMETIMES.replace("FAILING", "{3, 14, 19, 20, *range(40, 56), 70}")
    )
    done = run_command(place, "--model", "sometimes:make")
    assert done.returncode == 0, done.stderr
    assert "simplicert: the model failed (HTTP 503); trying again in 1 s\n" in done.stderr
    assert sc.open_run("run").tally() == drawn(asked(place, "alone"))[1].tally()


@pytest.mark.slow
def test_an_input_whose_connection_is_always_reset(place):
    """It is given up with its error and exit code 1; the others are drawn."""
    heat()
    done = run_command(place, "--model", f"{place[1]}:refusing")
    assert done.returncode == 1, done.stderr
    assert f"input {HOT} failed again and again: reset by peer\n" in done.stderr
    assert sc.open_run("run").missing == 1


@pytest.mark.slow
def test_a_model_that_does_not_come_back(place):
    (place[0] / "sometimes.py").write_text(SOMETIMES.replace("FAILING", "range(40, 10**9)"))
    done = run_command(place, "--model", "sometimes:make", "--patience", "1")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("simplicert: the classifier failed while inputs")
    assert "(HTTP 503); what was drawn before is kept" in done.stderr
    held = len(sc.open_run("run").tally())
    assert 0 < held < 40


def test_a_broken_model_is_not_asked_about_every_input(place, monkeypatch):
    """Two thousand inputs in a unit would be thousands of failures; thirty in a row are enough."""
    (place[0] / "always.py").write_text(
        SOMETIMES.replace("FAILING", "range(40, 10**9)")
        .replace("calls.append", "COUNT.append")
        .replace("len(calls)", "len(COUNT)")
        .replace("def make", "COUNT = []\ndef make")
    )
    monkeypatch.setattr(forward, "PAUSES", ())
    with pytest.raises(sc.SamplingFailed, match=r"inputs \d+, .* were drawn \(HTTP 503\)"):
        drawn(asked(place, "run", model="always:make", draws=64))
    assert len(__import__("always").COUNT) < 40 + 35


@pytest.mark.slow
def test_ctrl_c_in_a_pause(place):
    (place[0] / "sometimes.py").write_text(SOMETIMES.replace("FAILING", "range(40, 10**9)"))
    command = words(place, "run", "--model", "sometimes:make")
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, bufsize=1) as process:
        for line in process.stderr:
            if "trying again in 4 s" in line:
                os.kill(process.pid, signal.SIGINT)
                break
        said = process.stderr.read()
        process.wait(30)
    assert process.returncode == 130
    assert "the same command continues" in said
    assert "Traceback" not in said
    assert len(sc.open_run("run").tally()) > 0
