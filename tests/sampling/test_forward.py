"""A classifier that raises is called again, and its error is never taken for one of ours."""

import urllib.error

import numpy as np
import pytest

import simplicert as sc
from simplicert.sampling import forward
from simplicert.sampling.forward import (
    ClassifierFailed,
    call_with_retries,
    first_line,
    is_temporary_error,
)

INPUTS = np.random.default_rng(0).random((3, 2, 2)).astype(np.float32)
WEIGHTS = np.random.default_rng(1).normal(size=(4, 3)).astype(np.float32)
HTTP = urllib.error.HTTPError("http://127.0.0.1/", 503, "Service Unavailable", None, None)
ERRORS = [OSError("HTTP 503"), ConnectionResetError(104, "reset"), TimeoutError("slow"), HTTP]
ERRORS += [MemoryError(), RuntimeError("CUDA"), sc.InvalidInput("mine"), KeyError("k")]


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    monkeypatch.setattr(forward, "PAUSES", (0.0, 0.0, 0.0))


def linear(batch):
    return batch.reshape(len(batch), -1) @ WEIGHTS


class Stumbling:
    """Raises in some calls, after it has spoiled the batch."""

    def __init__(self, error, calls):
        """`calls` are counted from 1."""
        self.error, self.calls, self.count = error, calls, 0

    def __call__(self, batch):
        """Classify, or not."""
        self.count += 1
        if self.count in self.calls:
            batch[:] = np.nan
            raise self.error
        return linear(batch)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_three_failures_in_a_row_change_no_bit(error):
    """Probe and draws alike; only the very first call must succeed if it is not a connection's."""
    model = Stumbling(error, {2, 4, 5, 12, 13, 14, 16})
    drawn = sc.sample(model, INPUTS, 0.5, 90, batch_size=32)
    assert model.count > 16
    assert drawn == sc.sample(linear, INPUTS, 0.5, 90, batch_size=32)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_four_in_a_row_are_told_with_their_cause(error):
    with pytest.raises(sc.SamplingFailed, match="the classifier failed: ") as told:
        sc.sample(Stumbling(error, range(12, 99)), INPUTS, 0.5, 90, batch_size=32)
    assert told.value.__cause__ is error


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_a_model_that_never_answered(error):
    """A connection may come back; anything else is told at once, as model and data do not fit."""
    model = Stumbling(error, {1})
    if is_temporary_error(error):
        assert len(sc.sample(model, INPUTS, 0.5, 9, batch_size=32)) == 3
    else:
        with pytest.raises(sc.InvalidInput):
            sc.sample(model, INPUTS, 0.5, 9, batch_size=32)
        assert model.count == 1


def test_a_missing_file_does_not_come_back():
    assert not is_temporary_error(FileNotFoundError(2, "No such file"))
    assert not is_temporary_error(PermissionError(13, "denied"))


@pytest.mark.parametrize("shape", [(1, 3), (31, 3), (32, 4), (32, 2), (1,)])
def test_outputs_of_another_shape_are_never_counted(shape):
    """One row for all would be spread over them, a fourth class counted for the next input."""
    calls = []

    def classify(batch):
        calls.append(1)
        return linear(batch) if len(calls) < 12 else np.ones(shape)

    with pytest.raises(sc.SamplingFailed, match=r"its outputs have shape \("):
        sc.sample(classify, INPUTS, 0.5, 90, batch_size=32)


def test_ctrl_c_is_no_failure():
    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        call_with_retries(interrupted, lambda: None)


def test_what_is_said_is_one_line_that_moves_no_cursor():
    assert first_line(OSError("\x1b[2Jgone\nmore")) == "?[2Jgone"
    assert first_line(MemoryError()) == "MemoryError"
    assert str(ClassifierFailed("HTTP 503")) == "the classifier failed: HTTP 503"
