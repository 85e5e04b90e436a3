"""Choose the inputs to train on and the inputs to test on: never the same ones."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from simplicert.data import DataOptions, Dataset, load_data
from simplicert.data.class_map import map_classes
from simplicert.data.dataset import SelectedInputs, compare_class_names
from simplicert.data.fitting import WORDS
from simplicert.data.options import AS_IT_IS
from simplicert.data.sequences import are_sequences
from simplicert.errors import InvalidInput, require
from simplicert.training.network import class_count
from simplicert.types import Ints

TENTH = 10  # without a test set, every tenth input is held out

# How a training names what `sample` calls crop: its own crop is one at random.
OTHER_WORDS = {
    WORDS: "`--resize 256 --crop-to 224` (in Python resize=256, crop_to=224)",
    "crop must be": "crop_to must be",
    "crop is an option": "crop_to is an option",
}

SPLITS = (":train", ":test")  # of CIFAR-10


def training_sets(
    data: Dataset | str,
    test: Dataset | str | None,
    class_map: str | None = None,
    options: DataOptions = AS_IT_IS,
) -> tuple[Dataset, Dataset]:
    """Return the data sets to train and test on, as given or by name.

    `cifar10:DIR` alone means its training and its test split. `class_map` says which class of the
    data each class of the test is. `options` say how both are read; data that are given themselves
    were read already.
    """
    if isinstance(data, str) and data.startswith("cifar10:") and not data.endswith(SPLITS):
        test = f"{data}:test" if test is None else test
        data = f"{data}:train"
    whole = _read_set("data", data, options)
    require(
        not are_sequences(whole.inputs),
        f"data must be arrays of numbers to train a network on, got the sequences of {whole.name}",
    )
    require(class_map is None or test is not None, "class_map must come with test, got it alone")
    if test is None:
        return _hold_out_tenth(whole)
    other = _read_set("test", test, options)
    if class_map is not None:
        other = map_classes(other, class_map, whole.classes, class_count(whole))
    shapes = [tuple(one.inputs.shape[1:]) for one in (whole, other)]
    require(
        shapes[0] == shapes[1],
        f"test {other.name} must have inputs of the shape of {whole.name}: {shapes[1]} and "
        f"{shapes[0]} differ",
    )
    if whole.classes is not None and other.classes is not None:
        require(
            whole.classes == other.classes,
            f"test {other.name} must have the classes of {whole.name}: "
            f"{compare_class_names(whole.classes, other.classes)}",
        )
    same = whole.fingerprint == other.fingerprint and np.intersect1d(whole.index, other.index).size
    require(not same, f"test must hold none of the inputs trained on, got {other.name} for both")
    return whole, other


def _read_set(what: str, given: Dataset | str, options: DataOptions) -> Dataset:
    """Return a set as it was given, or load it by its name."""
    if isinstance(given, str):
        with say_as_training():
            return load_data(given, options=options)
    asked = ", ".join(options.record())
    require(not asked, f"{what} must be a name for {asked}, got a data set that was read already")
    return given


@contextmanager
def say_as_training() -> Iterator[None]:
    """Name the options of pictures as a training does where they are refused."""
    try:
        yield
    except InvalidInput as error:
        text = str(error)
        for word, other in OTHER_WORDS.items():
            text = text.replace(word, other)
        raise InvalidInput(text) from None


def _hold_out_tenth(data: Dataset) -> tuple[Dataset, Dataset]:
    """Return all but every tenth input, and every tenth."""
    require(len(data) > TENTH, f"data must hold more than {TENTH} inputs, got {len(data)}")
    tested = np.arange(len(data)) % TENTH == TENTH - 1
    return _take_positions(data, np.flatnonzero(~tested)), _take_positions(
        data, np.flatnonzero(tested)
    )


def _take_positions(data: Dataset, positions: Ints) -> Dataset:
    """Return some inputs of a data set, in this order."""
    labels = None if data.labels is None else data.labels[positions]
    inputs = SelectedInputs(data.inputs, positions)
    return replace(data, inputs=inputs, labels=labels, index=data.index[positions])
