"""The table of noises: what each is called, what its scale is, and the norms it certifies.

A smoothed classifier is certified against the changes of its input that its noise can hide. Which
norm measures them, and how far they may go, follows from the noise: docs/threats.md has the proofs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from simplicert.errors import InvalidInput, check_positive, choose, require
from simplicert.noises import (
    ablation,
    deletion,
    exponential,
    gaussian,
    laplace,
    splitting,
    transformations,
    uniform,
)
from simplicert.noises.model import FIELDS, NoiseContext, NoiseModel

__all__ = ["GAUSSIAN", "NOISES", "Noise", "NoiseContext", "NoiseModel"]

MOST_FEATURES = 10**7  # ablation computes a number for each of them


@dataclass(frozen=True)
class Noise:
    """A kind of noise, and what has to be known of it before a radius can be computed.

    >>> NOISES["laplace"].norms, NOISES["laplace"].scale
    (('l1',), 'scale')
    """

    meaning: str  # what it does to an input, in one line
    norms: tuple[str, ...]  # that measure the changes it certifies; the first is the default
    scale: str | None  # what its scale is called; None: radii are whole numbers, not multiples
    parameters: Mapping[str, tuple[str, ...]]  # norm -> the other numbers that its radius needs
    source: str
    fill: Callable[[np.random.Generator, np.ndarray], None] | None = None  # additive: at scale 1
    draw_tensor: Callable[..., Any] | None = None  # the same on a torch device, where there is one
    write: Callable[..., None] | None = None  # not additive: writes copies of an input itself
    drop: Callable[..., Any] | None = None  # for sequences of tokens: returns shorter copies
    draw_copies: Callable[..., Any] | None = None  # training: random copies of a batch of tensors
    numbers: tuple[str, ...] = ()  # that it has at every norm, besides its scale
    deterministic: bool = False  # every draw is made and none is random: alpha is 0
    steps: int | None = None  # of a grid of inputs between 0 and 1; radii are whole steps of it

    @property
    def closed(self) -> bool:
        """Whether a radius covers the changes that are exactly as large, as whole numbers do."""
        return self.whole or self.deterministic

    @property
    def whole(self) -> bool:
        """Whether radii are whole numbers: of features, of tokens, of edits."""
        return self.scale is None


_NONE: tuple[str, ...] = ()

NOISES: dict[str, Noise] = {
    "gaussian": Noise(
        "adds independent normal noise of deviation sigma to every feature",
        ("l2", "l1", "linf"),
        "sigma",
        {"l2": _NONE, "l1": _NONE, "linf": ("size",)},
        "Cohen et al. 2019",
        gaussian.fill,
        gaussian.draw_tensor,
    ),
    "laplace": Noise(
        "adds independent noise of density exp(-|x| / scale) / (2 scale) to every feature",
        ("l1",),
        "scale",
        {"l1": _NONE},
        "Lecuyer et al. 2019, Teng et al. 2020",
        laplace.fill,
        laplace.draw_tensor,
    ),
    "uniform": Noise(
        "adds independent noise, uniform on [-scale, scale], to every feature",
        ("l1", "linf"),
        "scale",
        {"l1": _NONE, "linf": ("size",)},
        "Lee et al. 2019, Yang et al. 2020",
        uniform.fill,
        uniform.draw_tensor,
    ),
    "exponential-linf": Noise(
        "adds noise of density proportional to exp(-(largest feature) / scale)",
        ("linf",),
        "scale",
        {"linf": _NONE},
        "Yang et al. 2020",
        exponential.fill,
    ),
    "ablation": Noise(
        "keeps `keep` features out of `size`, chosen at random, and marks the others as absent",
        ("l0",),
        None,
        {"l0": ("size", "keep")},
        "Levine and Feizi 2020",
        write=ablation.write,
        numbers=("size", "keep", "absent"),
    ),
    "deletion": Noise(
        "drops every token with probability `rate`, independently",
        ("edits", "insertions", "deletions"),
        None,
        {"edits": ("rate",), "insertions": ("rate",), "deletions": ("rate",)},
        "Huang et al. 2023",
        drop=deletion.drop_tokens,
        numbers=("rate",),
    ),
    "splitting": Noise(
        "tells features apart by thresholds, one for each, that are moved through all places",
        ("l1",),
        "scale",
        {"l1": _NONE},
        "Levine and Feizi 2021",
        write=splitting.write,
        draw_copies=splitting.draw_copies,
        numbers=("offsets",),
        deterministic=True,
        steps=splitting.STEPS,
    ),
    "brightness": Noise(
        "adds one normal number of deviation sigma to all features of a copy",
        ("brightness",),
        "sigma",
        {"brightness": _NONE},
        "Li et al. 2021",
        write=transformations.write_brightness,
    ),
    "contrast": Noise(
        "multiplies all features of a copy by e^k, k one normal number of deviation sigma",
        ("log contrast",),
        "sigma",
        {"log contrast": _NONE},
        "Li et al. 2021",
        write=transformations.write_contrast,
    ),
    "shift": Noise(
        "moves an image by normal numbers of deviation sigma, in whole pixels; edges wrap around",
        ("shift",),
        "sigma",
        {"shift": _NONE},
        "Li et al. 2021",
        write=transformations.write_shift,
    ),
}


def check_model(model: NoiseModel) -> None:
    """Refuse a noise that is not in the table, a number that it does not have, and a wrong one."""
    row = choose("noise", model.name, NOISES)
    has = {*row.numbers, *(name for needed in row.parameters.values() for name in needed)}
    if "offsets" in has and model.offsets is None:
        object.__setattr__(model, "offsets", 0)
    for name in FIELDS:
        value = getattr(model, name)
        require(
            value is None or name in has,
            f"{name} is not a number of {model.name} noise, got {value!r}",
        )
        require(
            value is not None or name not in {"keep", "rate"} & has,
            f"{name} must be given for {model.name} noise, got None",
        )
        if value is not None:
            object.__setattr__(model, name, _check_parameter(name, value))
    require(
        model.keep is None or model.size is None or model.keep <= model.size,
        f"keep must be at most size = {model.size}, got {model.keep}",
    )


def as_noise_model(noise: NoiseModel | str) -> NoiseModel:
    """Return a noise by its name, or as it is."""
    if isinstance(noise, str):
        return NoiseModel(noise)
    require(isinstance(noise, NoiseModel), f"noise must be a name or a NoiseModel, got {noise!r}")
    return noise


def say_noise(model: NoiseModel, scale: float) -> str:
    """Return noise and scale in a few words: "sigma 0.5", "laplace noise, scale 0.5"."""
    row = NOISES[model.name]
    size = "" if row.scale is None else f"{row.scale} {scale:g}"
    if model == GAUSSIAN:
        return size
    return ", ".join(part for part in (f"{model.name} noise", size, model.say_numbers()) if part)


GAUSSIAN = NoiseModel()


def check_scale(noise: NoiseModel, scale: float | None) -> float:
    """Return the noise's scale; 1 stands for that of a noise without one."""
    name = NOISES[noise.name].scale
    if name is None:
        require(scale in (None, 1), f"sigma has no meaning for {noise.name} noise, got {scale!r}")
        return 1.0
    if noise.name == "splitting":
        return splitting.whole_scale(scale)  # type: ignore[arg-type]
    return check_positive(name, scale)  # type: ignore[arg-type]


def default_norm(model: NoiseModel, scaled: bool = False) -> str:
    """Return the norm in which the noise certifies; "scaled" where features have their own."""
    return f"{'scaled ' if scaled else ''}{NOISES[model.name].norms[0]}"


def require_norm(model: NoiseModel, norm: str) -> None:
    """Refuse a norm that is not one of the noise's."""
    allowed = NOISES[model.name].norms
    scaled = [f"scaled {norm}" for norm in allowed if NOISES[model.name].fill is not None]
    require(
        norm in (*allowed, *scaled),
        f"norm must be one that {model.name} noise certifies ({', '.join(allowed)}), got {norm!r}",
    )


def choose_norm(noise: str, norm: str | None) -> str:
    """Return a norm that the noise certifies: the one asked for, or its usual one."""
    row = choose("noise", noise, NOISES)
    if norm is None:
        return row.norms[0]
    require(
        norm in row.norms,
        f"norm must be one that {noise} noise certifies ({', '.join(row.norms)}), got {norm!r}",
    )
    return norm


def choose_noise(
    noise: str | NoiseModel = "gaussian",
    sigma: float | None = None,
    scale: float | None = None,
    **numbers: float | None,
) -> tuple[NoiseModel, float]:
    """Return a noise with its numbers, and its scale, which must be given where it has one."""
    if isinstance(noise, str):
        choose("noise", noise, NOISES)
        noise = NoiseModel(noise, **numbers)  # type: ignore[arg-type]
    else:
        require(isinstance(noise, NoiseModel), f"noise must be a name, got {noise!r:.40}")
        extra = {name: value for name, value in numbers.items() if value is not None}
        require(not extra, f"numbers must be left out beside a NoiseModel, got {extra}")
    name = NOISES[noise.name].scale
    given = choose_scale(noise.name, sigma, scale)
    require(
        name is None or (sigma if name == "sigma" else scale) is not None,
        f"{name} must be given for {noise.name} noise, got None",
    )
    return noise, given


def say_units(noise: str) -> str:
    """Return what the radii of a noise without multiples are: whole numbers, or whole steps."""
    steps = NOISES[noise].steps
    return "whole numbers" if steps is None else f"whole steps of 1/{steps}"


def scale_argument(noise: NoiseModel, scale: float) -> dict[str, float]:
    """Return the scale under the name that this noise has for it, as arguments to be passed on."""
    name = NOISES[noise.name].scale
    return {} if name is None else {name: scale}


def choose_scale(noise: str, sigma: float | None, scale: float | None) -> float:
    """Return the noise's scale, 1 where none is given; refuse one that this noise does not have."""
    row = NOISES[noise]
    for given, value in (("sigma", sigma), ("scale", scale)):
        meaning = f"scale is called {row.scale}" if row.scale else "radii are whole numbers"
        require(
            value is None or given == row.scale,
            f"{given} is not a number of {noise} noise, whose {meaning}, got {value!r}",
        )
    known = sigma if row.scale == "sigma" else scale
    if noise == "splitting" and known is not None:
        return splitting.whole_scale(known)
    return 1.0 if known is None else check_positive(row.scale or "scale", known)


def check_parameters(noise: str, norm: str, given: Mapping[str, float | None]) -> dict[str, float]:
    """Return the numbers that this radius needs; refuse a missing, wrong or useless one."""
    needed = NOISES[noise].parameters[norm]
    for name, value in given.items():
        if name in needed and value is None:
            raise InvalidInput(f"{name} must be given for {noise} noise and norm {norm}, got None")
        require(
            name in needed or value is None,
            f"{name} has no meaning for {noise} noise and norm {norm}, got {value!r}",
        )
    found = {name: _check_parameter(name, given[name]) for name in needed}
    if "keep" in found:
        require(
            found["keep"] <= found["size"],
            f"keep must be at most size = {found['size']}, got {found['keep']}",
        )
    return found


def _check_parameter(name: str, value: float | None) -> float:
    """Return a size or a number of features as a whole number, a rate inside (0, 1)."""
    assert value is not None
    if name == "rate":
        good = isinstance(value, (int, float)) and 0 < value < 1
        require(good, f"rate must lie between 0 and 1, got {value!r}")
        return float(value)
    if name == "absent":
        good = isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)
        require(good, f"absent must be a finite number that no feature has, got {value!r}")
        return float(value)
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if name == "offsets":
        good = whole and 0 <= value < 2**32
        require(good, f"offsets must be a seed, a whole number from 0 to 2^32 - 1, got {value!r}")
        return int(value)
    require(whole and value >= 1, f"{name} must be a whole number above 0, got {value!r}")
    require(value <= MOST_FEATURES, f"{name} must be at most {MOST_FEATURES:,}, got {value!r}")
    return int(value)
