"""Runs lose nothing when they are killed, stopped, sharded, damaged or drawn twice."""

import ctypes
import os
import random as chance
import signal
import subprocess
import time

import numpy as np
import pytest
from places import asked, drawn, soon, words

import simplicert as sc
from simplicert.drawing import draw_missing, open_workers
from simplicert.drawing.preparation import compress_index
from simplicert.drawing.resume import prepare_run
from simplicert.store.parts import read_part


def test_a_run_holds_what_sample_draws(place):
    complete, run = drawn(asked(place, "run"))
    assert complete
    assert run.missing == 0
    data = np.load("data.npz")
    module = __import__(place[1])
    direct = sc.sample(
        module.make(),
        data["inputs"],
        0.4,
        150,
        labels=data["labels"],
        batch_size=64,
        plan=sc.Plan((150,)).reserved(),
    )
    assert run.tally() == direct
    assert run.seconds > 0


@pytest.mark.slow
def test_twenty_kills_change_nothing(place, monkeypatch):
    """After kill -9 at twenty random moments the tallies are bit for bit the same."""
    folder, _ = place
    _, whole = drawn(asked(place, "whole"))
    monkeypatch.setenv("PAUSE", "0.02")
    luck = chance.Random(0)
    for _ in range(20):
        process = subprocess.Popen(
            words(place, "killed"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        soon((folder / "killed" / "run.toml").exists)
        time.sleep(luck.uniform(0.0, 0.6))
        process.kill()
        process.wait()
    assert not sc.open_run("killed").paths() or sc.open_run("killed").missing > 0
    monkeypatch.setenv("PAUSE", "0")
    done = subprocess.run(words(place, "killed"), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert sc.open_run("killed").tally() == whole.tally()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_cleanly(place, number, monkeypatch):
    folder, _ = place
    monkeypatch.setenv("PAUSE", "0.05")
    process = subprocess.Popen(words(place, "run"), stderr=subprocess.PIPE, text=True)
    soon(lambda: list((folder / "run" / "parts").glob("*.parquet")))
    process.send_signal(number)
    _, said = process.communicate(timeout=200)
    assert process.returncode == 130
    assert "the same command continues" in said
    assert "Traceback" not in said
    assert 0 < len(sc.open_run("run").tally()) < 40


@pytest.mark.slow
def test_stopping_keeps_the_inputs_that_are_complete(place):
    calls = []

    def stop():
        calls.append(1)
        return len(calls) >= 9

    complete, run = drawn(asked(place, "run"), stop=stop)
    assert not complete
    assert 0 < len(run.tally()) < 40
    complete, run = drawn(asked(place, "run"))
    assert complete
    assert run.tally() == drawn(asked(place, "other"))[1].tally()


@pytest.mark.slow
def test_shards_and_order_change_nothing(place):
    _, whole = drawn(asked(place, "whole"))
    for shard in ("3/3", "1/3", "2/3"):
        complete, run = drawn(asked(place, "shards", shard=shard))
        assert complete
    assert run.tally() == whole.tally()
    assert run.missing == 0


def test_a_selection_gives_the_same_tallies_of_its_inputs(place):
    _, whole = drawn(asked(place, "whole"))
    _, some = drawn(asked(place, "some", step=7, start=3))
    rows = np.arange(3, 40, 7)
    np.testing.assert_array_equal(some.tally().inputs, rows)
    np.testing.assert_array_equal(some.tally().softmax_sums, whole.tally().softmax_sums[rows])


@pytest.mark.slow
def test_two_processes_on_one_folder(place):
    """Both draw everything; nothing is corrupted, and no draw counts twice."""
    _, whole = drawn(asked(place, "whole"))
    both = [
        subprocess.Popen(words(place, "both"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    for process in both:
        _, said = process.communicate(timeout=200)
        assert process.returncode == 0, said
    assert sc.open_run("both").tally() == whole.tally()


@pytest.mark.slow
def test_damage_is_named_set_aside_and_redone(place):
    folder, _ = place
    _, run = drawn(asked(place, "run"))
    whole = run.tally()
    victim = run.paths()[0]
    victim.write_bytes(victim.read_bytes()[:-7])
    done = subprocess.run(words(place, "run"), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"{victim.name} was damaged" in done.stderr
    assert (folder / "run" / "damaged" / victim.name).exists()
    assert sc.open_run("run").tally() == whole


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"sigma": 0.5}, "sigma"),
        ({"seed": 1}, "seed"),
        ({"alpha": 0.01}, "alpha"),
        ({"scheme": "paper"}, "scheme"),
        ({"kind": "softmax"}, "kind"),
        ({"draws": 200}, "draws"),
        ({"draws": 100}, "draws"),
        ({"batch_size": 32}, "batch_size"),
        ({"step": 2}, "inputs"),
        ({"pilot": 10}, "pilot"),
        ({"histograms": False}, "histograms"),
        ({"grid": "1/1024"}, "grid"),
    ],
)
def test_other_settings_are_refused_by_name(place, change, name):
    drawn(asked(place, "run"))
    if "grid" in change:
        data = np.load("data.npz")
        inputs = (np.rint(data["inputs"] * 1024) / 1024).astype(np.float32)
        np.savez("data.npz", inputs=inputs, labels=data["labels"])
        name = "data_fingerprint"
    with pytest.raises(sc.InvalidInput, match=f"was made with {name} = .*was asked for"):
        drawn(asked(place, "run", **change))


def test_another_model_or_other_data_is_refused(place):
    _, name = place
    drawn(asked(place, "run"))
    with pytest.raises(sc.InvalidInput, match="was made with model_fingerprint"):
        drawn(asked(place, "run", model=f"{name}:other"))
    data = np.load("data.npz")
    np.savez("data.npz", inputs=data["inputs"] + np.float32(1e-3), labels=data["labels"])
    with pytest.raises(sc.InvalidInput, match="was made with data_fingerprint"):
        drawn(asked(place, "run"))


@pytest.mark.slow
def test_extending_is_one_more_look(place):
    drawn(asked(place, "run", scheme="gated"))
    complete, run = drawn(asked(place, "run", draws=400, extend=True, scheme="gated"))
    assert complete
    assert run.manifest.plan == sc.Plan((150,)).reserved().extended(400)
    tally = run.tally()
    assert (tally.draws == 400).all()
    assert (tally.looks == 2).all()
    fresh = drawn(asked(place, "fresh", draws=400, scheme="gated"))[1].tally()
    np.testing.assert_array_equal(tally.softmax_sums, fresh.softmax_sums)
    # The longer run is bounded at half of the tenth of alpha in reserve: it was looked at before.
    share = run.manifest.plan.weights[1]
    assert share == pytest.approx(0.05)
    alone = sc.bound(sc.Tally(fresh.counts, 0.4), 0.001 * share)
    np.testing.assert_array_equal(run.certify().known.e0, alone.e0)
    again, _ = drawn(asked(place, "run", draws=400, extend=True, scheme="gated"))
    assert again
    with pytest.raises(sc.InvalidInput, match="out must be a run to extend"):
        drawn(asked(place, "nothing", extend=True))


@pytest.mark.parametrize("draws", [300, 400])
def test_an_extended_run_that_lost_an_early_part(place, draws):
    """Inputs that have only later draws start again from the first draw.

    At 300 they hold exactly as many draws as a look has, and still they make no look.
    """
    drawn(asked(place, "run"))
    _, run = drawn(asked(place, "run", draws=draws, extend=True))
    whole = run.tally()
    early = [p for p in run.paths() if (read_part(p, run.manifest).segments[:, 2] == 0).all()]
    lost = read_part(early[-1], run.manifest).inputs
    early[-1].unlink()
    held = sc.open_run("run")
    rows = np.isin(held.tally().inputs, lost)
    assert (held.tally().draws[rows] == draws - 150).all() and rows.sum() == len(lost) > 0
    assert (held.tally().looks[rows] == 0).all()  # not a look, even with as many draws as one
    assert held.missing == len(lost)
    complete, run = drawn(asked(place, "run", draws=draws, extend=True))
    assert complete
    for name in ("counts", "softmax_sums", "draws", "looks", "inputs"):
        np.testing.assert_array_equal(getattr(run.tally(), name), getattr(whole, name))


@pytest.mark.slow
def test_a_failing_model_keeps_what_was_drawn(place):
    with pytest.raises(sc.SamplingFailed, match=r"were drawn \(out of memory\); what was drawn"):
        drawn(asked(place, "run", model=f"{place[1]}:fails"))
    assert len(sc.open_run("run").tally()) > 0


def test_a_model_that_answers_otherwise_is_refused(place, monkeypatch):
    """Other weights in a closure do not change the fingerprint, but the probe outputs."""
    folder, _ = place
    (folder / "closed.py").write_text(
        "import os\nimport numpy as np\n"
        "def make():\n"
        "    weights = np.random.default_rng(int(os.environ['V'])).normal(size=(12, 4))\n"
        "    return lambda batch: batch.reshape(len(batch), -1) @ weights\n"
    )
    monkeypatch.setenv("V", "1")
    drawn(asked(place, "run", model="closed:make", shard="1/2"))
    drawn(asked(place, "run", model="closed:make", shard="2/2"))
    monkeypatch.setenv("V", "2")
    with pytest.raises(sc.InvalidInput, match="was made with answers of the model"):
        drawn(asked(place, "run", model="closed:make"))


def test_a_refused_extension_changes_nothing(place):
    drawn(asked(place, "run"))
    before = (place[0] / "run" / "run.toml").read_bytes()
    with pytest.raises(sc.InvalidInput, match="was made with seed"):
        drawn(asked(place, "run", draws=400, extend=True, seed=9))
    assert (place[0] / "run" / "run.toml").read_bytes() == before


def test_a_random_model_is_not_extended(place):
    drawn(asked(place, "run", model=f"{place[1]}:noisy"))
    with pytest.raises(sc.InvalidInput, match="its model is random by itself"):
        drawn(asked(place, "run", model=f"{place[1]}:noisy", draws=400, extend=True))


def test_extended_while_another_process_draws_on(place):
    """The old process's parts overlap the longer ones, but each draw counts once."""
    with open_workers(asked(place, "run")) as workers:
        old = prepare_run(asked(place, "run"), workers)
        drawn(asked(place, "run", draws=400, extend=True), stop=lambda: False)
        draw_missing(old, workers)
    tally = sc.open_run("run").tally()
    assert (tally.draws == 400).all()
    fresh = drawn(asked(place, "fresh", draws=400))[1].tally()
    np.testing.assert_array_equal(tally.softmax_sums, fresh.softmax_sums)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scheme": "split"}, "pilot must be positive with scheme split"),
        (
            {"kind": "soft", "outputs": "labels", "num_classes": 4},
            "kind must be multinomial with labels",
        ),
        ({"draws": 2**23}, "draws must be at most 8388607"),
        ({"grid": "1/255"}, "inputs must lie on the grid"),
        ({"device": "nowhere"}, "device must be cpu or a device that torch has here"),
        ({"batch_size": 10**13}, "batch_size must fit in memory"),
        ({"batch_size": 0}, "batch_size must be a whole number of at least 1"),
    ],
)
def test_what_can_never_be_certified_is_not_drawn(place, change, message):
    with pytest.raises(sc.InvalidInput, match=message):
        drawn(asked(place, "run", **change))
    assert not (place[0] / "run").exists()


def test_parts_that_lost_their_manifest(place):
    drawn(asked(place, "run"))
    (place[0] / "run" / "run.toml").unlink()
    with pytest.raises(sc.InvalidInput, match="already holds something"):
        drawn(asked(place, "run"))
    assert list((place[0] / "run" / "parts").iterdir())


def test_a_random_model_is_marked_in_the_run(place):
    _, run = drawn(asked(place, "run", model=f"{place[1]}:noisy"))
    assert run.manifest.source["random"] is True


def test_a_full_disk_ends_in_a_sentence_with_everything_kept(place, monkeypatch):
    from simplicert import files

    real, calls = os.fsync, []

    def filling(handle):
        calls.append(1)
        if len(calls) > 3:
            raise OSError(28, "No space left on device")
        real(handle)

    monkeypatch.setattr(files.os, "fsync", filling)
    with pytest.raises(OSError, match="No space left on device"):
        drawn(asked(place, "run"))
    monkeypatch.setattr(files.os, "fsync", real)
    held = sc.open_run("run")
    assert len(held.tally()) > 0
    assert not list(held.folder.rglob("*.tmp"))
    assert drawn(asked(place, "run"))[1].tally() == drawn(asked(place, "other"))[1].tally()


@pytest.mark.slow
def test_a_read_only_folder_ends_in_a_sentence_with_everything_kept(place):
    """Root may write anywhere, so the process gives up that right before it starts."""
    folder, _ = place
    drawn(asked(place, "run", shard="1/3"))
    before = sorted((folder / "run" / "parts").iterdir())
    kept = {path: path.read_bytes() for path in before}
    (folder / "run" / "parts").chmod(0o555)
    libc = ctypes.CDLL(None)
    drop_bounding, write_anywhere = 24, 1  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE
    try:
        done = subprocess.run(
            words(place, "run"),
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=lambda: libc.prctl(drop_bounding, write_anywhere, 0, 0, 0),
        )
    finally:
        (folder / "run" / "parts").chmod(0o755)
    assert done.returncode == 2
    assert "cannot read or write" in done.stderr and "Permission denied" in done.stderr
    assert "Traceback" not in done.stderr
    assert {path: path.read_bytes() for path in before} == kept
    assert drawn(asked(place, "run"))[1].tally() == drawn(asked(place, "other"))[1].tally()


def test_a_batch_of_a_prime_size_draws_the_truth(place):
    """Chunks of 63 leave a row of 127 empty, but the counts are complete."""
    _, run = drawn(asked(place, "run", batch_size=127))
    tally = run.tally()
    assert (tally.draws == 150).all()
    plain = drawn(asked(place, "other"))[1].tally()
    far = np.abs(tally.counts - plain.counts).max()  # other noise: 6 standard deviations of 150
    assert 0 < far < 6 * np.sqrt(2 * 150 / 4)


def test_a_folder_that_is_something_else(place):
    folder, _ = place
    (folder / "run").mkdir()
    (folder / "run" / "notes.txt").write_text("mine")
    with pytest.raises(sc.InvalidInput, match="out must be a new or empty folder"):
        drawn(asked(place, "run"))
    assert [path.name for path in (folder / "run").iterdir()] == ["notes.txt"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"draws": 0}, "draws must be a positive whole number"),
        ({"sigma": 0.0}, "sigma must be a positive finite number"),
        ({"shard": "5/4"}, "shard must be i/k"),
        ({"grid": "x"}, "grid must be a step such as 1/255, got 'x'"),
        ({"mean": "a"}, "mean must be numbers separated by commas"),
    ],
)
def test_bad_requests_write_nothing(place, change, message):
    with pytest.raises(sc.InvalidInput, match=message):
        drawn(asked(place, "run", **change))
    assert not (place[0] / "run").exists()


def test_the_noise_scale_is_kept_and_checked(place):
    folder, _ = place
    scale = np.ones((3, 4))
    scale[0] = 0.0
    np.save("scale.npy", scale)
    _, run = drawn(asked(place, "run", noise_scale=folder / "scale.npy"))
    np.testing.assert_array_equal(run.noise_scale, scale)
    assert drawn(asked(place, "plain"))[1].noise_scale is None
    np.save("scale.npy", 2 * scale)
    with pytest.raises(sc.InvalidInput, match="was made with noise_scale"):
        drawn(asked(place, "run", noise_scale=folder / "scale.npy"))
    np.save(folder / "run" / "noise_scale.npy", 2 * scale)
    with pytest.raises(sc.DamagedRun, match="was altered"):
        _ = sc.open_run("run").noise_scale


def test_labels_the_model_does_not_know(place):
    data = np.load("data.npz")
    np.savez("data.npz", inputs=data["inputs"], labels=data["labels"] + 3)
    with pytest.raises(sc.InvalidInput, match=r"labels must lie in 0..3, the classes of"):
        drawn(asked(place, "run"))


def test_index_in_few_words():
    assert compress_index([3, 10, 17]) == [3, 7, 3]
    assert compress_index([5]) == [5, 1, 1]
    assert compress_index([5, 12]) == [5, 7, 2]
    assert compress_index([3, 1, 7, 9]) == [-1, 1, 3, 7, 9]
    assert compress_index([5, 1, 3])[0] == -1
