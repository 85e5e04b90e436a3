"""Noise, and the noisy classifier that every use evaluates.

Noise is a pure function of (seed, input, chunk): whoever draws it, it is the same.
`NoisyClassifier` is the function that is evaluated, built in one place for sampling, prediction,
replay and attack; `Evaluation` is its form for inputs of one shape.
"""

import hashlib
import struct
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np

from simplicert.errors import InvalidInput, require
from simplicert.models.model import explain_uncallable, is_module
from simplicert.sampling.batch import DeviceBatch, HostBatch, SamplingBatch
from simplicert.sampling.forward import (
    Classify,
    check_outputs,
    frozen_copy,
    wrap_array_function,
    wrap_torch_function,
)
from simplicert.sampling.outputs import Scores, output_reader
from simplicert.types import Ints
from simplicert.types.smoothing import Smoothing

SMALLEST_CHUNK, LARGEST_CHUNK = 32, 64  # draws
NOISE, VOTES, PILOT, PILOT_VOTES = range(4)  # streams that never share a number
STREAM_COUNT = 4


def stream_number(stream: int, chunk: int) -> int:
    """Return the stream for chunks of this size: draws of other chunk sizes never share noise."""
    return stream + STREAM_COUNT * (LARGEST_CHUNK - chunk)


def chunk_rows(batch_size: int) -> int:
    """Return the draws per chunk: of 32 to 64 what fills most of the batch, the larger on a tie."""
    sizes = range(min(SMALLEST_CHUNK, batch_size), min(LARGEST_CHUNK, batch_size) + 1)
    return max(sizes, key=lambda c: (batch_size // c * c, c))


def chunk_generator(seed: int, item: int, chunk: int, stream: int) -> np.random.Generator:
    """Return the generator of one chunk: its own counter-based stream, keyed by (seed, item)."""
    key = np.random.SeedSequence((seed, item)).generate_state(2, np.uint64)
    return np.random.Generator(np.random.Philox(key=key, counter=[0, 0, chunk, stream]))


def device_seed(seed: int, item: int, chunk: int, stream: int) -> int:
    """Return 63 bits for a generator on a GPU, which takes one number, not a key and a counter."""
    packed = struct.pack("<qqqq", seed, item, chunk, stream)
    return int.from_bytes(hashlib.blake2b(packed, digest_size=8).digest(), "little") >> 1


def hash_seed(*words: object) -> int:
    """Hash words to a seed of 63 bits; other words give another, except by a chance of 2^-63."""
    text = "\n".join(map(str, words))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little") >> 1


def add_noise(
    out: np.ndarray, x: np.ndarray, random: np.random.Generator, rows: slice, spread: np.ndarray
) -> None:
    """Write x + spread * noise into `out`; float32, in place where `out` holds the whole chunk."""
    if len(out) == rows.stop and rows.start == 0 and out.flags.c_contiguous:
        random.standard_normal(dtype=np.float32, out=out)
    else:
        out[:] = random.standard_normal((rows.stop, *x.shape), dtype=np.float32)[rows]
    out *= spread
    out += x


def add_grid_noise(
    out: np.ndarray,
    x: np.ndarray,
    random: np.random.Generator,
    rows: slice,
    spread: np.ndarray,
    step: float,
) -> None:
    """Do the same on a grid: noise is drawn in double precision and rounded to whole steps.

    With x on the grid, Q(x + noise) = x + Q(noise) exactly, Q rounding to the grid: the result is
    Gaussian smoothing of the classifier composed with Q in real arithmetic, and no low-order bit
    of the sum tells x from its neighbours.
    """
    drawn = random.standard_normal((rows.stop, *x.shape))[rows]
    steps = np.floor(drawn * (spread / step) + 0.5)
    out[:] = (np.rint(x / step) + steps) * step


def refuse_off_grid(inputs: np.ndarray, index: np.ndarray, step: float) -> None:
    """Refuse an input that is not on the grid; snapping it would certify another input."""
    off = np.flatnonzero(~is_on_grid(inputs, step))
    if off.size:
        raise InvalidInput(
            f"inputs must lie on the grid of {step:.6g}, and input {index[off[0]]} does not"
        )


def is_on_grid(inputs: np.ndarray, step: float) -> Any:
    """Return (N,) whether each feature is the float32 nearest to a whole number of steps."""
    snapped = (np.rint(inputs.astype(np.float64) / step) * step).astype(np.float32)
    return (snapped == inputs).reshape(len(inputs), -1).all(axis=1)


IMAGE = 3  # dimensions of an input that is an image: channels, height, width


class NoisyClassifier:
    """A classifier under noise on one device, for inputs of any shape."""

    def __init__(
        self, classifier: Any, smoothing: Smoothing, device: str = "cpu", compiled: bool = False
    ) -> None:
        """Copy a module at once; a function is called as it is."""
        wrong = explain_uncallable(classifier)
        require(not wrong, f"classifier {wrong}")
        self.smoothing, self.device, self.compiled = smoothing, device, compiled
        self.own = frozen_copy(classifier)  # the module that is classified with, or the function
        self._ready: dict[tuple[bool, bool], Classify] = {}
        self._lock = threading.Lock()

    def on(self, shape: tuple[int, ...], tensors: bool = False) -> "Evaluation":
        """Prepare for inputs of this shape; `tensors`: a plain function takes tensors."""
        torch_kind = tensors or is_module(self.own)
        channels_last = torch_kind and len(shape) == IMAGE
        with self._lock:  # the copy is laid out once, before any thread uses it
            key = (torch_kind, channels_last)
            if key not in self._ready:
                self._ready[key] = self._classify(*key)
        spread = self.smoothing.spread(shape)
        if channels_last and spread.ndim:
            spread = np.moveaxis(spread, 0, -1)
        return Evaluation(
            self.smoothing, shape, self.device, torch_kind, channels_last, spread, self._ready[key]
        )

    def _classify(self, torch_kind: bool, channels_last: bool) -> Classify:
        if not torch_kind:
            return wrap_array_function(self.own)
        own = frozen_copy(self.own) if self._ready else self.own  # another layout, another copy
        return wrap_torch_function(
            own, self.device, channels_last, self.compiled, self.smoothing.autocast
        )

    def __getstate__(self) -> dict[str, Any]:
        """Return what goes to another process: the copy and its settings, to be prepared there."""
        return {**self.__dict__, "_ready": {}, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the copy and its settings, with a lock of its own."""
        self.__dict__.update(state, _lock=threading.Lock())


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The noisy classifier for inputs of one shape."""

    smoothing: Smoothing
    shape: tuple[int, ...]  # of an input
    device: str
    torch_kind: bool  # takes tensors
    channels_last: bool  # how images lie in memory
    spread: np.ndarray  # the noise's deviation, laid out like the inputs
    classify: Classify

    def lay_out(self, inputs: np.ndarray) -> np.ndarray:
        """Return inputs in the memory layout of a batch."""
        return np.ascontiguousarray(np.moveaxis(inputs, 1, -1)) if self.channels_last else inputs

    def batch(self, rows: int, chunk: int) -> SamplingBatch:
        """Allocate a batch of noisy copies on the device; a chunk of noise has `chunk` rows."""
        empty = np.empty((0, *self.shape), np.float32)
        shape = (rows, *self.lay_out(empty).shape[1:])
        step = self.smoothing.grid
        if self.torch_kind and self.device != "cpu":
            return DeviceBatch(shape, self.classify, self.spread, step, self.device, chunk)
        return HostBatch(shape, self.classify, self.spread, step)

    def read(self, outputs: np.ndarray) -> Scores:
        """Read a batch of outputs as classes and scores."""
        return output_reader(self.smoothing)(outputs)

    def count_classes(self, outputs: np.ndarray, rows: int) -> int:
        """Return the number of classes by the first outputs, or say what is wrong with them."""
        declared, labels_only = self.smoothing.num_classes, self.smoothing.outputs == "labels"
        check_outputs(outputs, labels_only, rows)
        classes = declared if labels_only else outputs.shape[1]
        require(
            classes is not None and declared in (None, classes),
            f"classifier must have num_classes = {declared} outputs, got {classes}",
        )
        assert classes is not None
        return int(classes)

    def refuse_off_grid(self, inputs: np.ndarray, index: Ints) -> None:
        """Refuse inputs that are not on the grid, if there is one."""
        if self.smoothing.grid is not None:
            refuse_off_grid(inputs, index, self.smoothing.grid)
