"""Which inputs a noise can change: arrays of numbers, images, or sequences of tokens."""

import numpy as np

from simplicert.errors import require
from simplicert.noises import NOISES, NoiseModel, ablation

COLOURS = (1, 3, 4)  # channels that an image mostly has

SEQUENCE: tuple[int, ...] = ()  # the shape of a sequence of tokens, whatever its length


def check_inputs(model: NoiseModel, shape: tuple[int, ...]) -> NoiseModel:
    """Return the noise for inputs of this shape; refuse inputs that it cannot change."""
    row = NOISES[model.name]
    require(
        row.drop is None or shape == SEQUENCE,
        f"noise must be one for inputs that are arrays of numbers, got {model.name}: it is for "
        "sequences of tokens",
    )
    require(
        row.drop is not None or shape != SEQUENCE,
        f"noise must be deletion for sequences of tokens, got {model.name}: it is for arrays of "
        "numbers",
    )
    image = len(shape) == 3  # noqa: PLR2004
    require(
        image or model.name != "shift",
        f"noise shift must be given images of shape (channels, height, width), got {shape}",
    )
    if image and model.name in ("ablation", "shift"):
        _refuse_channels_last(model, shape)
    if model.name == "ablation":
        require(
            model.absent is not None,
            "absent must be given for ablation noise: the number that marks a feature that was "
            "taken away, and that no feature has, got None",
        )
        return model.sized(ablation.count_features(shape))
    needs_size = any("size" in needed for needed in row.parameters.values())
    return model.sized(int(np.prod(shape))) if needs_size else model


def _refuse_channels_last(model: NoiseModel, shape: tuple[int, ...]) -> None:
    """Refuse an image whose channels seem to come last: rows would be taken for channels.

    Ablation would then take away columns of one channel and count them as pixels, and shifts would
    move channels.
    """
    require(
        shape[-1] not in COLOURS or shape[0] <= max(COLOURS),
        f"inputs must be images of shape (channels, height, width) for {model.name} noise, and "
        f"their channels seem to come last, got {shape}",
    )
