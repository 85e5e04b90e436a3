"""The settings of a drawing, and how their texts are parsed.

`DrawingSettings` holds the options of `simplicert sample` under their names there.
`parse_numbers`, `parse_grid_step` and `parse_reserve` read options that are more than a word;
`read_noise_scale` and `write_noise_scale` handle the file with each feature's share of sigma.
"""

import math
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np

from simplicert.atomic import write_atomically
from simplicert.data.arrays import read_array
from simplicert.errors import InvalidInput, require
from simplicert.store.run import SCALE
from simplicert.types.plan import MOST_RESERVED


@dataclass(frozen=True)
class DrawingSettings:
    """The options of `simplicert sample`, under their names there."""

    model: str
    data: str
    sigma: float
    draws: int
    out: Path
    seed: int = 0
    alpha: float = 0.001
    kind: str = "multinomial"
    scheme: str = "gated"
    start: int = 0
    stop: int | None = None
    step: int = 1
    index_file: Path | None = None
    until: str | None = None
    reserve: str | None = None  # a share of alpha; None: the run's, or the default
    extend: bool = False
    shard: str = "1/1"
    pilot: int = 0
    outputs: str = "logits"
    classes: int | None = None
    score_limit: float | None = None
    histograms: bool = True
    grid: str | None = None
    noise_scale: Path | None = None
    sensitivity: float = 1.0
    batch_size: int | None = None
    device: str | None = None
    compile_model: bool | None = None
    autocast: bool = False
    mean: str | None = None
    std: str | None = None
    trust: bool = False
    engine: str = "local"
    workers: int | None = None
    address: str | None = None
    cpus_per_worker: int | None = None
    gpus_per_worker: float | None = None
    quiet: bool = False
    patience: float = 600.0
    class_map: str | None = None


def parse_numbers(name: str, text: str | None) -> list[float] | None:
    """Comma-separated numbers."""
    if text is None:
        return None
    try:
        return [float(word) for word in text.split(",")]
    except ValueError:
        raise InvalidInput(f"{name} must be numbers separated by commas, got {text!r}") from None


def parse_grid_step(text: str) -> float:
    """A step such as 1/255 or 0.01."""
    above, _, below = text.partition("/")  # not Fraction: it would write out 1e1000000000
    try:
        value = float(above) / float(below or "1")
    except (ValueError, ZeroDivisionError):
        value = math.nan
    require(
        math.isfinite(value) and value > 0, f"grid must be a step such as 1/255, got {text[:80]!r}"
    )
    return value


def parse_reserve(text: str) -> float:
    """A share of alpha such as 0.1 or 10%."""
    word = text.strip()
    try:
        value = float(word.removesuffix("%")) / (100 if word.endswith("%") else 1)
    except ValueError:
        value = math.nan
    require(
        0 <= value <= MOST_RESERVED,
        f"reserve must be a share of alpha in 0..{MOST_RESERVED}, such as 0.1 or 10%, "
        f"got {text[:80]!r}",
    )
    return value


def write_noise_scale(folder: Path, scale: np.ndarray) -> None:
    """Keep the shares in the run: its radii are in the norm that they define."""
    sink = BytesIO()
    np.save(sink, scale)
    write_atomically(folder / SCALE, sink.getvalue(), only_if_new=True)


def read_noise_scale(path: Path) -> np.ndarray:
    """Each feature's share of sigma, from an npy file."""
    try:
        return np.asarray(read_array(path), dtype=float)
    except (ValueError, InvalidInput) as error:
        raise InvalidInput(f"noise_scale must be an npy file of numbers: {error}") from None
