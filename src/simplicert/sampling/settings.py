"""Settings of a drawing: everything besides classifier and inputs that decides a tally."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from simplicert.errors import InvalidInput, require
from simplicert.types.scores import BINS, require_layout
from simplicert.types.smoothing import Smoothing, check_lipschitz

CPU_ROWS, GPU_ROWS = 256, 1024  # largest default batch of a torch module

# A function of arrays has a price for every call, which larger batches share out; a torch module
# gains next to nothing by them (benchmarks/batches.py).
FUNCTION_ROWS = 2048

MANY_BATCHES = 32  # batches from which their size matters

MEMORY = 1 << 26  # bytes of one default batch

FUNCTION_MEMORY = 1 << 21  # bytes up to which a function's batch has more than CPU_ROWS rows

LEADERS = 3  # classes with a score histogram of their own

PILOT_FOR_LEADERS = 32  # draws that choose them if no pilot is requested


@dataclass(frozen=True)
class SamplingSettings:
    """Settings, checked at construction; equal settings draw the same tally of the same input."""

    smoothing: Smoothing  # all that changes the function
    seed: int = 0
    batch_size: int = CPU_ROWS
    pilot: int = 0
    histograms: bool = True
    compiled: bool = False
    device: str = "cpu"
    bins: int = BINS  # of the score histograms
    lipschitz: float | None = None  # a proved constant of the scores, which the tally carries
    # Rows of the probe's passes where there are few draws: then no pass is padded either. None: the
    # probe has whole batches, and so has every pass.
    probe_rows: int | None = None

    def __post_init__(self) -> None:
        """Check every setting."""
        require(
            isinstance(self.smoothing, Smoothing),
            f"smoothing must be a Smoothing, got {self.smoothing!r}",
        )
        for name, least in (("seed", 0), ("batch_size", 1), ("pilot", 0)):
            check_whole_number(name, getattr(self, name), least)
        if self.probe_rows is not None:
            check_whole_number("probe_rows", self.probe_rows, 1)
            require(
                self.probe_rows <= self.batch_size,
                f"probe_rows must be at most the batch size {self.batch_size}, got "
                f"{self.probe_rows}",
            )
        require_layout("bins: score histograms", self.bins)
        check_device(self.device)
        check_lipschitz(self.smoothing, self.lipschitz)


def check_whole_number(name: str, value: Any, least: int) -> None:
    """Check for a whole number of at least `least` that fits in 64 bits."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    require(
        whole and least <= value < 2**63,
        f"{name} must be a whole number of at least {least}, got {value!r}",
    )


def check_device(device: str) -> None:
    """Check that the device exists here."""
    if device == "cpu":
        return
    try:
        import torch

        torch.empty(1, device=device)
    except (ImportError, RuntimeError, AssertionError, ValueError, TypeError) as error:
        words = str(error).strip().splitlines() or [type(error).__name__]
        raise InvalidInput(
            f"device must be cpu or a device that torch has here, got {device!r}: {words[0]}"
        ) from None
    require(torch.device(device).type != "meta", "device must hold numbers, got 'meta'")


def default_batch_size(
    shape: tuple[int, ...], device: str, rows: int, torch_kind: bool = True
) -> int:
    """Return a power of two that keeps the device busy and does not fill its memory.

    A function has larger batches where many `rows` are to be drawn. Nothing is measured now: with
    one seed the size is the same tomorrow. Noise comes in chunks of 64 rows whichever it is.
    """
    row = max(4 * int(np.prod(shape)), 1)
    most = CPU_ROWS if device == "cpu" else GPU_ROWS
    if not torch_kind and rows >= MANY_BATCHES * FUNCTION_ROWS:
        most = min(max(FUNCTION_MEMORY // row, most), FUNCTION_ROWS)
    return int(2 ** np.floor(np.log2(max(min(most, MEMORY // row), 1))))


def default_device() -> str:
    """Return the first GPU if torch sees one, else the CPU; the run records which."""
    try:
        import torch
    except ImportError:
        return "cpu"
    return "cuda" if torch.cuda.is_available() else "cpu"


def _refuse_uint8(dtype: Any) -> None:
    """Refuse bytes: they are pixels in 0..255, and sigma is mostly meant for [0, 1]."""
    require(
        not str(dtype).endswith("uint8"),
        "inputs must be floats, got uint8: divide images by 255, and sigma and radius are in "
        "units of [0, 1]; as float32 they stay as they are, and sigma and radius with them",
    )


def convert_inputs(inputs: Any) -> np.ndarray:
    """Return inputs as float32 in host memory; torch tensors too."""
    if hasattr(inputs, "detach"):
        inputs = inputs.detach().cpu()
        # NumPy has no bfloat16; single precision holds all of its numbers.
        inputs = (inputs.float() if inputs.is_floating_point() else inputs).numpy()
    array = np.asarray(inputs)
    _refuse_uint8(array.dtype)
    require(
        array.dtype != object,
        f"inputs must be one array or tensor of numbers, got {type(inputs).__name__}",
    )
    require(
        array.dtype.kind in "fiu" and array.ndim >= 2 and len(array) > 0,  # noqa: PLR2004
        "inputs must be numbers of shape (N, features...) with N > 0, got "
        f"{array.dtype} of shape {array.shape}",
    )
    array = array.astype(np.float32, copy=False)
    require(bool(np.isfinite(array).all()), "inputs must be finite, got NaN or infinity")
    return array
