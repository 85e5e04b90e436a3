"""Hold a data set: its inputs, labels, original numbers, class names and fingerprint.

Inputs stay as the file has them (uint8 pixels, say) and become float32 only when they are used, so
that memory use stays that of the file.

Inputs              the protocol: a shape, a length, and float32 arrays by position
Pixels              uint8 images, seen as float32 in [0, 1] with channels first
SelectedInputs      some of the inputs, without a copy
Source              what a loader returns, not yet checked
Dataset             the inputs that were selected, with all that belongs to them
read_ahead          threads read what a loop will use next, in its order
watch_reading       reports how far the first reading of a data set is. Data are loaded deep inside
                    drawing, training and verifying, so the callback is kept in a context variable
                    and not passed through all of them
check_labels        checks the labels against the inputs and class names
number_texts        labels that are texts, as numbers and class names
select_positions    which inputs to take: every step-th of a range, or those listed in a file
data_fingerprint    a hash of the values as the classifier sees them, and of the labels
"""

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from math import prod
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simplicert.data.options import AS_IT_IS, DataOptions
from simplicert.data.sequences import are_sequences, sequence_fingerprint
from simplicert.errors import InvalidInput, require
from simplicert.files import read_text
from simplicert.machine import available_cores
from simplicert.types import Ints
from simplicert.types.arrays import integer_array, refuse_negative

Watch = Callable[[str, int, int], None]  # name of the data set, inputs read, inputs in all
Job = TypeVar("Job")
Result = TypeVar("Result")
Singles = NDArray[np.float32]

# Grey, grey and alpha, RGB, RGBA; more is an array with its axes in another order.
MOST_CHANNELS = 4

IMAGES, COLOUR_IMAGES = 3, 4  # axes of N x H x W and of N x H x W x C
CHUNK = 2**21  # values read at a time: 8 MB of float32
MOST_THREADS = 8  # reading side by side; more would wait for the hash, which runs in one
MOST_CLASSES = 10**7  # labels must lie below this


class Inputs(Protocol):
    """N inputs: `shape` is (N, ...), and an array of positions gives a float32 array."""

    @property
    def shape(self) -> tuple[int, ...]:
        """(N, ...), the inputs as the classifier sees them."""
        ...

    def __len__(self) -> int:
        """Return N."""
        ...

    def __getitem__(self, where: Any, /) -> Singles:
        """Return the inputs at these positions."""
        ...


@dataclass(frozen=True, eq=False)
class Pixels:
    """uint8 images N x H x W (x C), seen as float32 in [0, 1] with channels first."""

    values: NDArray[np.uint8]

    @property
    def shape(self) -> tuple[int, ...]:
        """(N, C, H, W)."""
        count, height, width, *channels = self.values.shape
        return (count, channels[0] if channels else 1, height, width)

    def __len__(self) -> int:
        """Return N."""
        return len(self.values)

    def __getitem__(self, where: Any) -> Singles:
        """Return the images at these positions."""
        return unit_pixels(self.values[where], colour=self.values.ndim == COLOUR_IMAGES)


@dataclass(frozen=True, eq=False)
class SelectedInputs:
    """Some of the inputs, in a given order, without a copy."""

    inputs: Inputs
    positions: Ints

    @property
    def shape(self) -> tuple[int, ...]:
        """(number selected, ...)."""
        return (len(self.positions), *self.inputs.shape[1:])

    def __len__(self) -> int:
        """Return the number of selected inputs."""
        return len(self.positions)

    def __getitem__(self, where: Any) -> Singles:
        """Return the selected inputs at these positions."""
        return self.inputs[self.positions[where]]


def inputs_from_array(name: str, values: NDArray[Any]) -> Inputs:
    """Wrap an array as inputs: uint8 images become pixels, floats are taken as they are."""
    if values.dtype.kind == "f":
        require(values.ndim > 1, f"{name} must have shape (N, ...), got {values.shape}")
        with np.errstate(over="ignore"):  # an infinity is refused when the values are read
            singles = np.ascontiguousarray(values, dtype=np.float32)
        singles.setflags(write=False)
        return singles
    if values.dtype != np.uint8:
        raise InvalidInput(
            f"{name} must be uint8 images or floats, got an array of {values.dtype}; "
            "other numbers have no known scale: convert them to float32"
        )
    fits = values.ndim == IMAGES or (
        values.ndim == COLOUR_IMAGES and 1 <= values.shape[-1] <= MOST_CHANNELS
    )
    channels_first = values.ndim == COLOUR_IMAGES and 1 <= values.shape[1] <= MOST_CHANNELS
    require(
        fits,
        f"{name} of uint8 must have shape N x H x W or N x H x W x C with C at most "
        f"{MOST_CHANNELS}, got {values.shape}"
        f"{'; move the channels to the end' if channels_first else ''}",
    )
    return Pixels(values)


def unit_pixels(pixels: NDArray[np.uint8], *, colour: bool) -> Singles:
    """Turn pixels ... x H x W (x C) in 0..255 into float32 ... x C x H x W in [0, 1]."""
    channels_first = np.moveaxis(pixels, -1, -3) if colour else np.expand_dims(pixels, -3)
    return np.ascontiguousarray(channels_first, dtype=np.float32) / np.float32(255)


def read_ahead(
    read: Callable[[Job], Result], jobs: Iterable[Job], threads: int
) -> Iterator[Result]:
    """Yield `read(job)` for each job in order, with at most `threads` + 1 results not yet used.

    An error is raised where its result would have been, so the first one in order is raised.
    """
    waiting: deque[Future[Result]] = deque()
    pool = ThreadPoolExecutor(threads)
    try:
        for job in jobs:
            waiting.append(pool.submit(read, job))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)  # an error must not wait for the rest


def _ignore_progress(name: str, read: int, count: int) -> None:
    """Do nothing: the default where no progress is shown."""


WATCH: ContextVar[Watch] = ContextVar("WATCH", default=_ignore_progress)


@contextmanager
def watch_reading(watch: Watch) -> Iterator[None]:
    """Inside this context, call `watch` after every part that is read."""
    before = WATCH.set(watch)
    try:
        yield
    finally:
        WATCH.reset(before)


class Source(NamedTuple):
    """What a loader returns: the whole data set in its own order, not yet checked."""

    inputs: Inputs
    labels: ArrayLike | None = None
    classes: tuple[str, ...] | None = None
    columns: tuple[str, ...] | None = None  # names of the features of a table


@dataclass(frozen=True, eq=False)
class Dataset:
    """N selected inputs. `fingerprint` is always that of the full data set."""

    inputs: Inputs  # (N, ...)
    labels: Ints | None  # (N,)
    index: Ints  # (N,) each input's number in the full data set
    classes: tuple[str, ...] | None
    name: str  # as the user gave it, without the path
    fingerprint: str  # 32 hexadecimal digits
    class_map: tuple[int, ...] | None = None  # the model's number for each class of the data
    options: DataOptions = AS_IT_IS  # how the files were read
    columns: tuple[str, ...] | None = None  # names of the features of a table

    def __len__(self) -> int:
        """Return N."""
        return len(self.inputs)

    def __repr__(self) -> str:
        """Return one line: name, size and whether there are labels."""
        labels = "labels" if self.labels is not None else "no labels"
        what = f"inputs of {self.inputs.shape[1:]}"
        what = "sequences of tokens" if are_sequences(self.inputs) else what
        return f"Dataset({self.name}: {len(self)} {what}, {labels})"


def check_inputs(name: str, inputs: Inputs) -> None:
    """Refuse a data set without inputs, or with inputs that have no values."""
    require(len(inputs) > 0, f"{name} must hold at least one input, got none")
    require(all(inputs.shape), f"inputs of {name} must have at least one value, got {inputs.shape}")


def check_labels(name: str, source: Source) -> Ints | None:
    """Return whole labels >= 0, one per input and each with a class; None if there are none."""
    if source.labels is None:
        return None
    what = f"labels of {name}"
    labels = integer_array(what, source.labels, (len(source.inputs),))
    refuse_negative(what, labels)
    largest = int(labels.max())
    require(largest < MOST_CLASSES, f"{what} must lie below {MOST_CLASSES:,}, got {largest}")
    if source.classes is not None and int(labels.max()) >= len(source.classes):
        row = int(np.argmax(labels >= len(source.classes)))
        raise InvalidInput(
            f"{what} must lie in 0..{len(source.classes) - 1}, one for each class name, "
            f"got {labels[row]} at input {row}"
        )
    return labels


def number_texts(texts: Sequence[str]) -> tuple[Ints, tuple[str, ...]]:
    """Number labels that are texts from 0 in their sorted order, as scikit-learn numbers classes.

    Returns the numbers and the names of the classes.
    """
    classes = tuple(sorted(set(texts)))
    numbers = {name: number for number, name in enumerate(classes)}
    return np.array([numbers[text] for text in texts], dtype=np.int64), classes


def compare_class_names(first: tuple[str, ...], second: tuple[str, ...]) -> str:
    """Say where two lists of class names first differ; "" if they do not."""
    for number, (one, other) in enumerate(zip_longest(first, second)):
        if one != other:
            names = ["no class" if name is None else repr(name) for name in (one, other)]
            return f"class {number} is {names[0]} and {names[1]}"
    return ""


def select_positions(
    count: int, *, start: int, stop: int | None, step: int, index_file: Path | None
) -> Ints:
    """Select positions of `count` inputs, each once; `stop` may exceed `count`, as in a slice."""
    if index_file is not None:
        require(
            (start, stop, step) == (0, None, 1),
            f"index_file ({index_file.name}) and start, stop, step cannot be given together",
        )
        return _read_index_file(count, index_file)
    require(0 <= start < count, f"start must lie in 0..{count - 1}, got {start}")
    require(step >= 1, f"step must be at least 1, got {step}")
    require(stop is None or stop > start, f"stop must exceed start = {start}, got {stop}")
    return np.arange(start, count if stop is None else min(stop, count), step, dtype=np.int64)


def _read_index_file(count: int, path: Path) -> Ints:
    """Read numbers separated by white space from a text file; text after a # is a comment."""
    try:
        lines = read_text(path).splitlines()
        numbers = [int(word) for line in lines for word in line.partition("#")[0].split()]
    except (OSError, ValueError) as error:  # ValueError: not a number, or not a text
        raise InvalidInput(f"index_file {path} must hold whole numbers: {error}") from None
    require(bool(numbers), f"index_file {path} must list at least one input, got none")
    seen: set[int] = set()
    for number in numbers:
        require(
            0 <= number < count,
            f"index_file {path} must list inputs in 0..{count - 1}, got {number}",
        )
        require(number not in seen, f"index_file {path} must list each input once, got {number}")
        seen.add(number)
    return np.array(numbers, dtype=np.int64)


def data_fingerprint(name: str, inputs: Inputs, labels: Ints | None) -> str:
    """Return 32 hexadecimal digits; refuse a value that is not a finite number.

    The float32 values are hashed, not the file: the same images as PNG files and as an npz array
    have the same fingerprint, and every file is read once, so a broken one is found before the
    first draw. Class names are left out: no certificate depends on them.
    """
    if are_sequences(inputs):
        return sequence_fingerprint(inputs, labels)
    digest = hashlib.blake2b(digest_size=16)
    digest.update(repr(tuple(int(n) for n in inputs.shape)).encode())
    step = max(1, CHUNK // prod(inputs.shape[1:]))
    parts = [range(at, min(at + step, len(inputs))) for at in range(0, len(inputs), step)]
    threads = max(1, min(available_cores() - 1, MOST_THREADS))  # one core is for the hash
    chunks = read_ahead(partial(_read_finite_part, name, inputs), parts, threads)
    watch = WATCH.get()
    for part, values in zip(parts, chunks, strict=True):
        digest.update(values.reshape(-1).data)
        watch(name, part.stop, len(inputs))
    digest.update(b"unlabelled" if labels is None else labels.astype("<i8").tobytes())
    return digest.hexdigest()


def _read_finite_part(name: str, inputs: Inputs, part: range) -> Singles:
    """Read these inputs in the form that is hashed; refuse a value that is not finite."""
    values = inputs[np.arange(part.start, part.stop)]
    finite = np.isfinite(values).reshape(len(values), -1).all(axis=1)
    if not finite.all():
        worst = part.start + int(finite.argmin())
        raise InvalidInput(
            f"inputs of {name} must be finite in float32, got NaN or infinity at input {worst}"
        )
    return np.ascontiguousarray(values, dtype="<f4")
