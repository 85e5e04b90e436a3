"""Settings and recipes: what is refused, and what the paper states."""

import pytest

from simplicert.errors import InvalidInput
from simplicert.training.settings import (
    TrainingSettings,
    make_settings,
    read_recipe,
    recipe_names,
    resolve_settings,
)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sigma": 0.0}, "sigma must"),
        ({"epochs": 0}, "epochs must be a whole number of at least 1, got 0"),
        ({"epochs": 2.5}, "epochs must be a whole number"),
        ({"method": "magic"}, "method must be one of gaussian, macer, got 'magic'"),
        ({"optimiser": "lion"}, "optimiser must be one of sgd, adamw"),
        ({"schedule": "flat"}, "schedule must be one of one-cycle, steps"),
        ({"momentum": 1.5}, r"momentum must lie in \[0, 1\], got 1.5"),
        ({"lam": float("nan")}, "lam must lie in"),
        ({"batch_size": 10, "shards": 3}, "batch_size must be a multiple of shards, got 10 and 3"),
        ({"mean": [0.5]}, "mean and std must be given together"),
        ({"speed": 3}, "a training has no setting speed; it has sigma, arch"),
    ],
)
def test_wrong_settings(options, words):
    with pytest.raises(InvalidInput, match=words):
        make_settings({"sigma": 0.5} | options)


def test_sigma_is_asked_for():
    with pytest.raises(InvalidInput, match="sigma must be given"):
        resolve_settings("cifar10-small", {})


def test_the_recipes():
    assert recipe_names() == [
        "cifar10-paper",
        "cifar10-small",
        "digits",
        "digits-lipschitz",
        "imagenet-paper",
    ]
    for name in recipe_names():
        assert isinstance(resolve_settings(name, {"sigma": 0.5}), TrainingSettings)


def test_the_papers_cifar_recipe():
    held = resolve_settings("cifar10-paper", {"sigma": 0.12})
    assert (held.arch, held.epochs, held.batch_size) == ("resnet110", 90, 400)
    assert (held.optimiser, held.rate, held.momentum) == ("sgd", 0.1, 0.9)
    assert (held.weight_decay, held.method) == (1e-4, "gaussian")


def test_the_papers_imagenet_recipe():
    """200 images on each of 10 x 2 GPUs."""
    held = resolve_settings("imagenet-paper", {"sigma": 5.0})
    assert (held.arch, held.mixed, held.shards) == ("resnet50", True, 20)
    assert held.batch_size / held.shards == 200
    assert (held.rate, held.warmup, held.milestones) == (0.1563, 3, (30, 60, 80))


def test_options_stand_in_for_the_recipes():
    held = resolve_settings("cifar10-small", {"sigma": 0.5, "epochs": 3, "rate": None})
    assert held.epochs == 3 and held.rate == read_recipe("cifar10-small")["rate"]


def test_a_recipe_of_your_own(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("[settings]\nsigma = 0.3\nepochs = 2\n")
    assert resolve_settings(str(path), {}).epochs == 2
    path.write_text("[other]\n")
    with pytest.raises(InvalidInput, match=r"must be a TOML file with a table \[settings\]"):
        resolve_settings(str(path), {})
    with pytest.raises(InvalidInput, match="recipe must be one of cifar10-paper, cifar10-small"):
        resolve_settings("cifar10-smal", {})
