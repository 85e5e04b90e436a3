"""Convert inputs to float32 only when they are used, so memory use stays that of the file.

Inputs              the protocol: a shape, a length, and float32 arrays by position
Pixels              uint8 images, seen as float32 in [0, 1] with channels first
SelectedInputs      some of the inputs, without a copy
read_ahead          threads read what a loop will use next, in its order
watch_reading       reports how far the first reading of a data set is. Data are loaded deep inside
                    drawing, training and verifying, so the callback is kept in a context variable
                    and not passed through all of them
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from simplicert.errors import InvalidInput, require
from simplicert.types import Ints

Watch = Callable[[str, int, int], None]  # name of the data set, inputs read, inputs in all
Job = TypeVar("Job")
Result = TypeVar("Result")
Singles = NDArray[np.float32]

# Grey, grey and alpha, RGB, RGBA; more is an array with its axes in another order.
MOST_CHANNELS = 4

IMAGES, COLOUR_IMAGES = 3, 4  # axes of N x H x W and of N x H x W x C


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
