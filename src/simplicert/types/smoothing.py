"""Smoothing: every setting that changes the smoothed function, in one object, checked once.

Certifying, predicting, saving, replaying and attacking all build the smoothed classifier from these
settings, in one place (`sampling.noisy`). Settings that are not here (batch size, device, seed,
compiling) change which draws are made or the last bits of their outputs, and never the function.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from simplicert.errors import InvalidInput, check_positive, require
from simplicert.noises import GAUSSIAN, NOISES, NoiseModel, check_scale, default_norm
from simplicert.noises.inputs import check_inputs

SMALLEST = float(np.finfo(np.float32).tiny)  # of a noise: smaller numbers lose digits

OUTPUTS = ("logits", "probabilities", "labels", "scores")  # what a classifier may return


@dataclass(frozen=True, eq=False)
class Smoothing:
    """How a classifier f becomes g: the noise it gets, and how its outputs are read."""

    sigma: float
    outputs: str = "logits"
    num_classes: int | None = None
    score_limit: float | None = None  # most that a draw's scores sum to, with outputs "scores"
    noise_scale: np.ndarray | None = None  # each feature's share of sigma
    grid: float | None = None  # step of the grid that noisy copies are rounded to
    autocast: bool = False  # half precision in the network
    noise: NoiseModel = GAUSSIAN

    def __post_init__(self) -> None:
        """Check every setting, and say in one sentence which is wrong."""
        set_field = object.__setattr__
        set_field(self, "sigma", check_scale(self.noise, self.sigma))
        self._check_noise()
        for name in ("grid", "score_limit"):
            if getattr(self, name) is not None:
                set_field(self, name, check_positive(name, getattr(self, name)))
        require(
            isinstance(self.outputs, str) and self.outputs in OUTPUTS,
            f"outputs must be one of {', '.join(OUTPUTS)}, got {self.outputs!r}",
        )
        self._check_classes()
        require(
            self.outputs != "scores" or self.score_limit is not None,
            'score_limit must be given with outputs="scores" (--score-limit): no draw\'s scores '
            "may sum to more, got None",
        )
        require(
            self.outputs == "scores" or self.score_limit is None,
            f'score_limit must come with outputs="scores", got {self.score_limit} with '
            f"{self.outputs}",
        )
        require(
            isinstance(self.autocast, bool), f"autocast must be True or False, got {self.autocast}"
        )
        if self.noise_scale is not None:
            set_field(self, "noise_scale", _check_noise_scale(self.noise_scale))
            least = self.sigma * self.noise_scale[self.noise_scale > 0].min()
            require(
                least >= SMALLEST,
                "noise_scale must leave each feature a noise that single precision holds, at least "
                f"{SMALLEST:.3g} or none, got {least:.3g}",
            )

    def _check_noise(self) -> None:
        """Refuse settings that have no meaning under this noise."""
        row = NOISES[self.noise.name]
        for name in ("grid", "noise_scale"):
            require(
                row.fill is not None or getattr(self, name) is None,
                f"{name} must be left out with {self.noise.name} noise, which adds no number of "
                f"its own to every feature, got {getattr(self, name)!r:.40}",
            )
        require(
            self.noise_scale is None or self.noise.name != "exponential-linf",
            "noise_scale must be left out with exponential-linf noise: its features are not "
            "independent",
        )

    def at_shape(self, shape: tuple[int, ...]) -> "Smoothing":
        """Return the settings for inputs of this shape: the noise then knows their features."""
        if self.noise == GAUSSIAN and shape:  # it certifies in l2, whatever the size
            return self
        return replace(self, noise=check_inputs(self.noise, shape))

    def _check_classes(self) -> None:
        count = self.num_classes
        whole = isinstance(count, (int, np.integer)) and not isinstance(count, bool)
        require(
            count is None or (whole and count >= 2),  # noqa: PLR2004
            f"num_classes must be a whole number of at least 2, got {count!r}",
        )
        require(
            self.outputs != "labels" or count is not None,
            'num_classes must be given with outputs="labels" (--classes), got None',
        )

    def spread(self, shape: tuple[int, ...]) -> np.ndarray:
        """Return the noise's standard deviation: one number, or one for each feature."""
        if self.noise_scale is None:
            return np.asarray(self.sigma)
        try:
            scale = np.broadcast_to(self.noise_scale, shape)
        except ValueError:
            raise InvalidInput(
                f"noise_scale must fit an input of shape {shape}, got {self.noise_scale.shape}"
            ) from None
        return np.asarray(self.sigma * scale)

    @property
    def norm(self) -> str:
        """The norm in which radii are measured."""
        return default_norm(self.noise, self.noise_scale is not None)

    @property
    def reading(self) -> "Reading":
        """The part of these settings that a tally keeps, besides sigma, norm and grid."""
        scale = None if self.noise_scale is None else _noise_scale_fingerprint(self.noise_scale)
        return Reading(self.outputs, self.score_limit, self.autocast, scale)

    def __eq__(self, other: object) -> bool:
        """Whether every setting is equal."""
        return isinstance(other, Smoothing) and all(
            np.array_equal(one, two) if isinstance(one, np.ndarray) else one is two or one == two
            for one, two in (
                (getattr(self, field.name), getattr(other, field.name)) for field in fields(self)
            )
        )

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Reading:
    """How the outputs behind a tally were read, in the plain values that run.toml holds too."""

    outputs: str
    score_limit: float | None = None
    autocast: bool = False
    noise_scale: str | None = None  # its fingerprint

    def __post_init__(self) -> None:
        """Refuse values that no settings can have: they may come from any file."""
        plain = self.noise_scale is None or isinstance(self.noise_scale, str)
        require(plain, f"noise_scale must be a fingerprint, got {self.noise_scale!r:.60}")
        known = 2 if self.outputs == "labels" else None  # the true number is kept elsewhere
        Smoothing(1.0, self.outputs, known, self.score_limit, autocast=self.autocast)

    @classmethod
    def of(cls, source: Mapping[str, Any]) -> "Reading | None":
        """Read it from the settings in run.toml; None where they do not say."""
        names = [field.name for field in fields(cls)]
        held = {name: source[name] for name in names if name in source}
        return cls(**held) if "outputs" in held else None

    def record(self) -> dict[str, Any]:
        """Return the settings for run.toml, without those that are not set."""
        held = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in held.items() if value is not None}

    def differences(self, other: "Reading") -> list[tuple[str, Any, Any]]:
        """List (setting, here, there) for every setting in which the two differ."""
        pairs = [
            (field.name, getattr(self, field.name), getattr(other, field.name))
            for field in fields(self)
        ]
        return [pair for pair in pairs if pair[1] != pair[2]]


def _noise_scale_fingerprint(scale: np.ndarray) -> str:
    """Return 128 bits of SHA-256 of the shares, as 32 hexadecimal digits."""
    return hashlib.sha256(np.ascontiguousarray(scale).tobytes()).hexdigest()[:32]


def check_lipschitz(known: Any, given: float | None) -> float | None:
    """Return a Lipschitz constant of the scores behind a tally, if radii may be divided by it.

    The scores must be the softmax of logits in single precision at least, and the noise must be
    added to them alike wherever the input is: rounding to a grid after it is no such noise.
    """
    if given is None:
        return None
    require(not isinstance(given, bool), f"lipschitz must be a number, got {given}")
    value = check_positive("lipschitz", given)
    reading = known.reading
    logits = reading is None or (reading.outputs == "logits" and not reading.autocast)
    require(
        known.noise.name == "gaussian" and not known.norm.startswith("scaled ") and logits,
        "lipschitz must be left out unless Gaussian noise of one sigma is added to the inputs of "
        f"a network that returns logits in single precision, got {value}",
    )
    require(
        known.grid is None,
        f"lipschitz must be left out on a grid, where scores are steps, got {value}",
    )
    return value


def _check_noise_scale(scale: Any) -> np.ndarray:
    """Return each feature's share of sigma as a read-only array."""
    try:
        array = np.array(scale, dtype=float)
    except (TypeError, ValueError):
        raise InvalidInput(f"noise_scale must hold numbers, got {scale!r:.80}") from None
    require(
        bool(np.isfinite(array).all() and (array >= 0).all() and (array > 0).any()),
        "noise_scale must hold finite numbers that are not negative, and not all zero",
    )
    array.setflags(write=False)
    return array
