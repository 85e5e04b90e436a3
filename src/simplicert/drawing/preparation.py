"""Load and probe model and data before drawing, and describe the run for run.toml.

`load_model_and_data` loads both, and `prepare_context` probes the model and returns a
`DrawingContext`: the sampler, the data and their `Preparation`. The preparation travels from the
worker that made it to the leading process.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from simplicert.data import Dataset, load_data
from simplicert.data.class_map import map_classes
from simplicert.drawing.origin import reconcile_with_run
from simplicert.drawing.resume import compress_index
from simplicert.drawing.settings import (
    DrawingSettings,
    parse_grid_step,
    parse_numbers,
    parse_reserve,
    read_noise_scale,
)
from simplicert.drawing.warnings import label_warning, mismatch_warnings, settings_warnings
from simplicert.errors import InvalidInput, require
from simplicert.machine import describe_machine
from simplicert.models import Model, load_model
from simplicert.sampling import Sampler, SamplingSettings
from simplicert.sampling.noise import refuse_off_grid
from simplicert.sampling.sampler import decide_compilation
from simplicert.sampling.scales import scale_warning
from simplicert.sampling.settings import default_batch_size, default_device
from simplicert.stopping import Until, plan_looks
from simplicert.store.manifest import Manifest
from simplicert.types import KINDS, Ints
from simplicert.types.plan import RESERVE
from simplicert.types.scores import MOST_SOFTMAX_DRAWS
from simplicert.types.smoothing import Smoothing
from simplicert.types.tally import MOST_DRAWS

EXAMPLES = 8  # inputs that the probe looks at

GRID_CHECK_INPUTS = 256  # inputs checked against the grid at a time

EARLY_STOP_SHARE = 0.1  # of its draws, an input that may stop early takes about so many


@dataclass(frozen=True, eq=False)
class Preparation:
    """What was found; it travels from the worker that looked to the process that leads."""

    manifest: Manifest
    index: Ints  # numbers of the inputs, in their order
    scale: np.ndarray | None  # each feature's share of the noise
    warnings: tuple[str, ...] = ()  # what may not have been meant, in sentences


@dataclass(frozen=True, eq=False)
class DrawingContext:
    """Everything that drawing needs at hand."""

    sampler: Sampler
    data: Dataset
    preparation: Preparation


def load_model_and_data(request: DrawingSettings, before: Manifest | None) -> tuple[Model, Dataset]:
    """Model and data, as they were asked for."""
    data = load_data(
        request.data,
        start=request.start,
        stop=request.stop,
        step=request.step,
        index_file=request.index_file,
    )
    model = load_model(request.model, **_choose_normalisation(request, before), trust=request.trust)
    return model, data


def _choose_normalisation(
    request: DrawingSettings, before: Manifest | None
) -> dict[str, list[float] | None]:
    """Mean and std as asked for, or as the run has them, which are then not asked for again."""
    given = {"mean": parse_numbers("mean", request.mean), "std": parse_numbers("std", request.std)}
    return {name: reconcile_with_run(name, before, values) for name, values in given.items()}


def prepare_context(
    request: DrawingSettings, before: Manifest | None, model: Model, data: Dataset
) -> DrawingContext:
    """Probe; what a run decided `before` is obeyed."""
    example = data.inputs[np.arange(min(EXAMPLES, len(data.inputs)))]
    settings = _choose_sampling_settings(request, model, example, len(data.index), before)
    _refuse_impossible_settings(request, data)
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
            not (sampler.probe_result.random and getattr(request, name)),
            f"{name} must not be asked for {request.out}: its model is random by itself, and a new "
            "process cannot know which of its random numbers were used",
        )
    manifest = _describe_run(request, model, data, sampler, before)
    if before is None or "mean" in before.source:  # a run of an earlier version keeps neither
        given = {
            name: v for name, v in _choose_normalisation(request, before).items() if v is not None
        }
        manifest = replace(manifest, source=manifest.source | given)
    said = settings_warnings(example, settings, sampler.normalised)
    smoothing = settings.smoothing
    if smoothing.noise_scale is None and (apart := scale_warning(data.inputs, "--noise-scale")):
        said += (apart,)
    said += mismatch_warnings(model, data, smoothing.sigma, sampler.classes)
    return DrawingContext(
        sampler, data, Preparation(manifest, data.index, smoothing.noise_scale, said)
    )


def _refuse_impossible_settings(request: DrawingSettings, data: Dataset) -> None:
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
    step = parse_grid_step(request.grid)
    for at in range(0, len(data.index), GRID_CHECK_INPUTS):
        rows = np.arange(at, min(at + GRID_CHECK_INPUTS, len(data.index)))
        refuse_off_grid(data.inputs[rows], data.index[rows], step)


def _choose_sampling_settings(
    request: DrawingSettings,
    model: Model,
    example: np.ndarray,
    inputs: int,
    before: Manifest | None,
) -> SamplingSettings:
    """The settings of the drawing; what a run has decided once is obeyed when it is resumed."""
    source: dict[str, Any] = {} if before is None else before.source
    device = request.device or default_device()
    size = request.batch_size
    if size is None:
        size = source.get("batch_size") or default_batch_size(example.shape[1:], device)
    scale = None
    if request.noise_scale is not None:
        scale = read_noise_scale(request.noise_scale)
    smoothing = Smoothing(
        request.sigma,
        outputs=request.outputs,
        num_classes=request.classes,
        score_limit=request.score_limit,
        noise_scale=scale,
        grid=None if request.grid is None else parse_grid_step(request.grid),
        autocast=request.autocast,
    )
    settings = SamplingSettings(
        smoothing, request.seed, size, request.pilot, request.histograms, device=device
    )
    asked = request.compile_model
    if asked is None and "compiled" in source:
        asked = bool(source["compiled"])
    work = inputs * (request.draws + request.pilot)
    if request.until is not None:
        work = int(work * EARLY_STOP_SHARE)
    return decide_compilation(model.classifier, example, settings, work, asked)


def _describe_run(
    request: DrawingSettings, model: Model, data: Dataset, sampler: Sampler, before: Manifest | None
) -> Manifest:
    """run.toml's content: what decides the numbers as settings, the rest for the record."""
    settings = sampler.settings
    planned = plan_looks(request.draws, request.until or "fixed")
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
        "random": sampler.probe_result.random,
        "noise": "gaussian, added to the inputs as loaded, before the model's normalisation",
    }
    reserve = _choose_reserve(request, before)
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
        index=compress_index(data.index),
        answers=None
        if sampler.probe_result.random
        else [float(v) for v in sampler.probe_outputs.ravel()],
        source=source,
        made=_record_provenance(model, data, sampler.classes),
    )


def _choose_reserve(request: DrawingSettings, before: Manifest | None) -> float:
    """The share of alpha that is kept for extensions: asked for, else the run's, else a tenth."""
    if request.reserve is not None:
        return parse_reserve(request.reserve)
    return RESERVE if before is None else before.reserve


def _record_provenance(model: Model, data: Dataset, num_classes: int) -> dict[str, Any]:
    """Names and versions; no setting, so that a run can be resumed elsewhere."""
    made: dict[str, Any] = {
        "model": model.name,
        "data": data.name,
        "shape": [int(n) for n in data.inputs.shape[1:]],
        **describe_machine(),
    }
    if data.classes is not None:
        made["class_names"] = list(data.classes)
    if doubt := label_warning(model, data, num_classes):
        made["label_doubt"] = doubt
    return made
