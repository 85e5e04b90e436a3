"""simplicert.draw: the function behind `simplicert sample`, called from Python."""

import numpy as np
import pytest
from places import words

import simplicert as sc
from simplicert import drawing
from simplicert.drawing import driver
from simplicert.types import Tally

QUIET = {"warn": lambda sentence: None, "device": "cpu", "batch_size": 64}


@pytest.fixture
def network(place):
    """The classifier of the model file, its inputs and their labels."""
    data = np.load("data.npz")
    return __import__(place[1]).make(), data["inputs"], data["labels"]


def test_names_draw_what_the_command_draws(place, command):
    folder, name = place
    assert command(*words(place, "typed")[3:])[0] == 0
    outcome = sc.draw(f"{name}:make", "data.npz", 0.4, 150, folder / "called", **QUIET)
    assert outcome.complete and not outcome.failed
    typed, called = sc.open_run("typed"), outcome.run
    assert called.tally() == typed.tally()
    assert called.manifest.source == typed.manifest.source


def test_a_classifier_and_arrays_draw_what_sample_draws(place, network):
    classify, inputs, labels = network
    run = sc.draw(classify, inputs, 0.4, 150, "run", labels=labels, reserve=0, **QUIET).run
    assert run.tally() == sc.sample(
        classify, inputs, 0.4, 150, labels=labels, batch_size=64, device="cpu"
    )
    some = sc.draw(
        classify, inputs, 0.4, 150, "some", labels=labels, select=slice(4, 20, 5), **QUIET
    ).run
    assert some.tally().inputs.tolist() == [4, 9, 14, 19]
    rows = np.isin(run.tally().inputs, some.tally().inputs)
    assert (run.tally().counts[rows] == some.tally().counts).all()


def test_it_is_stopped_watched_and_resumed(place, network):
    classify, inputs, _ = network
    heard = []
    arguments = (classify, inputs, 0.4, 150, "run")

    def report(progress):
        assert isinstance(progress, sc.DrawingProgress)
        heard.append(progress.draws)

    first = sc.draw(*arguments, stop=lambda: max(heard, default=0) > 1500, report=report, **QUIET)
    assert not first.complete and 0 < first.run.missing < 40
    second = sc.draw(*arguments, **QUIET)
    assert second.complete and second.run.missing == 0
    assert second.run.tally() == sc.draw(*arguments[:4], "at-once", **QUIET).run.tally()


def test_resuming_with_other_settings_is_refused(place, network):
    classify, inputs, _ = network
    sc.draw(classify, inputs, 0.4, 150, "run", **QUIET)
    with pytest.raises(sc.InvalidInput, match=r"was made with sigma = 0\.4"):
        sc.draw(classify, inputs, 0.5, 150, "run", **QUIET)
    with pytest.raises(sc.InvalidInput, match=r"model_fingerprint.*code or weights are others"):
        sc.draw(lambda batch: 2 * classify(batch), inputs, 0.4, 150, "run", **QUIET)
    with pytest.raises(sc.InvalidInput, match=r"data_fingerprint.*their order or their labels"):
        sc.draw(classify, inputs[::-1], 0.4, 150, "run", **QUIET)
    with pytest.raises(
        sc.InvalidInput, match=r"draws = 300 was asked for: extend \(--extend\) adds"
    ):
        sc.draw(classify, inputs, 0.4, 300, "run", **QUIET)
    with pytest.raises(sc.InvalidInput, match=r"draws = 100 was asked for: use the same settings"):
        sc.draw(classify, inputs, 0.4, 100, "run", **QUIET)


def test_warnings_reach_python(place, network):
    classify, inputs, _ = network
    settings = {**QUIET, "warn": None}
    with pytest.warns(sc.SimplicertWarning, match="has no labels") as heard:
        sc.draw(classify, inputs, 0.4, 150, "run", **settings)
    assert {item.filename for item in heard} == {__file__}  # the caller's line, not one of ours


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"workers": 2}, "model must be given by its name to be drawn by other processes"),
        ({"draws": 0}, "draws must be a positive whole number, got 0"),
        ({"sigma": -1.0}, "sigma must be"),
        ({"model": 3}, "model must be a torch module or a function of a batch, got 3"),
        ({"data": np.zeros((4, 3), np.uint8)}, "inputs must be floats, got uint8"),
        ({"shard": "5/4"}, "shard must be i/k"),
        ({"engine": "cloud"}, "engine must be one of local, ray"),
        ({"kind": "hardest"}, "kind must be"),
        ({"alpha": 1.5}, "alpha must lie strictly between 0 and 1"),
        ({"select": slice(0, 40, 0)}, "select must have a positive step"),
        ({"select": [0, 3]}, r"select must be a slice, got \[0, 3\]"),
        ({"cpus_per_worker": 1}, "model must be given by its name to be drawn by other processes"),
        ({"sigma": 1e-46}, "sigma must not vanish in single precision, got 1e-46"),
        ({"scheme": "best"}, "scheme must be one of"),
        ({"scheme": 7}, "scheme must be one of"),
        ({"sensitivity": "two"}, "sensitivity must be a positive finite number, got 'two'"),
        ({"mean": "x", "std": "1"}, "mean must be numbers separated by commas, got 'x'"),
        ({"mean": 0.5, "std": 1.0}, "mean must be numbers separated by commas, got 0.5"),
        ({"noise_scale": ["a"]}, "noise_scale must be"),
        ({"shard": "1/\u00b2"}, "shard must be i/k"),
        ({"shard": "1/99999999999999999999"}, "shard must be i/k"),
    ],
)
def test_bad_arguments_get_a_sentence_and_write_nothing(place, network, change, message):
    classify, inputs, _ = network
    given = {"model": classify, "data": inputs, "sigma": 0.4, "draws": 150, "out": "run", **QUIET}
    with pytest.raises(sc.InvalidInput, match=message):
        sc.draw(**{**given, **change})
    assert not (place[0] / "run").exists()


def test_numbers_of_numpy_are_plain_in_run_toml(place, network):
    classify, inputs, _ = network
    given = {**QUIET, "batch_size": np.int64(64), "pilot": np.int32(8), "seed": np.uint8(3)}
    run = sc.draw(classify, inputs, 0.4, 150, "run", histograms=np.bool_(True), **given).run
    assert (run.settings.seed, run.settings.pilot, run.settings.batch_size) == (3, 8, 64)
    assert sc.draw(classify, inputs, 0.4, 150, "run", **{**QUIET, "pilot": 8, "seed": 3}).complete


def test_labels_come_with_an_array_only(place):
    with pytest.raises(sc.InvalidInput, match=r"labels must not be given for data\.npz"):
        sc.draw(f"{place[1]}:make", "data.npz", 0.4, 150, "run", labels=[1] * 40, **QUIET)


def test_one_process_checks_its_tallies_once_and_decodes_none(place, network, monkeypatch):
    """A unit's tally is checked where the sampler makes it; what follows are parts of it."""
    classify, inputs, _ = network
    checked, units = [], []
    check, record = Tally.__post_init__, drawing.UnitQueue.record_drawn
    monkeypatch.setattr(Tally, "__post_init__", lambda self: (checked.append(1), check(self))[1])

    def count(self, unit, tally):
        units.append(1)
        return record(self, unit, tally)

    def decode(*arguments):
        raise AssertionError("a part of this process was read again")

    monkeypatch.setattr(drawing.UnitQueue, "record_drawn", count)
    monkeypatch.setattr(driver, "read_part", decode)
    assert sc.draw(classify, inputs, 0.4, 150, "run", **QUIET).complete
    assert units and len(checked) == len(units)
