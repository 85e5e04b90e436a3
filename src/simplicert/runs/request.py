"""A request to draw: from the words of a command to a run, a sampler and the data."""

import math
import platform
from dataclasses import dataclass, replace
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from simplicert.data import Dataset, load_data
from simplicert.errors import InvalidInput, require
from simplicert.models import Model, load_model
from simplicert.runs.atomic import checksum, write_whole
from simplicert.runs.folder import SCALE, Run
from simplicert.runs.job import arithmetic, extend, parse_shard, resume_or_begin
from simplicert.runs.manifest import NAME, Manifest, read_manifest
from simplicert.sampling import Sampler, Settings
from simplicert.sampling.compilation import decide
from simplicert.sampling.settings import default_batch, default_device
from simplicert.types import Plan

EXAMPLES = 8  # inputs that the probe looks at


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
    extend: bool = False
    shard: str = "1/1"
    pilot: int = 0
    outputs: str = "logits"
    classes: int | None = None
    histograms: bool = True
    grid: str | None = None
    noise_scale: Path | None = None
    batch_size: int | None = None
    device: str | None = None
    compile_model: bool | None = None
    autocast: bool = False
    mean: str | None = None
    std: str | None = None
    quiet: bool = False


@dataclass(frozen=True)
class Prepared:
    """Everything that drawing needs."""

    run: Run
    sampler: Sampler
    data: Dataset


def prepare(request: Request) -> Prepared:
    """Load, probe, and create or resume the run; refused before anything is written."""
    parse_shard(request.shard)
    whole = isinstance(request.draws, int) and request.draws > 0
    require(whole, f"draws must be a positive whole number, got {request.draws}")
    data = load_data(
        request.data,
        start=request.start,
        stop=request.stop,
        step=request.step,
        index_file=request.index_file,
    )
    model = load_model(
        request.model, mean=numbers("mean", request.mean), std=numbers("std", request.std)
    )
    before = read_manifest(request.out) if (request.out / NAME).exists() else None
    if request.extend:
        require(before is not None, f"out must be a run to extend, and {request.out} is none")
    example = data.inputs[np.arange(min(EXAMPLES, len(data.inputs)))]
    settings = settled(request, model, example, len(data.index), before)
    sampler = Sampler(model.classifier, example, settings)
    if data.labels is not None and int(data.labels.max()) >= sampler.classes:
        raise InvalidInput(
            f"labels must lie in 0..{sampler.classes - 1}, the classes of {request.model}, "
            f"got {data.labels.max()}"
        )
    manifest = described(request, model, data, sampler)
    if request.extend and before is not None:
        extended = extend(request.out, request.draws).manifest.plan
        manifest = replace(manifest, plan=extended)
    run = resume_or_begin(request.out, manifest)
    if settings.noise_scale is not None:
        keep_scale(run.folder, settings.noise_scale)
    return Prepared(run, sampler, data)


def settled(
    request: Request, model: Model, example: np.ndarray, inputs: int, before: Manifest | None
) -> Settings:
    """The settings of the drawing; what a run has decided once is obeyed when it is resumed."""
    source: dict[str, Any] = {} if before is None else before.source
    device = request.device or default_device()
    size = (
        request.batch_size or source.get("batch_size") or default_batch(example.shape[1:], device)
    )
    scale = None
    if request.noise_scale is not None:
        scale = read_scale(request.noise_scale)
    settings = Settings(
        sigma=request.sigma,
        seed=request.seed,
        batch_size=size,
        outputs=request.outputs,
        num_classes=request.classes,
        pilot=request.pilot,
        histograms=request.histograms,
        grid=None if request.grid is None else fraction(request.grid),
        noise_scale=scale,
        autocast=request.autocast,
        device=device,
    )
    asked = request.compile_model
    if asked is None and "compiled" in source:
        asked = bool(source["compiled"])
    work = inputs * (request.draws + request.pilot)
    return decide(model.classifier, example, settings, work, asked)


def described(request: Request, model: Model, data: Dataset, sampler: Sampler) -> Manifest:
    """run.toml's content: what decides the numbers as settings, the rest for the record."""
    settings = sampler.settings
    source = {
        "format": "sample",
        "model_fingerprint": model.fingerprint,
        "data_fingerprint": data.fingerprint,
        "seed": settings.seed,
        "batch_size": settings.batch_size,
        "outputs": settings.outputs,
        "pilot": settings.pilot,
        "histograms": settings.histograms,
        "compiled": settings.compiled,
        "autocast": settings.autocast,
        "device": settings.device,
        "random": sampler.nature.random,
        "noise": "gaussian, added to the inputs as loaded, before the model's normalisation",
    }
    if settings.grid is not None:
        source["grid"] = settings.grid
    if settings.noise_scale is not None:
        source["noise_scale"] = checksum(np.ascontiguousarray(settings.noise_scale).tobytes())
    return Manifest(
        sigma=float(request.sigma),
        inputs=len(data.index),
        classes=sampler.classes,
        alpha=float(request.alpha),
        kind=request.kind,
        scheme=request.scheme,
        plan=Plan((request.draws,)),
        index=arithmetic(data.index),
        source=source,
        made=record(model, data),
        package=version(),
    )


def record(model: Model, data: Dataset) -> dict[str, Any]:
    """Names and versions; no setting, so that a run can be resumed elsewhere."""
    made: dict[str, Any] = {
        "model": model.name,
        "data": data.name,
        "shape": [int(n) for n in data.inputs.shape[1:]],
        "python": platform.python_version(),
        "numpy": np.__version__,
        "machine": platform.machine(),
    }
    if data.classes is not None:
        made["class_names"] = list(data.classes)
    try:
        import torch
    except ImportError:
        return made
    return {**made, "torch": str(torch.__version__)}


def version() -> str:
    """This package's version."""
    from simplicert import __version__

    return __version__


def numbers(name: str, text: str | None) -> list[float] | None:
    """Comma-separated numbers."""
    if text is None:
        return None
    try:
        return [float(word) for word in text.split(",")]
    except ValueError:
        raise InvalidInput(f"{name} must be numbers separated by commas, got {text!r}") from None


def fraction(text: str) -> float:
    """A step such as 1/255 or 0.01."""
    try:
        value = float(Fraction(text))
    except (ValueError, ZeroDivisionError):
        value = math.nan
    require(math.isfinite(value) and value > 0, f"grid must be a step such as 1/255, got {text!r}")
    return value


def keep_scale(folder: Path, scale: np.ndarray) -> None:
    """Keep the shares in the run: its radii are in the norm that they define."""
    sink = BytesIO()
    np.save(sink, scale)
    write_whole(folder / SCALE, sink.getvalue(), only_if_new=True)


def read_scale(path: Path) -> np.ndarray:
    """Each feature's share of sigma, from an npy file."""
    try:
        return np.asarray(np.load(path, allow_pickle=False), dtype=float)
    except (ValueError, EOFError) as error:
        raise InvalidInput(f"noise_scale must be an npy file of numbers: {error}") from None
