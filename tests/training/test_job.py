"""Whole trainings: resumed ones equal whole ones, and no failure costs a checkpoint."""

import csv
import tomllib
from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.special import ndtri

from simplicert.errors import InvalidInput, TrainingFailed
from simplicert.models import load_model
from simplicert.models.trained import read_facts, read_trained_folder
from simplicert.training import train
from simplicert.training.trainer import Trainer


def weights(folder):
    return read_trained_folder(folder).module.state_dict()


def assert_same_bits(one, other):
    a, b = weights(one), weights(other)
    assert list(a) == list(b)
    for name in a:
        assert torch.equal(a[name], b[name]), name


def interrupt_after(epochs):
    def watch(row):
        if row["epoch"] == epochs:
            raise KeyboardInterrupt

    return watch


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"arch": "small_cnn", "crop": 1, "flip": True, "batch_size": 100},
        {"method": "macer", "copies": 3, "optimiser": "adamw", "rate": 2e-3},
        {"method": "smoothadv", "arch": "small_cnn", "batch_size": 100, "epsilon_warmup": 2},
    ],
    ids=["mlp", "cnn", "macer", "smoothadv"],
)
def test_an_interrupted_training_equals_a_whole_one(tmp_path, trained, options):
    trained(tmp_path / "whole", **options)
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "parts", **options, watch=interrupt_after(1))
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "parts", **options, watch=interrupt_after(2))
    assert not (tmp_path / "parts" / "model.toml").exists()
    trained(tmp_path / "parts", **options)
    assert_same_bits(tmp_path / "whole", tmp_path / "parts")
    texts = [(tmp_path / name / "log.csv").read_text() for name in ("whole", "parts")]
    logs = [[row | {"seconds": ""} for row in csv.DictReader(text.splitlines())] for text in texts]
    assert logs[0] == logs[1] and len(logs[0]) == 3


def test_what_a_training_leaves(tmp_path, trained, digits):
    data, _ = digits
    model = trained(tmp_path / "net", epochs=6)
    content = tomllib.loads((tmp_path / "net" / "model.toml").read_text())
    assert content["model"]["arch"] == "mlp" and content["training"]["sigma"] == 0.3
    assert content["training"]["method"] == "gaussian" and content["training"]["seed"] == 1
    assert content["data"]["fingerprint"] == data.fingerprint
    assert content["result"]["noisy_accuracy"] > 0.6 < content["result"]["clean_accuracy"]
    assert (tmp_path / "net" / "curve.png").stat().st_size > 5000
    again = load_model(str(tmp_path / "net"))
    assert again.fingerprint == model.fingerprint and again.name == "net"
    assert again.classes == data.classes == tuple("0123456789") and again.sigma == 0.3


def test_the_accuracy_is_that_of_the_written_model(tmp_path, trained, digits):
    _, test = digits
    model = trained(tmp_path / "net")
    content = tomllib.loads((tmp_path / "net" / "model.toml").read_text())
    with torch.no_grad():
        answers = model.classifier(torch.from_numpy(test.inputs[np.arange(len(test))])).argmax(1)
    assert content["result"]["clean_accuracy"] == np.mean(answers.numpy() == test.labels)


def test_every_batch_has_fresh_noise_of_sigma(tmp_path, monkeypatch):
    """Inputs all one half: what the network sees besides is noise, and no value comes twice.

    3 x 160 x 50 = 24,000 normal values; five standard errors of the spread, error below 1e-6.
    """
    seen = []
    forward = Trainer.outputs

    def spy(self, inputs, *, trained):
        if trained:
            seen.append(inputs.clone())
        return forward(self, inputs, trained=trained)

    monkeypatch.setattr(Trainer, "outputs", spy)
    half = np.full((200, 50), 0.5, np.float32)
    np.savez(tmp_path / "half.npz", inputs=half, labels=np.arange(200) % 2)
    options = {"arch": "mlp", "sigma": 0.3, "epochs": 3, "batch_size": 40}
    train(str(tmp_path / "half.npz"), tmp_path / "net", **options)
    assert len(seen) == 3 * (180 // 40)
    noise = (torch.cat(seen) - 0.5).double()
    assert abs(float(noise.mean())) < 5 * 0.3 / noise.numel() ** 0.5
    assert abs(float(noise.std()) / 0.3 - 1) < 5 / (2 * noise.numel()) ** 0.5
    assert len(torch.unique(noise[:, 0])) > 0.99 * len(noise)


def test_the_same_command_again_changes_nothing(tmp_path, trained):
    trained(tmp_path / "net")
    before = {p.name: p.read_bytes() for p in (tmp_path / "net").iterdir()}
    trained(tmp_path / "net")
    kept = {p.name: p.read_bytes() for p in (tmp_path / "net").iterdir()}
    assert kept == before


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"arch": "resnet20"}, "is of a training with arch mlp, not resnet20: it is left as it is"),
        ({"sigma": 0.5}, "with sigma 0.3, not 0.5"),
        ({"epochs": 9}, "with epochs 3, not 9"),
    ],
)
def test_a_checkpoint_of_another_training_stays(tmp_path, trained, options, words):
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "net", watch=interrupt_after(1))
    before = (tmp_path / "net" / "checkpoint.pt").read_bytes()
    with pytest.raises(InvalidInput, match=words):
        trained(tmp_path / "net", **options)
    assert (tmp_path / "net" / "checkpoint.pt").read_bytes() == before


def test_a_loss_that_is_no_number_leaves_the_checkpoint(tmp_path, trained, monkeypatch):
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "net", watch=interrupt_after(1))
    before = (tmp_path / "net" / "checkpoint.pt").read_bytes()
    monkeypatch.setattr("simplicert.training.epoch.learning_rate", lambda *_: float("inf"))
    with pytest.raises(TrainingFailed, match="the loss became nan in epoch 2: try a smaller rate"):
        trained(tmp_path / "net")
    assert (tmp_path / "net" / "checkpoint.pt").read_bytes() == before
    monkeypatch.undo()
    trained(tmp_path / "net")
    trained(tmp_path / "whole")
    assert_same_bits(tmp_path / "net", tmp_path / "whole")


def test_half_written_files_are_swept_away(tmp_path, trained):
    (tmp_path / ".checkpoint.pt.0123.tmp").write_bytes(b"half a checkpoint")
    trained(tmp_path, epochs=1)
    assert not list(tmp_path.glob(".*"))


def test_a_file_that_is_no_checkpoint(tmp_path, trained):
    (tmp_path / "checkpoint.pt").write_bytes(b"something else")
    with pytest.raises(InvalidInput, match=r"checkpoint\.pt is no checkpoint of a training here"):
        trained(tmp_path)
    assert (tmp_path / "checkpoint.pt").read_bytes() == b"something else"


@pytest.mark.slow
def test_init_goes_on_from_another_network(tmp_path, trained):
    trained(tmp_path / "first")
    rows = []
    trained(tmp_path / "more", init=tmp_path / "first", rate=1e-4, watch=rows.append)
    fresh = []
    trained(tmp_path / "fresh", rate=1e-4, watch=fresh.append)
    assert rows[0]["noisy_accuracy"] > fresh[0]["noisy_accuracy"] + 0.2
    first, more = (read_facts(tmp_path / name) for name in ("first", "more"))
    assert more.content["model"]["began_from"] == first.fingerprint
    assert "began_from" not in first.content["model"]
    with pytest.raises(InvalidInput, match="must hold weights of small_cnn, got those of mlp"):
        trained(tmp_path / "other", init=tmp_path / "first", arch="small_cnn")
    assert not (tmp_path / "other" / "checkpoint.pt").exists()


def test_wrong_data(tmp_path, trained):
    with pytest.raises(InvalidInput, match=r"arch must be one of resnet20, .* got 'vgg'"):
        trained(tmp_path / "a", arch="vgg")
    with pytest.raises(InvalidInput, match="cifar10: must name a folder that exists"):
        train(f"cifar10:{tmp_path}/none", tmp_path / "b", sigma=1.0)
    with pytest.raises(InvalidInput, match="test must hold none of the inputs trained on"):
        train("digits", tmp_path / "c", test="digits", sigma=1.0)
    np.savez(tmp_path / "bare.npz", inputs=np.zeros((30, 4), np.float32))
    with pytest.raises(InvalidInput, match=r"bare\.npz must have labels to train on, got none"):
        train(str(tmp_path / "bare.npz"), tmp_path / "d", sigma=1.0, arch="mlp")


def test_a_test_set_with_other_classes(tmp_path, digits):
    """A class folder that is missing would shift every label after it."""
    data, test = digits
    fewer = replace(test, classes=test.classes[1:])
    with pytest.raises(InvalidInput, match=r"must have the classes of .* class 0 is '0' and '1'"):
        train(data, tmp_path / "net", test=fewer, arch="mlp", sigma=0.3, epochs=1)
    assert not (tmp_path / "net").exists()


@pytest.mark.slow
def test_vectors_and_networks_of_your_own(tmp_path, monkeypatch):
    """Two clusters in four numbers, by the user's own function of classes and shape."""
    random = np.random.default_rng(0)
    labels = np.arange(200) // 10 % 2
    inputs = (random.standard_normal((200, 4)) + 3 * labels[:, None]).astype(np.float32)
    np.savez(tmp_path / "two.npz", inputs=inputs, labels=labels)
    (tmp_path / "my_net.py").write_text(
        "from torch import nn\n"
        "def linear(classes, shape):\n    return nn.Linear(shape[0], classes)\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    options = {"sigma": 0.1, "epochs": 5, "batch_size": 20, "rate": 0.1}
    train("two.npz", "net", arch="my_net:linear", **options)
    with pytest.raises(InvalidInput, match="a file's word never runs code"):
        read_trained_folder(tmp_path / "net")
    held = read_trained_folder(tmp_path / "net", arch="my_net:linear")
    assert held.facts.content["result"]["noisy_accuracy"] > 0.9
    assert (
        held.facts.content["data"]["inputs"] == 180 and held.facts.content["test"]["inputs"] == 20
    )
    with pytest.raises(InvalidInput, match="arch my_net:none must name a function"):
        train("two.npz", "other", arch="my_net:none", **options)


@pytest.mark.slow
def test_a_finished_model_without_its_checkpoint_is_left_alone(tmp_path, trained):
    trained(tmp_path / "net")
    (tmp_path / "net" / "checkpoint.pt").unlink()
    before = (tmp_path / "net" / "weights.safetensors").read_bytes()
    with pytest.raises(InvalidInput, match=r"out must be a new folder, .* already holds a model"):
        trained(tmp_path / "net", seed=2)
    assert (tmp_path / "net" / "weights.safetensors").read_bytes() == before


@pytest.mark.slow
def test_mixed_precision_trains(tmp_path, trained):
    """bfloat16 on the CPU: other bits than float32, a network as good."""
    rows = {}
    for mixed in (False, True):
        log = []
        trained(tmp_path / str(mixed), mixed=mixed, epochs=8, watch=log.append)
        rows[mixed] = log[-1]
    assert rows[True]["loss"] != rows[False]["loss"]
    assert abs(rows[True]["noisy_accuracy"] - rows[False]["noisy_accuracy"]) < 0.1
    assert all(value.dtype != torch.bfloat16 for value in weights(tmp_path / "True").values())


def test_macer_costs_its_copies(tmp_path, trained, monkeypatch):
    """With k = 5 it classifies five noisy copies of every input of a step."""
    sizes = []
    forward = Trainer.outputs

    def spy(self, inputs, *, trained):
        if trained:
            sizes.append(len(inputs))
        return forward(self, inputs, trained=trained)

    monkeypatch.setattr(Trainer, "outputs", spy)
    trained(tmp_path / "net", method="macer", copies=5, batch_size=20, epochs=1)
    assert sizes == [100] * 15


@pytest.mark.slow
def test_macer_widens_the_radius(tmp_path, trained, digits):
    """From one start, as many epochs: a larger mean radius than by the Gaussian loss, at its rate.

    Radii are Phi^-1 of the share of 200 draws that are right, of inputs never trained on.
    """
    _, test = digits
    both = {"sigma": 0.5, "epochs": 20}
    trained(tmp_path / "start", **both)
    x = torch.from_numpy(test.inputs[np.arange(len(test))]).repeat_interleave(200, 0)
    x = x + 0.5 * torch.randn(x.shape, generator=torch.Generator().manual_seed(0))
    radius = {}
    options = {"gaussian": {}, "macer": {"copies": 8, "lam": 4.0, "beta": 4.0, "rate": 0.005}}
    for method, own in options.items():
        out = tmp_path / method
        trained(out, **both, init=tmp_path / "start", method=method, **own)
        with torch.no_grad():
            answers = read_trained_folder(out).module(x).argmax(1).view(-1, 200).numpy()
        share = np.mean(answers == test.labels[:, None], axis=1).clip(0.005, 0.995)
        radius[method] = np.maximum(ndtri(share), 0).mean()
    assert radius["macer"] > 1.05 * radius["gaussian"]


def test_data_that_sample_would_refuse_is_refused_before_training(tmp_path):
    """Splitting noise is for bytes, and digits are sixteenths."""
    with pytest.raises(InvalidInput, match="splitting noise is for images of bytes"):
        train("digits", tmp_path / "net", arch="mlp", noise="splitting", scale=0.5, epochs=1)
    assert not (tmp_path / "net").exists()
