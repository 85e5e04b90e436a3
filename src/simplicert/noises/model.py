"""NoiseModel: a noise of the table together with its own numbers, besides its scale.

A tally, its expectations, a run and a smoothed classifier all hold one. NoiseContext is what a
noise needs to be written into a batch.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

from simplicert.errors import InvalidInput, require

FIELDS = ("size", "keep", "rate", "absent", "offsets")  # the numbers that a noise may have


@dataclass(frozen=True)
class NoiseModel:
    """Which noise, and its own numbers; those that it does not have are None.

    >>> NoiseModel("ablation", size=784, keep=45, absent=-1.0)
    NoiseModel(ablation, size 784, keep 45, absent -1.0)
    >>> NoiseModel()
    NoiseModel(gaussian)
    """

    name: str = "gaussian"
    size: int | None = None  # features of an input
    keep: int | None = None  # of them that ablation leaves
    rate: float | None = None  # probability with which deletion drops a token
    absent: float | None = None  # the mark of a feature that ablation took away
    offsets: int | None = None  # seed of splitting noise's fixed numbers, one for each feature

    def __post_init__(self) -> None:
        """Refuse a noise that is not in the table, and numbers that it does not have."""
        from simplicert.noises import check_model  # the table imports this file

        check_model(self)

    def numbers(self) -> dict[str, float]:
        """Return its own numbers by name."""
        held = ((name, getattr(self, name)) for name in FIELDS)
        return {name: value for name, value in held if value is not None}

    def record(self) -> dict[str, Any]:
        """Return it as run.toml holds it."""
        return {"name": self.name, **self.numbers()}

    @classmethod
    def of(cls, record: Mapping[str, Any] | None) -> "NoiseModel":
        """Read it from run.toml; a run without such a table has Gaussian noise."""
        if record is None:
            return cls()
        names = {field.name for field in fields(cls)}
        require(
            isinstance(record, Mapping) and "name" in record and set(record) <= names,
            f"noise must be a table of {', '.join(sorted(names))}, got {record!r:.80}",
        )
        return cls(**record)

    def sized(self, size: int) -> "NoiseModel":
        """Return it for inputs with this many features; refuse another number than its own."""
        if self.size is not None and self.size != size:
            raise InvalidInput(f"size must be the number of features, {size}, got {self.size}")
        return replace(self, size=size)

    def say_numbers(self) -> str:
        """Return its numbers in words: "size 784, keep 45"."""
        return ", ".join(f"{name} {value}" for name, value in self.numbers().items())

    def __str__(self) -> str:
        """Return it in words: its name and its numbers."""
        return ", ".join(part for part in (self.name, self.say_numbers()) if part)

    def __repr__(self) -> str:
        """Show its name and its numbers."""
        return f"NoiseModel({self})"


class NoiseContext(NamedTuple):
    """What a noise needs besides the input and the random numbers."""

    model: NoiseModel
    sigma: float  # its scale
    channels_last: bool = False  # how an image lies in memory
    first: int = 0  # the number of the first draw that is written
    moved: tuple[float, ...] = ()  # the parameter that noise is drawn around; (): 0

    def feature_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return a shape with one place for each feature: pixels of an image, else numbers."""
        if len(shape) != 3:  # noqa: PLR2004
            return shape
        return (*shape[:2], 1) if self.channels_last else (1, *shape[1:])
