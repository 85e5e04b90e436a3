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
        ({"sigma": -0.5}, "sigma must be a positive finite number, got -0.5"),
        ({"sigma": 0.0, "method": "macer"}, "sigma must be a positive finite number, got 0.0"),
        ({"sigma": None, "noise": "laplace", "scale": 0.0}, "scale must be a positive"),
        ({"noise": "deletion", "rate": 0.5}, "noise must be one for arrays of numbers, got del"),
        ({"sigma": 0, "scale": 0.5}, "scale is not a number of gaussian noise"),
        ({"method": "smoothadv", "steps": 0}, "steps must be a whole number of at least 1, got 0"),
        ({"method": "smoothadv", "epsilon": -1.0}, "epsilon must be a positive finite number"),
        ({"method": "smoothadv", "epsilon": float("nan")}, "epsilon must be a positive"),
        ({"method": "smoothadv", "copies": 0}, "copies must be a whole number of at least 1"),
        (
            {"method": "smoothadv", "epochs": 2, "epsilon_warmup": 3},
            "epsilon_warmup must be at most the 2 epochs, got 3",
        ),
        ({"epsilon": 0.5}, "epsilon must be left out for method gaussian: .* setting of smoothadv"),
        ({"loss": "mse", "method": "macer"}, "loss must be left out for method macer"),
        ({"method": "denoiser", "loss": "l1"}, "loss must be one of mse, stability, got 'l1'"),
        ({"method": "denoiser", "mean": [0.5], "std": [1.0]}, "mean must be left out for a den"),
        ({"epochs": 0}, "epochs must be a whole number of at least 1, got 0"),
        ({"epochs": 2.5}, "epochs must be a whole number"),
        ({"method": "magic"}, "method must be one of gaussian, macer, smoothadv, denoiser, got"),
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


def test_attacks_are_of_gaussian_noise():
    for method in ("macer", "smoothadv"):
        with pytest.raises(InvalidInput, match=f"another than {method} under laplace noise: its "):
            make_settings({"noise": "laplace", "scale": 0.5, "method": method})


def test_settings_of_other_methods_are_not_recorded():
    """A training of before these methods goes on: what it recorded is what is asked for now."""
    plain = make_settings({"sigma": 0.5}).table()
    assert not {"steps", "epsilon", "epsilon_warmup", "loss", "noise"} & set(plain)
    attacked = make_settings({"sigma": 0.5, "method": "smoothadv", "epsilon": 0.25}).table()
    assert (attacked["copies"], attacked["steps"], attacked["epsilon"]) == (2, 2, 0.25)
    denoiser = make_settings({"sigma": 0.5, "method": "denoiser"}).table()
    assert denoiser["loss"] == "mse" and denoiser["arch"] == "small_dncnn"
    assert "epsilon" not in denoiser


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


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('settings = ["a"]', r"with a table \[settings\], got \['a'\]"),
        ("settings = 5", r"with a table \[settings\], got 5"),
        ("[[settings]]\narch = 'a'", r"with a table \[settings\], got \[\{'arch': 'a'\}\]"),
        ("[settings]\narch = 0", "arch must be a name in recipe .*, got 0"),
        ("[settings]\narch = ['a:b']", r"arch must be a name in recipe .*, got \['a:b'\]"),
        ("[settings]\nmilestones = 5", "milestones must be a list of numbers, got 5"),
        ("[settings]\nmilestones = ['a']", r"milestones must be a list of numbers, got \['a'\]"),
        ("[settings]\nmean = 'abc'", "mean must be a list of numbers, got 'abc'"),
        ("[settings]\nmilestones = ''", "milestones must be a list of numbers, got ''"),
        ("[settings]\nmethod = ['macer']", r"method must be one of .*, got \['macer'\]"),
        ("[settings]\nmethod = {a = 1}", r"method must be one of .*, got \{'a': 1\}"),
        ("[settings]\nmean = [true]", r"mean must be a list of numbers, got \[True\]"),
        ("[settings]\nmean = [0.5]\nstd = [nan]", r"std must be a list of numbers, got \[nan\]"),
        ("[settings]\nflip = 'no'", "flip must be true or false, got 'no'"),
        ("[settings]\nmixed = [1]", r"mixed must be true or false, got \[1\]"),
    ],
)
def test_a_recipe_of_other_things(tmp_path, text, words):
    (tmp_path / "mine.toml").write_text(text)
    with pytest.raises(InvalidInput, match=words):
        resolve_settings(str(tmp_path / "mine.toml"), {"sigma": 0.5})


def test_an_architecture_must_be_a_name():
    with pytest.raises(InvalidInput, match="arch must be a name, got 0"):
        make_settings({"sigma": 0.5, "arch": 0})


def test_a_recipe_of_your_own(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("[settings]\nsigma = 0.3\nepochs = 2\n")
    assert resolve_settings(str(path), {}).epochs == 2
    path.write_text("[other]\n")
    with pytest.raises(InvalidInput, match=r"must be a TOML file with a table \[settings\]"):
        resolve_settings(str(path), {})
    with pytest.raises(InvalidInput, match="recipe must name a file that exists, got "):
        resolve_settings(str(tmp_path / "none.toml"), {})
    with pytest.raises(InvalidInput, match="recipe must be one of cifar10-paper, cifar10-small"):
        resolve_settings("cifar10-smal", {})
