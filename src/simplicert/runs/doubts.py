"""What a run's maker may not have meant: said before the draws, and never refused."""

import numpy as np

from simplicert.data import Dataset
from simplicert.data.dataset import difference
from simplicert.models import Model
from simplicert.models.shapes import IMAGES
from simplicert.runs.manifest import Manifest
from simplicert.sampling import Settings

FAR, SLIGHT = 10, 1 / 200  # sigma in ranges of the inputs: beyond these a unit was mistaken
DIFFER = "the classes of model and data differ"
OTHERS = (
    "labels are numbered by the data's, so that accuracies may be of other classes; --class-map "
    "says which class each one is"
)
BYTES = 64  # from this range on, images are likely to be in 0..255


def doubts(example: np.ndarray, settings: Settings, normalised: bool) -> tuple[str, ...]:
    """Sentences about sigma against the inputs, and about outputs that are no logits.

    `normalised`: whether the outputs of the probe are shares that sum to 1.
    """
    low, high = float(example.min()), float(example.max())
    reach, sigma = high - low, settings.smoothing.sigma
    said = []
    if settings.smoothing.noise_scale is None:
        if 0 < reach * FAR < sigma:
            said.append(
                f"sigma {sigma:g} is large for inputs from {low:g} to {high:g}: it is in units of "
                "the input, and no percentage"
            )
        if example.ndim == IMAGES and reach > BYTES and sigma < reach * SLIGHT:
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


def mismatches(model: Model, data: Dataset, sigma: float, num_classes: int) -> tuple[str, ...]:
    """Sentences about a model and data that may not belong together; no radius depends on them."""
    doubt = label_doubt(model, data, num_classes)
    said = [doubt] if doubt else []
    if data.labels is None:
        said.append(f"{data.name} has no labels: there will be radii and no accuracies")
    if model.sigma is not None and model.sigma != sigma:
        said.append(
            f"sigma {sigma:g} is not the {model.sigma:g} that {model.name} was trained under: "
            "radii are true, and likely smaller than with a network of this sigma"
        )
    return tuple(said)


def label_doubt(model: Model, data: Dataset, num_classes: int) -> str:
    """Why accuracies may be of other classes; "" where a map or the same names exclude it."""
    if data.labels is None or data.classes is None or data.class_map is not None:
        return ""
    if model.classes is not None:
        parting = difference(model.classes, data.classes)
    else:
        differ = len(data.classes) != num_classes
        parting = f"they are {num_classes} and {len(data.classes)}" if differ else ""
    return f"{DIFFER}, {parting}: {OTHERS}" if parting else ""


def recorded_label_doubt(manifest: Manifest) -> str:
    """The same of a run that was drawn, to be repeated wherever an accuracy of it is shown.

    Runs drawn before the doubt was recorded show at least how many classes model and data have.
    """
    made = manifest.made
    if "label_doubt" in made or "class_map" in manifest.source:
        return str(made.get("label_doubt", ""))
    names = made.get("class_names")
    if not isinstance(names, list) or len(names) == manifest.classes:
        return ""
    return f"{DIFFER}, they are {manifest.classes} and {len(names)}: {OTHERS}"
