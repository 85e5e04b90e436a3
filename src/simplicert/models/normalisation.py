"""Put (x - mean) / std in front of a classifier that lacks it.

The normalisation is part of the model and comes after the noise, so sigma and the radius are in
the units of the inputs.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simplicert.errors import InvalidInput, require
from simplicert.models.model import Model, digest_parts, is_module

Numbers = tuple[float, ...]


def apply_normalisation(
    model: Model, mean: Sequence[float] | None, std: Sequence[float] | None
) -> Model:
    """Return the model behind (x - mean) / std; the model itself if neither is given."""
    if mean is None and std is None:
        return model
    require(
        not _has_normalisation(model.classifier),
        f"model {model.name} brings its own normalisation: leave out mean and std",
    )
    return normalise_model(model, mean, std)


def normalise_model(
    model: Model, mean: Sequence[float] | None, std: Sequence[float] | None
) -> Model:
    """Return the model behind (x - mean) / std, which becomes part of its fingerprint."""
    classifier = _prepend_normalisation(model.classifier, *check_mean_std(mean, std))
    fingerprint = normalised_fingerprint(model.fingerprint, mean, std)
    return replace(model, classifier=classifier, fingerprint=fingerprint)


def normalised_fingerprint(
    fingerprint: str, mean: Sequence[float] | None, std: Sequence[float] | None
) -> str:
    """Return the fingerprint of a model behind (x - mean) / std; its own if neither is given."""
    if mean is None and std is None:
        return fingerprint
    centre, scale = check_mean_std(mean, std)
    return digest_parts("normalised", fingerprint, repr(centre), repr(scale))


def _prepend_normalisation(
    classifier: Callable[[Any], Any], mean: Numbers, std: Numbers
) -> Callable[[Any], Any]:
    """Put a module in front of a module, or a function in front of a function."""
    if not is_module(classifier):
        centre, scale = np.array(mean, dtype=np.float32), np.array(std, dtype=np.float32)
        return partial(_classify_normalised, classifier, centre, scale)
    from simplicert.models.modules import Normalised

    return Normalised(classifier, mean, std).eval()  # type: ignore[arg-type]


def _has_normalisation(classifier: Callable[[Any], Any]) -> bool:
    """Return whether the loader already put a normalisation in front."""
    if not is_module(classifier):
        return False
    from simplicert.models.denoising import Denoised
    from simplicert.models.modules import Normalised

    behind = classifier.children() if isinstance(classifier, Denoised) else ()
    return any(isinstance(part, Normalised) for part in (classifier, *behind))


def _classify_normalised(
    classifier: Callable[[Any], Any],
    mean: NDArray[np.float32],
    std: NDArray[np.float32],
    batch: NDArray[np.float32],
) -> Any:
    """Return classifier((batch - mean) / std), by channel."""
    shape = channel_shape(len(mean), batch.shape)
    return classifier((batch - mean.reshape(shape)) / std.reshape(shape))


def channel_shape(count: int, batch: Sequence[int]) -> tuple[int, ...]:
    """Return the shape that broadcasts one number, or one per channel, to a batch B x C x ...."""
    require(
        count in (1, batch[1]),
        f"mean and std must have one number or {batch[1]}, one for each channel, got {count}",
    )
    return (1, count, *(1 for _ in batch[2:]))


def check_mean_std(
    mean: Sequence[float] | None, std: Sequence[float] | None
) -> tuple[Numbers, Numbers]:
    """Return both as tuples of one length; all must be finite, and every std positive."""
    if mean is None or std is None:
        raise InvalidInput(f"mean and std must be given together, got mean {mean}, std {std}")
    centre, scale = (tuple(float(value) for value in values) for values in (mean, std))
    require(
        len(centre) == len(scale) > 0,
        f"mean and std must have one length, got {len(centre)} and {len(scale)}",
    )
    require(all(map(isfinite, centre)), f"mean must be finite, got {centre}")
    require(
        all(isfinite(value) and value > 0 for value in scale),
        f"std must be positive and finite, got {scale}",
    )
    return centre, scale
