"""The parts of a complete run are merged when its drawing ends."""

import numpy as np
import pytest

import simplicert as sc
from simplicert.drawing import DrawingWatcher, draw, draw_by_settings, queue
from simplicert.store import compaction
from simplicert.store.parts import read_origins
from simplicert.store.settings import parse_settings

WEIGHTS = np.eye(4, 3, dtype=np.float32)
INPUTS = np.random.default_rng(0).random((12, 4)).astype(np.float32)


def classify(batch):
    return batch @ WEIGHTS


def make():
    return classify


@pytest.fixture(autouse=True)
def small_units(monkeypatch):
    """Units of three inputs, and few parts are many."""
    monkeypatch.setattr(queue, "MOST_INPUTS", 3)
    monkeypatch.setattr(compaction, "MANY", 4)


def drawn(folder, draws=64, **more):
    """Twelve inputs in parts of at most three."""
    labels = np.arange(12) % 3
    settings = {"device": "cpu", "batch_size": 64, "labels": labels, **more}
    return draw(classify, INPUTS, 0.5, draws, folder, **settings)


def test_a_complete_run_is_merged_and_so_is_an_extended_one(tmp_path, monkeypatch):
    run = drawn(tmp_path / "run").run
    (part,) = run.paths()
    assert len(read_origins(part)) >= 4
    longer = drawn(tmp_path / "run", 128, extend=True).run
    assert len(longer.paths()) == 2
    monkeypatch.setattr(compaction, "MANY", 1000)
    drawn(tmp_path / "many")
    many = drawn(tmp_path / "many", 128, extend=True).run
    assert len(many.paths()) > 2
    assert many.tally() == longer.tally()


def test_the_last_reading_of_all_parts_is_watched(tmp_path):
    """Of many parts it takes long: each is read twice, and merged then."""
    heard = []

    class Listener(DrawingWatcher):
        def merging(self, done, count):
            heard.append((done, count))

    np.savez(tmp_path / "data.npz", inputs=INPUTS)
    words = {"model": f"{__name__}:make", "data": str(tmp_path / "data.npz"), "sigma": 0.5}
    words |= {"draws": 64, "device": "cpu", "batch_size": 64, "out": tmp_path / "run"}
    draw_by_settings(parse_settings(words), Listener())
    count = heard[0][1]
    assert count >= 8 and heard == [(k + 1, count) for k in range(count)]


def test_an_unfinished_share_is_left_alone(tmp_path):
    first = drawn(tmp_path / "run", shard="1/2").run
    before = first.paths()
    assert len(before) > 1 and first.missing == 6
    last = drawn(tmp_path / "run", shard="2/2").run
    assert last.missing == 0 and len(last.paths()) == 1


def test_a_run_is_complete_even_where_its_parts_cannot_be_merged(tmp_path, monkeypatch):
    """A disk that is full at the end costs nothing but the merging."""

    def fail(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(compaction, "keep_part", fail)
    with pytest.warns(sc.SimplicertWarning, match="not merged, .* No space left on device"):
        outcome = drawn(tmp_path / "run")
    assert outcome.complete and outcome.run.missing == 0 and len(outcome.run.paths()) > 1
