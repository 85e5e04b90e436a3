"""Dataset: inputs with their labels, numbers, class names and fingerprint."""

from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from simplicert.data.inputs import Inputs
from simplicert.errors import InvalidInput, require
from simplicert.types import Ints
from simplicert.types.arrays import no_negative, whole_numbers

MOST_CLASSES = 10**7


class Source(NamedTuple):
    """What a loader finds: everything, unchecked, in its own order."""

    inputs: Inputs
    labels: ArrayLike | None = None
    classes: tuple[str, ...] | None = None


@dataclass(frozen=True, eq=False)
class Dataset:
    """N chosen inputs. `fingerprint` is that of the full data set, whatever was chosen."""

    inputs: Inputs  # (N, ...)
    labels: Ints | None  # (N,)
    index: Ints  # (N,) each input's number in the full data set
    classes: tuple[str, ...] | None
    name: str  # as it was asked for, without the path
    fingerprint: str  # 32 hexadecimal digits
    class_map: tuple[int, ...] | None = None  # the model's number of each class that it had

    def __len__(self) -> int:
        """N."""
        return len(self.inputs)

    def __repr__(self) -> str:
        """One line: name, size and whether there are labels."""
        labels = "labels" if self.labels is not None else "no labels"
        return f"Dataset({self.name}: {len(self)} inputs of {self.inputs.shape[1:]}, {labels})"


def checked_labels(name: str, source: Source) -> Ints | None:
    """One whole number an input, none negative, none without a class; None where there are none."""
    if source.labels is None:
        return None
    what = f"labels of {name}"
    labels = whole_numbers(what, source.labels, (len(source.inputs),))
    no_negative(what, labels)
    largest = int(labels.max())
    require(largest < MOST_CLASSES, f"{what} must lie below {MOST_CLASSES:,}, got {largest}")
    if source.classes is not None and int(labels.max()) >= len(source.classes):
        row = int(np.argmax(labels >= len(source.classes)))
        raise InvalidInput(
            f"{what} must lie in 0..{len(source.classes) - 1}, one for each class name, "
            f"got {labels[row]} at input {row}"
        )
    return labels


def difference(first: tuple[str, ...], second: tuple[str, ...]) -> str:
    """Where two lists of class names part; "" where they do not."""
    for number, (one, other) in enumerate(zip_longest(first, second)):
        if one != other:
            names = ["no class" if name is None else repr(name) for name in (one, other)]
            return f"class {number} is {names[0]} and {names[1]}"
    return ""


def check_inputs(name: str, inputs: Inputs) -> None:
    """Refuse a data set without inputs, or with inputs that have no values."""
    require(len(inputs) > 0, f"{name} must hold at least one input, got none")
    require(all(inputs.shape), f"inputs of {name} must have at least one value, got {inputs.shape}")
