"""Splitting noise through runs, engines, replay and Smoothed: the same counts, whatever happens."""

import numpy as np
import pytest

import simplicert as sc
from simplicert.errors import InvalidInput
from simplicert.metrics import make_statement

QUIET = {"warn": lambda sentence: None, "device": "cpu", "batch_size": 64}
SPLITTING = {"noise": "splitting", "device": "cpu"}
CERTAINLY = "holds with certainty, up to floating point"


def classify(batch):
    """Three classes by waves of the features, so that counts are mixed."""
    flat = batch.reshape(len(batch), -1)
    return np.stack([np.sin(9 * flat[:, 0]), np.cos(7 * flat[:, 1]), flat.mean(axis=1)], axis=1)


@pytest.fixture
def images():
    random = np.random.default_rng(0)
    return random.integers(0, 256, (12, 1, 2, 3)).astype(np.float32) / 255, np.arange(12) % 3


def draw(images, out, **options):
    inputs, labels = images
    return sc.draw(
        classify, inputs, out=out, labels=labels, noise="splitting", scale=0.2, **QUIET, **options
    )


def test_a_run_is_what_sample_draws_whatever_seed_and_batch(images, tmp_path):
    run = draw(images, tmp_path / "run").run
    tally = run.tally()
    assert (tally.draws == 102).all() and len(np.unique(tally.counts, axis=0)) > 6
    for seed, size in ((0, 64), (5, 17), (9, 256)):
        alone = sc.sample(classify, images[0], scale=0.2, seed=seed, batch_size=size, **SPLITTING)
        np.testing.assert_array_equal(alone.counts, tally.counts)
    declared = run.manifest
    assert (declared.alpha, declared.scheme, declared.reserve) == (0, "exact", 0)
    assert declared.noise == {"name": "splitting", "offsets": 0}
    certificates = run.certify()
    assert not certificates.exploratory and CERTAINLY in repr(certificates)


def test_a_stopped_run_goes_on_to_the_same_counts(images, tmp_path):
    heard = []
    options = {"report": lambda p: heard.append(p.draws), "stop": lambda: sum(heard) > 300}
    first = draw(images, tmp_path / "run", **options)
    assert not first.complete and 0 < first.run.missing < 12
    second = draw(images, tmp_path / "run")
    assert second.complete
    assert second.run.tally() == draw(images, tmp_path / "whole").run.tally()


def start(place):
    """Words that sample splitting noise of the model and data of a folder of its own."""
    inputs = np.random.default_rng(0).integers(0, 256, (6, 3, 4)).astype(np.float32) / 255
    np.savez("bytes.npz", inputs=inputs, labels=np.zeros(6, int))
    model = ("sample", "--model", f"{place[1]}:make", "--data", "bytes.npz", "--device", "cpu")
    return (*model, "--batch-size", "32", "--quiet", "--noise", "splitting", "--scale", "0.2")


def test_replay_draws_the_same_again_and_certify_says_certainty(place, command):
    assert command(*start(place), "--out", "run")[0] == 0
    code, out, _ = command(
        "verify", "run", "--replay", "2", "--model", f"{place[1]}:make", "--data", "bytes.npz"
    )
    assert code == 0 and "its 102 draws come again bit for bit" in out
    code, out, _ = command("certify", "run")
    assert code == 0 and f"an input's certificate {CERTAINLY}" in out
    code, _, err = command("certify", "run", "--alpha", "0.01")
    assert code == 2 and "alpha must be left out with splitting noise" in err


def test_predict_returns_the_certified_class(images):
    smooth = sc.Smoothed(classify, noise="splitting", scale=0.2, device="cpu")
    certificates = smooth.certify(images[0], labels=images[1])
    answer = smooth.predict(images[0])
    np.testing.assert_array_equal(answer.classes, certificates.predicted)
    assert answer.alpha == 0 and (answer.draws == 102).all() and not answer.abstained.any()
    assert (smooth.predict(images[0], seed=3).votes == answer.votes).all()
    np.testing.assert_array_equal(smooth.operational_radius(certificates), certificates.radius)
    sentence = make_statement(certificates, 1 / 255).sentence
    assert f"every certificate {CERTAINLY}" in sentence and "wrongly" not in sentence


def test_predict_abstains_where_most_draws_have_no_class(images):
    def broken(batch):
        scores = classify(batch)
        scores[batch.reshape(len(batch), -1)[:, 2] > 0.05] = np.nan
        return scores

    smooth = sc.Smoothed(broken, noise="splitting", scale=0.2, device="cpu")
    certificates = smooth.certify(images[0])
    answer = smooth.predict(images[0])
    np.testing.assert_array_equal(answer.abstained, certificates.abstained)
    assert answer.abstained.any() and (certificates.radius[answer.abstained] == 0).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"alpha": 0.01}, "alpha must be left out with splitting noise"),
        ({"until": "decided"}, "until must be left out with splitting noise"),
        ({"scheme": "paper"}, "scheme must be left out with splitting noise"),
        ({"reserve": 0.1}, "reserve must be left out with splitting noise"),
        ({"pilot": 10}, "pilot must be left out with splitting noise"),
        ({"extend": True}, "extend must be left out with splitting noise"),
        ({"kind": "softmax"}, "kind must be multinomial with splitting noise"),
        ({"draws": 100}, "draws must be left out with splitting noise.*there are 102"),
        ({"sensitivity": 2.0}, "sensitivity must be left out with splitting noise"),
        ({"grid": 1 / 255}, "grid must be left out with splitting noise"),
        ({"noise_scale": np.ones((1, 2, 3))}, "noise_scale must be left out with splitting"),
    ],
)
def test_settings_of_chance_are_refused_before_anything_is_drawn(images, tmp_path, options, words):
    with pytest.raises(InvalidInput, match=words):
        draw(images, tmp_path / "run", **options)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("change", [0.4 / 255, -2.0, 300.0])
def test_inputs_that_are_no_bytes_are_refused(images, tmp_path, change):
    inputs = images[0].copy()
    inputs[7, 0, 1, 1] += np.float32(change)
    with pytest.raises(InvalidInput, match=r"whole numbers in 0\.\.255 .* input 7 is not"):
        draw((inputs, images[1]), tmp_path / "run")
    with pytest.raises(InvalidInput, match="input 7 is not"):
        sc.sample(classify, inputs, scale=0.2, **SPLITTING)


def test_a_classifier_that_is_random_by_itself_is_refused(images):
    random = np.random.default_rng(0)
    with pytest.raises(InvalidInput, match="must not be random by itself with splitting noise"):
        sc.sample(lambda batch: random.random((len(batch), 3)), images[0], scale=0.2, **SPLITTING)


def test_tallies_of_other_offsets_are_not_added(images):
    one, other = (sc.sample(classify, images[0], scale=0.2, offsets=n, **SPLITTING) for n in (0, 1))
    assert not np.array_equal(one.counts, other.counts)
    with pytest.raises(sc.SimplicertError, match="another noise cannot be added"):
        one + other


@pytest.mark.slow
def test_two_processes_draw_what_one_draws(place, command):
    assert command(*start(place), "--out", "one")[0] == 0
    assert command(*start(place), "--out", "two", "--workers", "2")[0] == 0
    assert sc.open_run("one").tally() == sc.open_run("two").tally()
