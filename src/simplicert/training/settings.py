"""Hold and check the settings of a training, by option or from a recipe.

`TrainingSettings` is everything that decides what a training computes, checked before the first
batch. `read_recipe` reads settings by name, from the TOML files beside this one or from a file of
your own, and `resolve_settings` puts the given options in their place. `process_rank`,
`process_count`, `local_process_count` and `is_first_process` read what torchrun tells a process
through its environment; without torchrun there is one process. Nothing here imports torch.
"""

import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from math import isfinite
from numbers import Real
from pathlib import Path
from typing import Any

from simplicert.errors import InvalidInput, check_positive, choose, require
from simplicert.files import read_toml
from simplicert.importing import Trust, require_user
from simplicert.noises import GAUSSIAN, NOISES, NoiseModel, choose_noise

METHOD_NAMES = ("gaussian", "macer", "smoothadv", "denoiser")

LOSS_NAMES = ("mse", "stability")  # of a denoiser

OPTIMISER_NAMES = ("sgd", "adamw")

SCHEDULE_NAMES = ("one-cycle", "steps")

# The smallest whole number, the choices and the range that a setting may have.
SMALLEST = {
    "epochs": 1,
    "batch_size": 1,
    "warmup": 0,
    "crop": 0,
    "copies": 1,
    "steps": 1,
    "epsilon_warmup": 0,
    "seed": 0,
    "shards": 1,
}

CHOICES = {
    "method": METHOD_NAMES,
    "optimiser": OPTIMISER_NAMES,
    "schedule": SCHEDULE_NAMES,
    "loss": LOSS_NAMES,
}

RANGES = {"momentum": (0, 1), "weight_decay": (0, 1), "rising": (0, 1), "lam": (0, 1e6)}

LISTS = ("milestones", "mean", "std")  # of numbers
SWITCHES = ("nesterov", "flip", "mixed", "compiled")

# Settings that one method alone has, and the defaults that are its own.
OWNERS = {
    "steps": "smoothadv",
    "epsilon": "smoothadv",
    "epsilon_warmup": "smoothadv",
    "loss": "denoiser",
}

DEFAULTS: dict[str, dict[str, Any]] = {
    "smoothadv": {"copies": 2},
    "denoiser": {"arch": "small_dncnn", "optimiser": "adamw", "rate": 2e-3},
}

# Why a method has no meaning under other noise than Gaussian.
GAUSSIAN_ONLY = {
    "macer": "its loss is a radius of Gaussian noise",
    "smoothadv": "its attack is in l2, the norm of Gaussian noise",
}

FOLDER = Path(__file__).parent / "recipes"  # the recipes that ship with the package

SETTINGS = "settings"  # the table of a recipe file that holds them


@dataclass(frozen=True)
class TrainingSettings:
    """The settings of one training; with the same settings and data two give the same network."""

    # Of the noise, in units of the input ([0, 1] for images), or another's scale. With 0, and the
    # method gaussian, a network never sees noise.
    sigma: float
    arch: str = "small_cnn"
    method: str = "gaussian"
    epochs: int = 25
    batch_size: int = 128  # inputs of one step, over all processes together
    optimiser: str = "sgd"
    rate: float = 0.1  # the largest learning rate
    momentum: float = 0.9  # of sgd
    nesterov: bool = False
    weight_decay: float = 1e-4
    schedule: str = "one-cycle"
    rising: float = 0.25  # share of one-cycle's steps before its peak
    milestones: tuple[int, ...] = ()  # steps: epochs at which the rate is multiplied by 0.1
    warmup: int = 0  # steps: epochs at a tenth of the rate, before all others
    crop: int = 0  # images: black pixels added on each side before a random crop
    flip: bool = False  # images: mirrored with probability 1/2
    mean: tuple[float, ...] | None = None  # of the normalisation; None: that of the training data
    std: tuple[float, ...] | None = None
    copies: int = 16  # macer's k, smoothadv's m: noisy copies of each input
    lam: float = 12.0  # macer's lambda: weight of the radius
    gamma: float = 8.0  # macer: margins beyond it cost nothing
    beta: float = 16.0  # macer: sharpness of the softmax in the margin
    steps: int = 2  # smoothadv: of the attack
    epsilon: float = 0.5  # smoothadv: how far it may go, in l2
    epsilon_warmup: int = 1  # smoothadv: the epoch in which epsilon is whole, growing evenly
    loss: str = "mse"  # denoiser: distance of images, or stability of the classifier's answers
    mixed: bool = False  # mixed precision
    compiled: bool = False  # torch.compile: other last bits than without
    seed: int = 0
    shards: int = 1  # parts of a batch with noise of their own; a multiple of the processes
    noise: str = "gaussian"
    keep: int | None = None  # features that ablation keeps
    absent: float | None = None  # the mark of a feature that it took away

    def __post_init__(self) -> None:
        """Refuse what cannot be trained, and turn lists, as TOML has them, into tuples."""
        require(isinstance(self.arch, str), f"arch must be a name, got {self.arch!r:.80}")
        for name in LISTS:
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _check_numbers(name, value))
        for name in SWITCHES:
            value = getattr(self, name)
            require(isinstance(value, bool), f"{name} must be true or false, got {value!r:.80}")
        for name in ("rate", "gamma", "beta", "epsilon"):
            check_positive(name, getattr(self, name))
        self._check_noise()
        for name, least in SMALLEST.items():
            _check_whole_setting(name, getattr(self, name), least)
        for name, table in CHOICES.items():
            choose(name, getattr(self, name), dict.fromkeys(table))
        for name, (low, high) in RANGES.items():
            value = getattr(self, name)
            fits = isinstance(value, int | float) and isfinite(value) and low <= value <= high
            require(fits, f"{name} must lie in [{low:g}, {high:g}], got {value!r}")
        require(
            self.batch_size % self.shards == 0,
            f"batch_size must be a multiple of shards, got {self.batch_size} and {self.shards}",
        )
        require(
            (self.mean is None) == (self.std is None),
            f"mean and std must be given together, got {self.mean} and {self.std}",
        )
        require(
            self.method != "denoiser" or self.mean is None,
            f"mean must be left out for a denoiser, whose images have no other units, "
            f"got {self.mean}",
        )
        require(
            self.method != "smoothadv" or self.epsilon_warmup <= self.epochs,
            f"epsilon_warmup must be at most the {self.epochs} epochs, got {self.epsilon_warmup}",
        )

    def _check_noise(self) -> None:
        """Refuse a scale that is not positive, and noise that the method has no meaning for."""
        if self.sigma == 0 and self.method == "gaussian" and self.noise_model == GAUSSIAN:
            return  # a network that never sees noise
        check_positive("sigma", self.sigma)
        require(
            self.method not in GAUSSIAN_ONLY or self.noise_model == GAUSSIAN,
            f"method must be another than {self.method} under {self.noise} noise: "
            f"{GAUSSIAN_ONLY.get(self.method)}",
        )

    @property
    def noise_model(self) -> NoiseModel:
        """The noise and its own numbers."""
        return NoiseModel(self.noise, keep=self.keep, absent=self.absent)

    def table(self) -> dict[str, Any]:
        """Return the settings as TOML has them: with lists, and without what is not set."""
        held = {name: value for name, value in asdict(self).items() if value is not None}
        if self.noise == "gaussian":  # as in folders of before other noises were known
            del held["noise"]
        for name, method in OWNERS.items():  # as before other methods were known
            if method != self.method:
                del held[name]
        return {k: list(v) if isinstance(v, tuple) else v for k, v in held.items()}


SETTING_NAMES = tuple(field.name for field in fields(TrainingSettings))


def resolve_settings(recipe: str | None, options: dict[str, Any]) -> TrainingSettings:
    """Return a recipe's settings with the given options in their place; None means not given."""
    base = {} if recipe is None else read_recipe(recipe)
    given = {name: value for name, value in options.items() if value is not None}
    arch = base.get("arch", "")
    require(isinstance(arch, str), f"arch must be a name in recipe {recipe}, got {arch!r:.80}")
    if ":" in arch and "arch" not in given:
        require_user(Trust(f"recipe {recipe}"), "arch", arch, f"--arch {arch}")
    return make_settings(base | given)


def make_settings(values: dict[str, Any]) -> TrainingSettings:
    """Make settings from values by name; an unknown name is refused, not ignored."""
    values = dict(values)
    unknown = sorted(set(values) - {*SETTING_NAMES, "scale"})
    require(
        not unknown,
        f"a training has no setting {', '.join(unknown)}; it has {', '.join(SETTING_NAMES)}",
    )
    known_methods = {name: name for name in METHOD_NAMES}
    method = choose("method", values.get("method", "gaussian"), known_methods)
    for name in sorted(set(values) & set(OWNERS)):
        require(
            method == OWNERS[name],
            f"{name} must be left out for method {method}: it is a setting of {OWNERS[name]}, "
            f"got {values[name]!r}",
        )
    noise = choose("noise", values.get("noise", "gaussian"), {name: name for name in NOISES})
    require(
        NOISES[noise].drop is None,
        f"noise must be one for arrays of numbers, got {noise}: networks for texts are not "
        f"trained here",
    )
    numbers = {name: values.get(name) for name in ("keep", "absent")}
    scale = values.pop("scale", None)
    without = values.get("sigma") == 0  # no noise: the other arguments are checked all the same
    _, known = choose_noise(noise, 1.0 if without else values.get("sigma"), scale, **numbers)
    values["sigma"] = 0.0 if without else known
    return TrainingSettings(**DEFAULTS.get(method, {}) | values)


def read_recipe(name: str) -> dict[str, Any]:
    """Read the settings of a recipe; `name` may also be the path of a TOML file."""
    shipped = {known: FOLDER / f"{known}.toml" for known in recipe_names()}
    own = Path(name).suffix == ".toml"
    path = Path(name) if own else choose("recipe", name, shipped)
    require(path.exists(), f"recipe must name a file that exists, got {name}")
    try:
        content = read_toml(path)
        held: dict[str, Any] = content[SETTINGS]
    except (OSError, ValueError, KeyError) as error:
        raise InvalidInput(
            f"recipe {name} must be a TOML file with a table [{SETTINGS}]: {error!r}"
        ) from None
    require(
        isinstance(held, dict),
        f"recipe {name} must be a TOML file with a table [{SETTINGS}], got {held!r:.80}",
    )
    return held


def recipe_names() -> list[str]:
    """Return the names of the recipes that ship with the package."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def process_rank(name: str) -> int:
    """Return RANK among all processes, or LOCAL_RANK among those of this machine."""
    return int(os.environ.get(name, "0"))


def process_count() -> int:
    """Return how many processes train together."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def local_process_count() -> int:
    """Return how many of them are on this machine."""
    return int(os.environ.get("LOCAL_WORLD_SIZE", "1"))


def is_first_process() -> bool:
    """Say whether this is the process that writes files and prints."""
    return process_rank("RANK") == 0


def _check_numbers(name: str, value: object) -> tuple[float, ...]:
    """Return a list of finite numbers as a tuple; anything else is refused."""
    held: tuple[Any, ...] = (None,)
    if isinstance(value, Iterable) and not isinstance(value, str):
        held = tuple(value)
    numbers = all(isinstance(n, Real) and not isinstance(n, bool) and isfinite(n) for n in held)
    require(numbers, f"{name} must be a list of numbers, got {value!r:.80}")
    return held


def _check_whole_setting(name: str, value: object, least: int) -> None:
    """Refuse a value that is not a whole number of at least `least`."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or value < least:  # type: ignore[operator]
        raise InvalidInput(f"{name} must be a whole number of at least {least}, got {value!r}")
