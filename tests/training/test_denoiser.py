"""Denoisers in front of frozen classifiers: losses, whole trainings, and their use as models."""

from dataclasses import replace

import numpy as np
import pytest
import torch

import simplicert as sc
from simplicert.errors import InvalidInput
from simplicert.models import denoised, load_model
from simplicert.models.model import Model
from simplicert.models.trained import read_facts, read_trained_folder
from simplicert.training import train
from simplicert.training.distribution import ProcessGroup
from simplicert.training.methods import METHODS, StepInputs
from simplicert.training.settings import make_settings
from simplicert.training.trainer import Trainer

OPTIONS = {"method": "denoiser", "arch": "small_dncnn", "sigma": 0.5, "optimiser": "adamw"}
OPTIONS |= {"rate": 1e-2, "batch_size": 20, "epochs": 3}


@pytest.fixture(scope="module")
def clean(tmp_path_factory, digits):
    """A classifier that never saw noise."""
    out = tmp_path_factory.mktemp("nets") / "clean"
    data, test = digits
    torch.set_num_threads(1)
    train(data, out, test=test, arch="mlp", sigma=0, epochs=6, batch_size=50, rate=0.05)
    return out


@pytest.fixture(scope="module")
def folder(tmp_path_factory, digits, clean):
    """A denoiser trained for it."""
    out = tmp_path_factory.mktemp("nets") / "denoiser"
    data, test = digits
    torch.set_num_threads(1)
    train(data, out, test=test, classifier=str(clean), **OPTIONS)
    return out


def test_a_network_without_noise(clean):
    facts = read_facts(clean)
    result = facts.content["result"]
    assert facts.sigma == 0 and result["noisy_accuracy"] == result["clean_accuracy"] > 0.6
    assert load_model(str(clean)).sigma == 0


def by_hand(loss, module, classifier, clean, noisy):
    """The losses as Salman et al. (2020) write them, in NumPy."""
    with torch.no_grad():
        images = module(noisy)
        logits, answers = classifier(images).numpy(), classifier(clean).numpy().argmax(1)
    if loss == "mse":
        return np.mean((images.numpy() - clean.numpy()) ** 2)
    scores = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    return -np.log(scores[np.arange(len(answers)), answers]).mean()


@pytest.mark.parametrize("loss", ["mse", "stability"])
def test_the_losses(loss):
    """Of the network in training, the labels unlike the classifier's answers; its weights stay."""
    random = torch.Generator().manual_seed(0)
    module, classifier = torch.nn.Linear(4, 4), torch.nn.Linear(4, 3).requires_grad_(False)
    clean = torch.rand(6, 4, generator=random)
    noisy, labels = clean + torch.randn(6, 4, generator=random), torch.arange(6) % 3
    settings = make_settings({"sigma": 0.5, "method": "denoiser", "loss": loss})
    trainer = Trainer(settings, ProcessGroup(0, 1, torch.device("cpu")), module, classifier)
    step = METHODS["denoiser"].forward(trainer, StepInputs(clean, noisy, labels, 0))
    assert float(step.loss.detach()) == pytest.approx(
        by_hand(loss, module, classifier, clean, noisy), rel=1e-5
    )
    assert step.logits.shape == (6, 1, 3)
    step.loss.backward()
    assert module.weight.grad is not None and classifier.weight.grad is None


def test_it_denoises_and_the_classifier_stays(folder, clean, digits):
    """Less distance to the clean images than the noisy ones have; the classifier's own weights."""
    _, test = digits
    trained = read_trained_folder(folder)
    x = torch.from_numpy(test.inputs[np.arange(100)])
    noisy = x + 0.5 * torch.randn(x.shape, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        images = trained.module(noisy)
    assert images.shape == x.shape
    assert float(((images - x) ** 2).mean()) < 0.7 * float(((noisy - x) ** 2).mean())
    content = trained.facts.content
    assert content["model"]["classifier"] == read_facts(clean).fingerprint
    assert content["training"]["loss"] == "mse" and trained.facts.denoiser


def test_a_folder_is_used_by_its_path(folder, clean, digits):
    """By name as a model, in Python as a module: the same answers; certified as any other."""
    _, test = digits
    model = load_model(f"denoised:{folder}@{clean}")
    assert model.name == "denoised:denoiser@clean" and model.sigma == 0.5
    assert model.fingerprint == load_model(f"denoised:{folder}@{clean}").fingerprint
    assert model.classes == test.classes
    x = torch.from_numpy(test.inputs[np.arange(10)])
    by_hand = read_trained_folder(clean).module(read_trained_folder(folder).module(x))
    with torch.no_grad():
        torch.testing.assert_close(model.classifier(x), by_hand)
        torch.testing.assert_close(denoised(folder, str(clean))(x), by_hand)
    tally = sc.sample(model.classifier, x.numpy()[:2], sigma=0.5, draws=100, seed=0)
    assert tally.counts.sum() == 200


def test_names_that_are_refused(folder, clean):
    with pytest.raises(InvalidInput, match=r"must be a classifier, got a denoiser: denoised:"):
        load_model(str(folder))
    with pytest.raises(InvalidInput, match="must be a folder written by train --method denoiser"):
        load_model(f"denoised:{clean}@{clean}")
    with pytest.raises(InvalidInput, match="must be followed by FOLDER@MODEL, got"):
        load_model(f"denoised:{folder}")
    with pytest.raises(InvalidInput, match="must be a folder written by train, with model"):
        load_model(f"denoised:nowhere@{clean}")
    with pytest.raises(InvalidInput, match="brings its own normalisation"):
        load_model(f"denoised:{folder}@{clean}", mean=[0.5], std=[1.0])


def test_trainings_that_are_refused(tmp_path, folder, clean, digits, trained):
    def refused(words, **options):
        with pytest.raises(InvalidInput, match=words):
            trained(tmp_path / "net", **(OPTIONS | options))
        assert not (tmp_path / "net").exists()

    refused("classifier must be given for method denoiser and for no other, got None")
    refused("classifier: model must be file.pt2.* got 'none'", classifier="none")
    refused("and for no other, got clean and method gaussian", classifier=str(clean), method=None)
    refused("arch must be one of small_dncnn, got 'mlp'", classifier=str(clean), arch="mlp")
    refused("init .* must hold weights of small_dncnn", classifier=str(clean), init=clean)
    refused("got a denoiser: denoised", classifier=str(folder))
    refused("must be a torch module, got f", classifier=Model(lambda x: x, "f", "0" * 32))
    narrow = Model(torch.nn.Flatten(), "flat", "0" * 32)
    refused(r"must give 10 logits that can be differentiated, got \(1, 64\)", classifier=narrow)
    other = Model(torch.nn.Linear(5, 10), "other", "0" * 32)
    refused(r"other must take inputs of \(1, 8, 8\): ", classifier=other)
    names = Model(torch.nn.Flatten(), "n", "0" * 32, classes=("a", "b"))
    refused("n must have the classes of digits", classifier=names)
    data, test = digits
    with pytest.raises(InvalidInput, match=r"arch must be one of resnet20, .* got 'small_dncnn'"):
        train(data, tmp_path / "net", test=test, arch="small_dncnn", sigma=0.5, epochs=1)


@pytest.mark.slow
def test_an_interrupted_denoiser_equals_a_whole_one(tmp_path, clean, trained):
    """By the stability loss; going on against another classifier is refused."""

    def interrupt(row):
        raise KeyboardInterrupt

    options = OPTIONS | {"loss": "stability", "epochs": 2, "classifier": str(clean)}
    trained(tmp_path / "whole", **options)
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "parts", **options, watch=interrupt)
    trained(tmp_path / "parts", **options)
    whole, parts = (read_trained_folder(tmp_path / name) for name in ("whole", "parts"))
    assert whole.facts.fingerprint == parts.facts.fingerprint
    other = replace(load_model(str(clean)), fingerprint="0" * 32)
    with pytest.raises(InvalidInput, match=r"is of a training with classifier .*, not 000"):
        trained(tmp_path / "parts", **(options | {"classifier": other}))
