"""Build the noisy classifier in one place, for everything that evaluates it.

Noise is added to rows, and rounded to the grid if there is one; our own copy of the classifier runs
in eval mode; its outputs are read as scores. `sample`, a run, its replay, the attack and
`Smoothed.predict` all classify through what is built here.
"""

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np

from simplicert.errors import require
from simplicert.models.model import explain_uncallable, is_module
from simplicert.sampling.batch import DeviceBatch, HostBatch, SamplingBatch
from simplicert.sampling.forward import (
    Classify,
    check_outputs,
    frozen_copy,
    wrap_array_function,
    wrap_torch_function,
)
from simplicert.sampling.noise import refuse_off_grid
from simplicert.sampling.outputs import Scores, output_reader
from simplicert.types import Ints
from simplicert.types.smoothing import Smoothing

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
