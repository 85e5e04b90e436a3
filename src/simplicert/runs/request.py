"""A request to draw: the words of a command, as they were given."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Request:
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
