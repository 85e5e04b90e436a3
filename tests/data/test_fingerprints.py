"""The fingerprint is the same for any number of threads, and reading it reports progress."""

import hashlib
import os
import threading

import numpy as np
import pytest
from PIL import Image

from simplicert.data import load_data
from simplicert.data.dataset import data_fingerprint, watch_reading
from simplicert.errors import InvalidInput

PIXELS = np.random.default_rng(0).integers(0, 256, (23, 6, 5, 3), dtype=np.uint8)
KNOWN = "706e4c0ef1a2a6ece4fe897a89d51ebd"  # by the version that read in one thread


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Images of 90 values, and chunks of two of them."""
    monkeypatch.setattr("simplicert.data.dataset.CHUNK", 180)
    for place, pixels in enumerate(PIXELS):
        Image.fromarray(pixels).save(tmp_path / f"{place:02}.png")
    return f"folder:{tmp_path}"


def cores(monkeypatch, count):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(count)), raising=False)


def test_any_number_of_threads_gives_the_value_that_runs_have_kept(folder, monkeypatch):
    for count in (1, 2, 5, 64):
        cores(monkeypatch, count)
        assert load_data(folder).fingerprint == KNOWN


def test_it_is_the_hash_of_shape_values_and_labels():
    values = np.random.default_rng(1).random((7, 4)).astype(np.float32)
    for labels in (None, np.arange(7)):
        digest = hashlib.blake2b(repr((7, 4)).encode() + values.tobytes(), digest_size=16)
        digest.update(b"unlabelled" if labels is None else labels.astype("<i8").tobytes())
        assert data_fingerprint("x", values, labels) == digest.hexdigest()


class Slow:
    """Inputs that are given only to several threads at once."""

    shape = (4, 90)

    def __init__(self):
        """Two threads must meet."""
        self.meeting = threading.Barrier(2)

    def __len__(self):
        """Four."""
        return 4

    def __getitem__(self, where):
        """Zeros."""
        self.meeting.wait(10)
        return np.zeros((len(where), 90), np.float32)


def test_several_threads_read(monkeypatch):
    """Two beside the one that hashes."""
    cores(monkeypatch, 3)
    monkeypatch.setattr("simplicert.data.dataset.CHUNK", 90)
    assert data_fingerprint("x", Slow(), None) == data_fingerprint(
        "x", np.zeros((4, 90), np.float32), None
    )


def test_the_first_broken_input_is_named(monkeypatch):
    cores(monkeypatch, 4)
    monkeypatch.setattr("simplicert.data.dataset.CHUNK", 1)
    values = np.zeros((9, 2), np.float32)
    values[[3, 5, 8], 1] = np.nan
    with pytest.raises(InvalidInput, match=r"inputs of x must be finite .* at input 3$"):
        data_fingerprint("x", values, None)


def test_who_asks_is_told_how_far_it_is(folder):
    seen = []
    with watch_reading(lambda *told: seen.append(told)):
        data = load_data(folder)
    headers = [told for told in seen if told[0] == "image headers"]
    assert headers == [("image headers", place, 23) for place in range(2, 24)]
    steps = [*range(2, 23, 2), 23]
    assert seen[len(headers) :] == [(data.name, place, 23) for place in steps]
    load_data(folder)
    assert len(seen) == len(headers) + len(steps)
