"""Load and probe model and data before drawing, and describe the run for run.toml.

`load_model_and_data` loads both. `prepare_context` probes the model, makes every choice that the
settings leave open, and returns a `DrawingContext`: the sampler, the data and their `Preparation`,
which travels from the worker that made it to the leading process. `_warn_before_drawing` says what
the user may not have meant; it refuses nothing.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

import numpy as np

from simplicert.data import Dataset, load_data
from simplicert.data.class_map import map_classes
from simplicert.data.dataset import compare_class_names
from simplicert.data.fitting import OFFER
from simplicert.data.options import say_pictures
from simplicert.errors import InvalidInput, require
from simplicert.machine import current_time, describe_machine, find_commit
from simplicert.models import Model, lipschitz_constant, load_model
from simplicert.models.model import IMAGES, is_module
from simplicert.noises import NOISES
from simplicert.sampling import Sampler, SamplingSettings, Smoothing
from simplicert.sampling.calls import CallMeter
from simplicert.sampling.forward import BatchRefused
from simplicert.sampling.in_memory import EARLY_STOP_SHARE
from simplicert.sampling.noise import refuse_unfit_inputs
from simplicert.sampling.probe import scale_warning
from simplicert.sampling.sampler import choose_probe, prepare_sampler
from simplicert.sampling.settings import default_batch_size, default_device
from simplicert.stopping import plan_looks
from simplicert.store.label_warning import DIFFER, OTHERS
from simplicert.store.manifest import BINS_OF_FORMAT, FORMAT, Manifest, noise_fields
from simplicert.store.settings import DrawingSettings, record_settings, resume_settings
from simplicert.types import Ints
from simplicert.types.plan import RESERVE

PICTURES = ("folder:", "hf:")  # data whose pictures can be resized
PROBE_INPUTS = 8  # inputs that the model is probed with
GRID_CHECK_INPUTS = 256  # inputs checked against the grid at a time
# Sigma in units of the range of the inputs: outside these limits the unit is probably mistaken.
LARGE_SIGMA, SMALL_SIGMA = 10, 1 / 200
ADDED = ("brightness", *(name for name, row in NOISES.items() if row.fill is not None))
BYTES = 64  # from this range on, images are likely to be in 0..255


@dataclass(frozen=True, eq=False)
class Preparation:
    """What the leading process needs to know about model and data, from one worker."""

    manifest: Manifest
    index: Ints  # numbers of the inputs, in their order
    noise_scale: np.ndarray | None  # each feature's share of the noise
    warnings: tuple[str, ...] = ()  # sentences about what may not have been meant
    calls: int = 0  # rows that the model was asked about


@dataclass(frozen=True, eq=False)
class DrawingContext:
    """What a worker draws with: the sampler and the data, and their preparation."""

    sampler: Sampler
    data: Dataset
    preparation: Preparation


def load_model_and_data(
    settings: DrawingSettings, before: Manifest | None
) -> tuple[Model, Dataset]:
    """Load both by name; a model or data set that is given as an object is used as it is."""
    settings = resume_settings(settings, before)
    data, model = settings.data, settings.model
    if not isinstance(data, Dataset):
        data = load_data(
            data,
            start=settings.start,
            stop=settings.stop,
            step=settings.step,
            index_file=settings.index_file,
            options=settings.data_options,
        )
    if not isinstance(model, Model):
        model = load_model(model, mean=settings.mean, std=settings.std, trust=settings.trust)
    return model, data


def prepare_context(
    settings: DrawingSettings,
    before: Manifest | None,
    model: Model,
    data: Dataset,
    meter: CallMeter | None = None,
) -> DrawingContext:
    """Probe the model and settle all choices; those of the run `before` are obeyed."""
    settings = resume_settings(settings, before)
    example = data.inputs[np.arange(min(PROBE_INPUTS, len(data.inputs)))]
    settings.smoothing.at_shape(example.shape[1:])  # refuses noise that such inputs cannot have
    _refuse_off_grid_inputs(settings, data)
    settings, work = _make_choices(settings, model, example, len(data.index))
    with _offer_resizing(data):
        sampler = prepare_sampler(
            model.classifier,
            example,
            sampling_settings(settings),
            work,
            settings.compiled,
            meter=meter,
        )
    settings = replace(settings, compiled=sampler.settings.compiled)
    if settings.class_map is not None:
        data = map_classes(data, settings.class_map, model.classes, sampler.classes)
    if data.labels is not None and int(data.labels.max()) >= sampler.classes:
        raise InvalidInput(
            f"labels must lie in 0..{sampler.classes - 1}, the classes of {model.name}, "
            f"got {data.labels.max()}: --class-map says which class each of the data's is"
        )
    for name in ("extend", "until"):
        require(
            not (sampler.probe_result.random and getattr(settings, name)),
            f"{name} must not be asked for {settings.out}: its model is random by itself, and a "
            "new process cannot know which of its random numbers were used",
        )
    manifest = _describe_run(settings, model, data, sampler)
    if before is None or "mean" in before.source:  # a run of an earlier version keeps neither
        numbers = {"mean": settings.mean, "std": settings.std}
        kept = {name: list(value) for name, value in numbers.items() if value is not None}
        manifest = replace(manifest, source=manifest.source | kept)
    warnings = _warn_before_drawing(model, data, example, sampler)
    preparation = Preparation(
        manifest, data.index, settings.smoothing.noise_scale, warnings, sampler.noisy.meter.count
    )
    return DrawingContext(sampler, data, preparation)


@contextmanager
def _offer_resizing(data: Dataset) -> Iterator[None]:
    """Where a model refuses pictures from files, say that they can have another size."""
    try:
        yield
    except BatchRefused as error:
        pictures = len(data.inputs.shape) == IMAGES and data.name.startswith(PICTURES)
        raise InvalidInput(f"{error}; {OFFER}" if pictures else str(error)) from error.__cause__


def _make_choices(
    settings: DrawingSettings, model: Model, example: np.ndarray, inputs: int
) -> tuple[DrawingSettings, int]:
    """Choose device, batch size, probe and reserve where they are open; return the draws too."""
    device, size = settings.device or default_device(), settings.batch_size
    work = inputs * (settings.draws + settings.pilot)
    if settings.until is not None:
        work = int(work * EARLY_STOP_SHARE)
    few = settings.probe_rows
    if size is None:
        size = default_batch_size(example.shape[1:], device, work, is_module(model.classifier))
        few = None if settings.compiled else choose_probe(size, inputs, work, settings.budget)
    settings = replace(
        settings,
        lipschitz=_prove_if_asked(settings, model, example),
        device=device,
        batch_size=size,
        probe_rows=few,
        reserve=RESERVE if settings.reserve is None else settings.reserve,
    )
    return settings, work


def _prove_if_asked(settings: DrawingSettings, model: Model, example: np.ndarray) -> float | None:
    """Prove a Lipschitz constant of the scores, unless a run has one; None if none is wanted."""
    if settings.lipschitz is True:
        return lipschitz_constant(model, example.shape[1:])
    return settings.lipschitz or None


def sampling_settings(settings: DrawingSettings) -> SamplingSettings:
    """Return what the sampler needs of the settings, without compilation."""
    return SamplingSettings(
        settings.smoothing,
        settings.seed,
        settings.batch_size,  # type: ignore[arg-type]  # None is refused there
        settings.pilot,
        settings.histograms,
        device=settings.device or default_device(),
        bins=settings.bins,
        probe_rows=settings.probe_rows,
        lipschitz=None if settings.lipschitz is True else settings.lipschitz or None,
    )


def _refuse_off_grid_inputs(settings: DrawingSettings, data: Dataset) -> None:
    """Refuse inputs off the grid, or with the mark of an absent feature, if there is one."""
    steps = NOISES[settings.noise.name].steps
    if settings.grid is None and settings.noise.absent is None and steps is None:
        return
    for start in range(0, len(data.index), GRID_CHECK_INPUTS):
        rows = np.arange(start, min(start + GRID_CHECK_INPUTS, len(data.index)))
        refuse_unfit_inputs(data.inputs[rows], data.index[rows], settings.noise, settings.grid)


def _describe_run(
    settings: DrawingSettings, model: Model, data: Dataset, sampler: Sampler
) -> Manifest:
    """Make the content of run.toml: settings decide the numbers, the rest is for the record."""
    random = sampler.probe_result.random
    fingerprints = {
        "model_fingerprint": model.fingerprint,
        "data_fingerprint": data.fingerprint,
    }
    source = record_settings(settings, fingerprints, random) | data.options.record()
    if data.class_map is not None:
        source["class_map"] = list(data.class_map)
    form = FORMAT if settings.bins == BINS_OF_FORMAT[FORMAT] else 1
    named = noise_fields(sampler.evaluation.smoothing.noise)
    assert settings.scheme is not None  # chosen when the settings were resumed
    return Manifest(
        sigma=float(settings.sigma),
        inputs=len(data.index),
        classes=sampler.classes,
        alpha=float(settings.alpha),
        kind=settings.kind,
        scheme=settings.scheme,
        plan=plan_looks(settings.draws, settings.until or "fixed").reserved(settings.reserve or 0),
        index=compress_index(data.index),
        answers=None if random else [float(value) for value in sampler.probe_outputs.ravel()],
        source=source,
        made=_record_provenance(model, data, sampler),
        **{"format": form, **named},
    )


def compress_index(index: Ints) -> list[int]:
    """Write an index as [first, step, count] where it is a range, else as -1 and itself, sorted."""
    values = np.asarray(index)
    step = int(values[1] - values[0]) if len(values) > 1 else 1
    if step > 0 and np.array_equal(values, values[0] + step * np.arange(len(values))):
        return [int(values[0]), step, len(values)]
    return [-1, *(int(v) for v in np.sort(values))]


def _record_provenance(model: Model, data: Dataset, sampler: Sampler) -> dict[str, Any]:
    """Record names and versions; they are no settings, so a run can be resumed elsewhere."""
    made: dict[str, Any] = {
        "model": model.name,
        "data": data.name,
        "shape": [int(n) for n in data.inputs.shape[1:]],
        **describe_machine(),
        "began": current_time(),  # before the first draw
    }
    if commit := find_commit():
        made["commit"] = commit
    if data.classes is not None:
        made["class_names"] = list(data.classes)
    if data.columns is not None:
        made["columns"] = list(data.columns)
    if data.options.fits_pictures:
        made["pictures"] = f"resized by Pillow {version('pillow')}, bicubic, antialiased"
    if warning := _label_warning(model, data, sampler.classes):
        made["label_doubt"] = warning
    if sampler.settings.lipschitz is not None:
        from simplicert.models.lipschitz import describe_proof

        made["lipschitz_proof"] = describe_proof(sampler.settings.lipschitz)
    return made


def _warn_before_drawing(
    model: Model, data: Dataset, example: np.ndarray, sampler: Sampler
) -> tuple[str, ...]:
    """Return one sentence for each thing that the user may not have meant."""
    smoothing = sampler.settings.smoothing
    warnings = settings_warnings(example, sampler.settings, sampler.normalised)
    if smoothing.noise_scale is None and (warning := scale_warning(data.inputs, "--noise-scale")):
        warnings += (warning,)
    return warnings + mismatch_warnings(model, data, smoothing, sampler.classes)


def settings_warnings(
    example: np.ndarray, settings: SamplingSettings, normalised: bool
) -> tuple[str, ...]:
    """Warn of a sigma that does not suit the inputs, and of outputs that are no logits.

    `normalised`: whether the outputs of the probe are shares that sum to 1. Only noise that is
    added has a scale in units of the input.
    """
    sigma, noise = settings.smoothing.sigma, settings.smoothing.noise.name
    scale, warnings = NOISES[noise].scale, []
    if settings.smoothing.noise_scale is None and noise in ADDED:
        low, high = float(example.min()), float(example.max())
        width = high - low
        if 0 < width * LARGE_SIGMA < sigma:
            warnings.append(
                f"{scale} {sigma:g} is large for inputs from {low:g} to {high:g}: it is in units "
                "of the input, and no percentage"
            )
        if example.ndim == IMAGES and width > BYTES and sigma < width * SMALL_SIGMA:
            warnings.append(
                f"{scale} {sigma:g} is small for images from {low:g} to {high:g}: it is in units "
                "of the input; divide images in 0..255 by 255 if it was meant for [0, 1]"
            )
    if normalised and settings.smoothing.outputs == "logits":
        warnings.append(
            "the outputs sum to 1 like probabilities and are read as logits: "
            "--outputs probabilities reads them as they are"
        )
    return tuple(warnings)


def mismatch_warnings(
    model: Model, data: Dataset, smoothing: Smoothing, num_classes: int
) -> tuple[str, ...]:
    """Warn of a model and data that may not belong together; no radius depends on it."""
    mismatch = _label_warning(model, data, num_classes)
    warnings = [mismatch] if mismatch else []
    if data.labels is None:
        warnings.append(f"{data.name} has no labels: there will be radii and no accuracies")
    used = data.options.picture_record()
    if model.pictures and data.name.startswith(PICTURES) and used != dict(model.pictures):
        warnings.append(
            f"{data.name} is read by {say_pictures(used)}, and {model.name} was trained by "
            f"{say_pictures(model.pictures)}: radii are true, and accuracies likely lower"
        )
    noise, sigma = smoothing.noise, smoothing.sigma
    if model.sigma is not None and noise.name != model.noise:
        warnings.append(
            f"{noise.name} noise is not the {model.noise} noise that {model.name} was trained "
            "under: radii are true, and likely smaller than with a network of this noise"
        )
    elif model.sigma is not None and model.sigma != sigma:
        scale = NOISES[noise.name].scale or "scale"
        warnings.append(
            f"{scale} {sigma:g} is not the {model.sigma:g} that {model.name} was trained under: "
            f"radii are true, and likely smaller than with a network of this {scale}"
        )
    return tuple(warnings)


def _label_warning(model: Model, data: Dataset, num_classes: int) -> str:
    """Say why labels may mean other classes to the model; "" if a map or the names exclude it."""
    if data.labels is None or data.classes is None or data.class_map is not None:
        return ""
    if model.classes is not None:
        difference = compare_class_names(model.classes, data.classes)
    else:
        unequal = len(data.classes) != num_classes
        difference = f"they are {num_classes} and {len(data.classes)}" if unequal else ""
    return f"{DIFFER}, {difference}: {OTHERS}" if difference else ""
