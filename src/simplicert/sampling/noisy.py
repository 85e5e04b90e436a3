"""Build the noisy classifier in one place, for everything that evaluates it.

Noise is added to rows, and rounded to the grid if there is one; our own copy of the classifier runs
in eval mode; its outputs are read as scores. `sample`, a run, its replay, the attack and
`Smoothed.predict` all classify through what is built here.

Noisy copies lie in a batch of fixed shape on one device. Kernels give other last bits for other
shapes and layouts, so every forward pass of a run has the same shape and layout: a short batch is
padded with whatever it held before, and the padding is dropped.
"""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from simplicert.errors import InvalidInput, require
from simplicert.machine import available_cores
from simplicert.models.model import explain_uncallable, is_module
from simplicert.noises import NOISES, NoiseContext
from simplicert.sampling.calls import CallMeter
from simplicert.sampling.forward import (
    Classify,
    check_outputs,
    frozen_copy,
    wrap_array_function,
    wrap_torch_function,
)
from simplicert.sampling.noise import (
    add_grid_noise,
    add_noise,
    chunk_generator,
    device_seed,
    refuse_unfit_inputs,
)
from simplicert.sampling.outputs import Scores, output_reader
from simplicert.sampling.sequences import SequenceBatch
from simplicert.types import Ints
from simplicert.types.smoothing import Smoothing

IMAGE = 3  # dimensions of an input that is an image: channels, height, width
MOST_THREADS = 8  # drawing noise side by side


class NoisyCopies(NamedTuple):
    """Noisy copies of one input that fill some rows of a batch."""

    at: int  # first row in the batch
    x: np.ndarray
    where: tuple[int, int, int, int]  # the chunk: seed, item, chunk, stream
    rows: slice  # rows of the chunk


class SamplingBatch(Protocol):
    """What the drawing loop needs from a device."""

    writer: "NoiseWriter"

    def fill(self, copies: Sequence[NoisyCopies]) -> None:
        """Draw the noise of these copies and write them into the batch."""

    def outputs(self, rows: int | None = None) -> np.ndarray:
        """Return the classifier's outputs for all rows, or for the first ones."""

    def rows(self) -> np.ndarray:
        """Return a copy of the rows in memory, on the host."""

    def outputs_for(self, rows: np.ndarray) -> np.ndarray:
        """Write these rows into the batch, from its first on, and return their outputs."""

    def clear(self) -> None:
        """Set all rows to zero: what the classifier failed on must not pad the next batch."""


class NoiseWriter:
    """Writes noisy copies of an input into rows in host memory, whatever the noise."""

    def __init__(
        self, spread: np.ndarray, step: float | None, context: NoiseContext, chunk: int
    ) -> None:
        """`spread` is the noise's scale for all or each feature, `chunk` the draws of a chunk."""
        self.step, self.context, self.chunk = step, context, chunk
        self.row = NOISES[context.model.name]
        self.spread = spread.astype(np.float32) if step is None else spread

    def write(
        self, out: np.ndarray, x: np.ndarray, where: tuple[int, int, int, int], rows: slice
    ) -> None:
        """Write the copies of x that are these rows of the chunk."""
        random = chunk_generator(*where)
        if self.row.fill is None:
            assert self.row.write is not None
            first = where[2] * self.chunk + rows.start
            self.row.write(out, x, random, rows, self.context._replace(first=first))
        elif self.step is None:
            add_noise(out, x, random, rows, self.spread, self.row.fill)
        else:
            add_grid_noise(out, x, random, rows, self.spread, self.step, fill=self.row.fill)


class HostBatch:
    """A batch in host memory, filled by NumPy; the noise has true tails and 128-bit keys."""

    def __init__(
        self,
        shape: tuple[int, ...],
        classify: Callable[[np.ndarray], np.ndarray],
        writer: NoiseWriter,
    ) -> None:
        """`shape` is the whole batch's; `writer` makes the noisy copies."""
        try:
            self.memory = np.zeros(shape, np.float32)
        except (MemoryError, ValueError):
            raise InvalidInput(
                f"batch_size must fit in memory, got {shape[0]} inputs of shape {shape[1:]}"
            ) from None
        self.classify, self.writer = classify, writer

    def fill(self, copies: Sequence[NoisyCopies]) -> None:
        """Draw on the host, chunks side by side: each has its own generator and its own rows."""
        if len(copies) == 1:
            self._put(copies[0])
        else:
            list(self.pool.map(self._put, copies))

    @cached_property
    def pool(self) -> ThreadPoolExecutor:
        """Threads, started when there is work for several of them."""
        return ThreadPoolExecutor(noise_threads())

    def _put(self, copies: NoisyCopies) -> None:
        at, x, where, rows = copies
        out = self.memory[at : at + rows.stop - rows.start]
        self.writer.write(out, x, where, rows)

    def outputs(self, rows: int | None = None) -> np.ndarray:
        """Classify the rows in memory."""
        return self.classify(self.memory if rows is None else self.memory[:rows])

    def rows(self) -> np.ndarray:
        """Return a copy."""
        return self.memory.copy()

    def outputs_for(self, rows: np.ndarray) -> np.ndarray:
        """Write these rows into the batch and classify them."""
        self.memory[: len(rows)] = rows
        return self.outputs(len(rows))

    def clear(self) -> None:
        """Set all rows to zero, as at first."""
        self.memory[:] = 0


class DeviceBatch:
    """A batch on a torch device: noise is drawn there, and only outputs travel back."""

    def __init__(
        self,
        shape: tuple[int, ...],
        classify: Callable[[Any], Any],
        writer: NoiseWriter,
        device: str,
    ) -> None:
        """Like HostBatch, on `device`; a chunk of noise is drawn whole there, as kernels need."""
        import torch

        self.classify, self.writer = classify, writer
        self.step, self.chunk = writer.step, writer.chunk
        self.memory = torch.zeros(shape, device=device)
        self.random = torch.Generator(device=device)
        kind = torch.float32 if self.step is None else torch.float64
        self.spread = torch.as_tensor(writer.spread, dtype=kind, device=device)

    def fill(self, copies: Sequence[NoisyCopies]) -> None:
        """Draw on the device, chunk after chunk."""
        for one in copies:
            self._put(one)

    def _put(self, copies: NoisyCopies) -> None:
        import torch

        at, x, where, rows = copies
        out = self.memory[at : at + rows.stop - rows.start]
        draw = self.writer.row.draw_tensor
        if draw is None:  # drawn on the host, and copied
            host = np.empty(tuple(out.shape), np.float32)
            self.writer.write(host, x, where, rows)
            out.copy_(torch.from_numpy(host))
            return
        x_on_device = torch.as_tensor(x, dtype=self.spread.dtype, device=out.device)
        self.random.manual_seed(device_seed(*where))
        drawn = draw((self.chunk, *x.shape), self.random, self.spread.dtype)[rows]
        if self.step is None:
            out.copy_(drawn.mul_(self.spread).add_(x_on_device))
        else:
            steps = torch.floor(drawn * (self.spread / self.step) + 0.5)
            out.copy_((torch.round(x_on_device / self.step) + steps) * self.step)

    def outputs(self, rows: int | None = None) -> np.ndarray:
        """Classify on the device, and wait for the outputs."""
        return np.asarray(self.classify(self.memory if rows is None else self.memory[:rows]))

    def rows(self) -> np.ndarray:
        """Return a copy on the host."""
        return np.asarray(self.memory.cpu().numpy().copy())

    def outputs_for(self, rows: np.ndarray) -> np.ndarray:
        """Write these rows into the batch and classify them."""
        import torch

        self.memory[: len(rows)].copy_(torch.from_numpy(rows))
        return self.outputs(len(rows))

    def clear(self) -> None:
        """Set all rows to zero, as at first."""
        self.memory.zero_()


def noise_threads() -> int:
    """Return the number of threads: OMP_NUM_THREADS, as for torch, else one per core."""
    setting = os.environ.get("OMP_NUM_THREADS", "")
    threads = int(setting) if setting.isdigit() else 0
    return min(threads or available_cores(), MOST_THREADS)


class NoisyClassifier:
    """A classifier under noise on one device, for inputs of any shape that the noise can change."""

    def __init__(
        self,
        classifier: Any,
        smoothing: Smoothing,
        device: str = "cpu",
        compiled: bool = False,
        meter: CallMeter | None = None,
    ) -> None:
        """Copy a module at once; a function is called as it is. The meter counts every call."""
        wrong = explain_uncallable(classifier)
        require(not wrong, f"classifier {wrong}")
        self.smoothing, self.device, self.compiled = smoothing, device, compiled
        self.meter = CallMeter() if meter is None else meter
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
                self._ready[key] = self.meter.count_calls(self._classify(*key))
        spread = self.smoothing.spread(shape)
        if channels_last and spread.ndim:
            spread = np.moveaxis(spread, 0, -1)
        return Evaluation(
            self.smoothing.at_shape(shape),
            shape,
            self.device,
            torch_kind,
            channels_last,
            spread,
            self._ready[key],
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

    @property
    def takes_sequences(self) -> bool:
        """Whether inputs are sequences of tokens."""
        return NOISES[self.smoothing.noise.name].drop is not None

    def lay_out(self, inputs: np.ndarray) -> np.ndarray:
        """Return inputs in the memory layout of a batch."""
        return np.ascontiguousarray(np.moveaxis(inputs, 1, -1)) if self.channels_last else inputs

    def batch(self, rows: int, chunk: int) -> SamplingBatch:
        """Allocate a batch of noisy copies on the device; a chunk of noise has `chunk` rows."""
        empty = np.empty((0, *self.shape), np.float32)
        shape = (rows, *self.lay_out(empty).shape[1:])
        context = NoiseContext(self.smoothing.noise, self.smoothing.sigma, self.channels_last)
        writer = NoiseWriter(self.spread, self.smoothing.grid, context, chunk)
        if self.takes_sequences:
            return SequenceBatch(rows, self.classify, writer)
        if self.torch_kind and self.device != "cpu":
            return DeviceBatch(shape, self.classify, writer, self.device)
        return HostBatch(shape, self.classify, writer)

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
        """Refuse inputs that are not on the grid, if there is one, or that hold the mark."""
        refuse_unfit_inputs(inputs, index, self.smoothing.noise, self.smoothing.grid)
