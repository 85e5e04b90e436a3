"""Warn about settings that may not be what the user meant, before anything is drawn.

`warn_before_drawing` looks at sigma, the outputs, the features, the model and the data.
`label_warning` says why accuracies may be of other classes. Neither refuses anything.
"""

import numpy as np

from simplicert.data import Dataset
from simplicert.data.dataset import compare_class_names
from simplicert.models import Model
from simplicert.models.model import IMAGES
from simplicert.sampling import Sampler, SamplingSettings
from simplicert.sampling.scales import scale_warning
from simplicert.store.manifest import DIFFER, OTHERS

LARGE_SIGMA, SMALL_SIGMA = (
    10,
    1 / 200,
)  # sigma in ranges of the inputs: beyond these a unit was mistaken

BYTES = 64  # from this range on, images are likely to be in 0..255


def warn_before_drawing(
    model: Model, data: Dataset, example: np.ndarray, sampler: Sampler
) -> tuple[str, ...]:
    """Return one sentence for each thing that the user may not have meant."""
    smoothing = sampler.settings.smoothing
    warnings = settings_warnings(example, sampler.settings, sampler.normalised)
    if smoothing.noise_scale is None and (apart := scale_warning(data.inputs, "--noise-scale")):
        warnings += (apart,)
    return warnings + mismatch_warnings(model, data, smoothing.sigma, sampler.classes)


def settings_warnings(
    example: np.ndarray, settings: SamplingSettings, normalised: bool
) -> tuple[str, ...]:
    """Sentences about sigma against the inputs, and about outputs that are no logits.

    `normalised`: whether the outputs of the probe are shares that sum to 1.
    """
    low, high = float(example.min()), float(example.max())
    reach, sigma = high - low, settings.smoothing.sigma
    said = []
    if settings.smoothing.noise_scale is None:
        if 0 < reach * LARGE_SIGMA < sigma:
            said.append(
                f"sigma {sigma:g} is large for inputs from {low:g} to {high:g}: it is in units of "
                "the input, and no percentage"
            )
        if example.ndim == IMAGES and reach > BYTES and sigma < reach * SMALL_SIGMA:
            said.append(
                f"sigma {sigma:g} is small for images from {low:g} to {high:g}: it is in units of "
                "the input; divide images in 0..255 by 255 if it was meant for [0, 1]"
            )
    if normalised and settings.smoothing.outputs == "logits":
        said.append(
            "the outputs sum to 1 like probabilities and are read as logits: "
            "--outputs probabilities reads them as they are"
        )
    return tuple(said)


def mismatch_warnings(
    model: Model, data: Dataset, sigma: float, num_classes: int
) -> tuple[str, ...]:
    """Sentences about a model and data that may not belong together; no radius depends on them."""
    doubt = label_warning(model, data, num_classes)
    said = [doubt] if doubt else []
    if data.labels is None:
        said.append(f"{data.name} has no labels: there will be radii and no accuracies")
    if model.sigma is not None and model.sigma != sigma:
        said.append(
            f"sigma {sigma:g} is not the {model.sigma:g} that {model.name} was trained under: "
            "radii are true, and likely smaller than with a network of this sigma"
        )
    return tuple(said)


def label_warning(model: Model, data: Dataset, num_classes: int) -> str:
    """Why accuracies may be of other classes; "" where a map or the same names exclude it."""
    if data.labels is None or data.classes is None or data.class_map is not None:
        return ""
    if model.classes is not None:
        parting = compare_class_names(model.classes, data.classes)
    else:
        differ = len(data.classes) != num_classes
        parting = f"they are {num_classes} and {len(data.classes)}" if differ else ""
    return f"{DIFFER}, {parting}: {OTHERS}" if parting else ""
