"""Keep a batch of fixed shape on one device, fill it with noisy copies and classify it.

Kernels give other last bits for other shapes and layouts, so every forward pass of a run has the
same shape and layout: a short batch is padded with whatever it held before, and the padding is
dropped.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from simplicert.errors import InvalidInput
from simplicert.machine import available_cores
from simplicert.sampling.noise import add_grid_noise, add_noise, chunk_generator, device_seed

MOST_THREADS = 8  # drawing noise side by side


class NoisyCopies(NamedTuple):
    """Noisy copies of one input that fill some rows of a batch."""

    at: int  # first row in the batch
    x: np.ndarray
    where: tuple[int, int, int, int]  # the chunk: seed, item, chunk, stream
    rows: slice  # rows of the chunk


class SamplingBatch(Protocol):
    """What the drawing loop needs from a device."""

    def fill(self, copies: Sequence[NoisyCopies]) -> None:
        """Draw the noise of these copies and write them into the batch."""

    def outputs(self, rows: int | None = None) -> np.ndarray:
        """Return the classifier's outputs for all rows, or for the first ones."""

    def rows(self) -> np.ndarray:
        """Return a copy of the rows in memory, on the host."""

    def outputs_for(self, rows: np.ndarray) -> np.ndarray:
        """Write these rows into the batch and return their outputs."""

    def clear(self) -> None:
        """Set all rows to zero: what the classifier failed on must not pad the next batch."""


class HostBatch:
    """A batch in host memory, filled by NumPy; the noise has true tails and 128-bit keys."""

    def __init__(
        self,
        shape: tuple[int, ...],
        classify: Callable[[np.ndarray], np.ndarray],
        spread: np.ndarray,
        step: float | None,
    ) -> None:
        """`shape` is the whole batch's; `spread` the noise's deviation, for all or each feature."""
        try:
            self.memory = np.zeros(shape, np.float32)
        except (MemoryError, ValueError):
            raise InvalidInput(
                f"batch_size must fit in memory, got {shape[0]} inputs of shape {shape[1:]}"
            ) from None
        self.classify, self.step = classify, step
        self.spread = spread.astype(np.float32) if step is None else spread

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
        if self.step is None:
            add_noise(out, x, chunk_generator(*where), rows, self.spread)
        else:
            add_grid_noise(out, x, chunk_generator(*where), rows, self.spread, self.step)

    def outputs(self, rows: int | None = None) -> np.ndarray:
        """Classify the rows in memory."""
        return self.classify(self.memory if rows is None else self.memory[:rows])

    def rows(self) -> np.ndarray:
        """Return a copy."""
        return self.memory.copy()

    def outputs_for(self, rows: np.ndarray) -> np.ndarray:
        """Write these rows into the batch and classify them."""
        self.memory[:] = rows
        return self.outputs()

    def clear(self) -> None:
        """Set all rows to zero, as at first."""
        self.memory[:] = 0


class DeviceBatch:
    """A batch on a torch device: noise is drawn there, and only outputs travel back."""

    def __init__(
        self,
        shape: tuple[int, ...],
        classify: Callable[[Any], Any],
        spread: np.ndarray,
        step: float | None,
        device: str,
        chunk: int,
    ) -> None:
        """Like HostBatch, on `device`; a chunk of noise is drawn whole there, as kernels need."""
        import torch

        self.chunk = chunk
        self.memory = torch.zeros(shape, device=device)
        self.classify, self.step = classify, step
        self.random = torch.Generator(device=device)
        kind = torch.float32 if step is None else torch.float64
        self.spread = torch.as_tensor(spread, dtype=kind, device=device)

    def fill(self, copies: Sequence[NoisyCopies]) -> None:
        """Draw on the device, chunk after chunk."""
        for one in copies:
            self._put(one)

    def _put(self, copies: NoisyCopies) -> None:
        import torch

        at, x, where, rows = copies
        out = self.memory[at : at + rows.stop - rows.start]
        x_on_device = torch.as_tensor(x, dtype=self.spread.dtype, device=out.device)
        self.random.manual_seed(device_seed(*where))
        drawn = torch.randn(
            (self.chunk, *x.shape),
            generator=self.random,
            device=out.device,
            dtype=self.spread.dtype,
        )[rows]
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

        self.memory.copy_(torch.from_numpy(rows))
        return self.outputs()

    def clear(self) -> None:
        """Set all rows to zero, as at first."""
        self.memory.zero_()


def noise_threads() -> int:
    """Return the number of threads: OMP_NUM_THREADS, as for torch, else one per core."""
    setting = os.environ.get("OMP_NUM_THREADS", "")
    threads = int(setting) if setting.isdigit() else 0
    return min(threads or available_cores(), MOST_THREADS)
