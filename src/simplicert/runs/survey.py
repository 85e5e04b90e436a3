"""A survey: model and data loaded and probed by whoever will draw, described for run.toml."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from simplicert.data import Dataset, load_data
from simplicert.data.class_map import map_classes
from simplicert.errors import InvalidInput, require
from simplicert.models import Model, load_model
from simplicert.runs.doubts import doubts, label_doubt, mismatches
from simplicert.runs.job import arithmetic
from simplicert.runs.machine import this_machine
from simplicert.runs.manifest import Manifest
from simplicert.runs.options import fraction, numbers, read_scale, reserve_share
from simplicert.runs.origin import agreed
from simplicert.runs.request import Request
from simplicert.sampling import Sampler, Settings
from simplicert.sampling.compilation import decide
from simplicert.sampling.noise import refuse_off_grid
from simplicert.sampling.scales import scale_doubt
from simplicert.sampling.settings import default_batch, default_device
from simplicert.stopping import Until, plan_until
from simplicert.types import KINDS, Ints
from simplicert.types.plan import RESERVE
from simplicert.types.scores import MOST_SOFTMAX_DRAWS
from simplicert.types.smoothing import Smoothing
from simplicert.types.tally import MOST_DRAWS

EXAMPLES = 8  # inputs that the probe looks at
CHECKED = 256  # inputs checked against the grid at a time
STOPS_AT = 0.1  # of its draws, an input that may stop early takes about so many


@dataclass(frozen=True, eq=False)
class Survey:
    """What was found; it travels from the worker that looked to the process that leads."""

    manifest: Manifest
    index: Ints  # numbers of the inputs, in their order
    scale: np.ndarray | None  # each feature's share of the noise
    doubts: tuple[str, ...] = ()  # what may not have been meant, in sentences


@dataclass(frozen=True, eq=False)
class Ground:
    """Everything that drawing needs at hand."""

    sampler: Sampler
    data: Dataset
    survey: Survey


def load(request: Request, before: Manifest | None) -> tuple[Model, Dataset]:
    """Model and data, as they were asked for."""
    data = load_data(
        request.data,
        start=request.start,
        stop=request.stop,
        step=request.step,
        index_file=request.index_file,
    )
    model = load_model(request.model, **normalisation(request, before), trust=request.trust)
    return model, data


def normalisation(request: Request, before: Manifest | None) -> dict[str, list[float] | None]:
    """Mean and std as asked for, or as the run has them, which are then not asked for again."""
    given = {"mean": numbers("mean", request.mean), "std": numbers("std", request.std)}
    return {name: agreed(name, before, values) for name, values in given.items()}


def explore(request: Request, before: Manifest | None, model: Model, data: Dataset) -> Ground:
    """Probe; what a run decided `before` is obeyed."""
    example = data.inputs[np.arange(min(EXAMPLES, len(data.inputs)))]
    settings = settled(request, model, example, len(data.index), before)
    refuse_impossible(request, data)
    sampler = Sampler(model.classifier, example, settings)
    if request.class_map is not None:
        data = map_classes(data, request.class_map, model.classes, sampler.classes)
    if data.labels is not None and int(data.labels.max()) >= sampler.classes:
        raise InvalidInput(
            f"labels must lie in 0..{sampler.classes - 1}, the classes of {request.model}, "
            f"got {data.labels.max()}: --class-map says which class each of the data's is"
        )
    for name in ("extend", "until"):
        require(
            not (sampler.nature.random and getattr(request, name)),
            f"{name} must not be asked for {request.out}: its model is random by itself, and a new "
            "process cannot know which of its random numbers were used",
        )
    manifest = described(request, model, data, sampler, before)
    if before is None or "mean" in before.source:  # a run of an earlier version keeps neither
        given = {name: v for name, v in normalisation(request, before).items() if v is not None}
        manifest = replace(manifest, source=manifest.source | given)
    said = doubts(example, settings, sampler.normalised)
    smoothing = settings.smoothing
    if smoothing.noise_scale is None and (apart := scale_doubt(data.inputs, "--noise-scale")):
        said += (apart,)
    said += mismatches(model, data, smoothing.sigma, sampler.classes)
    return Ground(sampler, data, Survey(manifest, data.index, smoothing.noise_scale, said))


def refuse_impossible(request: Request, data: Dataset) -> None:
    """What could never be certified is refused before it is drawn."""
    soft = request.outputs != "labels"
    Until(request.until or "fixed")
    require(
        soft or KINDS.get(request.kind) != "softmax",
        "kind must be multinomial with labels as outputs, got softmax: there are no scores",
    )
    require(
        request.scheme != "split" or request.pilot > 0,
        f"pilot must be positive with scheme split, which selects by it, got {request.pilot}",
    )
    most = MOST_SOFTMAX_DRAWS if soft else MOST_DRAWS
    require(request.draws <= most, f"draws must be at most {most}, got {request.draws}")
    if request.grid is None:
        return
    step = fraction(request.grid)
    for at in range(0, len(data.index), CHECKED):
        rows = np.arange(at, min(at + CHECKED, len(data.index)))
        refuse_off_grid(data.inputs[rows], data.index[rows], step)


def settled(
    request: Request, model: Model, example: np.ndarray, inputs: int, before: Manifest | None
) -> Settings:
    """The settings of the drawing; what a run has decided once is obeyed when it is resumed."""
    source: dict[str, Any] = {} if before is None else before.source
    device = request.device or default_device()
    size = request.batch_size
    if size is None:
        size = source.get("batch_size") or default_batch(example.shape[1:], device)
    scale = None
    if request.noise_scale is not None:
        scale = read_scale(request.noise_scale)
    smoothing = Smoothing(
        request.sigma,
        outputs=request.outputs,
        num_classes=request.classes,
        score_limit=request.score_limit,
        noise_scale=scale,
        grid=None if request.grid is None else fraction(request.grid),
        autocast=request.autocast,
    )
    settings = Settings(
        smoothing, request.seed, size, request.pilot, request.histograms, device=device
    )
    asked = request.compile_model
    if asked is None and "compiled" in source:
        asked = bool(source["compiled"])
    work = inputs * (request.draws + request.pilot)
    if request.until is not None:
        work = int(work * STOPS_AT)
    return decide(model.classifier, example, settings, work, asked)


def described(
    request: Request, model: Model, data: Dataset, sampler: Sampler, before: Manifest | None
) -> Manifest:
    """run.toml's content: what decides the numbers as settings, the rest for the record."""
    settings = sampler.settings
    planned = plan_until(request.draws, request.until or "fixed")
    source = {
        "format": "sample",
        "model_fingerprint": model.fingerprint,
        "data_fingerprint": data.fingerprint,
        "seed": settings.seed,
        "batch_size": settings.batch_size,
        **settings.smoothing.reading.record(),
        "pilot": settings.pilot,
        "histograms": settings.histograms,
        "compiled": settings.compiled,
        "device": settings.device,
        "random": sampler.nature.random,
        "noise": "gaussian, added to the inputs as loaded, before the model's normalisation",
    }
    reserve = settled_reserve(request, before)
    if reserve > 0:
        source["reserve"] = reserve
    if settings.smoothing.grid is not None:
        source["grid"] = settings.smoothing.grid
    if request.sensitivity != 1:
        source["sensitivity"] = float(request.sensitivity)
    if data.class_map is not None:
        source["class_map"] = list(data.class_map)
    return Manifest(
        sigma=float(request.sigma),
        inputs=len(data.index),
        classes=sampler.classes,
        alpha=float(request.alpha),
        kind=request.kind,
        scheme=request.scheme,
        plan=planned.reserved(reserve),
        index=arithmetic(data.index),
        answers=None if sampler.nature.random else [float(v) for v in sampler.answers.ravel()],
        source=source,
        made=record(model, data, sampler.classes),
    )


def settled_reserve(request: Request, before: Manifest | None) -> float:
    """The share of alpha that is kept for extensions: asked for, else the run's, else a tenth."""
    if request.reserve is not None:
        return reserve_share(request.reserve)
    return RESERVE if before is None else before.reserve


def record(model: Model, data: Dataset, num_classes: int) -> dict[str, Any]:
    """Names and versions; no setting, so that a run can be resumed elsewhere."""
    made: dict[str, Any] = {
        "model": model.name,
        "data": data.name,
        "shape": [int(n) for n in data.inputs.shape[1:]],
        **this_machine(),
    }
    if data.classes is not None:
        made["class_names"] = list(data.classes)
    if doubt := label_doubt(model, data, num_classes):
        made["label_doubt"] = doubt
    return made
