"""The shape of one input, checked where a network is built."""

from simplicert.errors import InvalidInput, require

IMAGE = 3  # axes of one image


def channels(name: str, num_classes: int, input_shape: tuple[int, ...]) -> int:
    """The number of channels of an image C x H x W."""
    fits = len(input_shape) == IMAGE and min(input_shape) >= 1
    if not fits:
        raise InvalidInput(f"{name} takes images of shape (C, H, W), got input_shape {input_shape}")
    check_classes(num_classes)
    return input_shape[0]


def check_classes(num_classes: int) -> None:
    """A classifier needs two classes to tell apart."""
    require(num_classes > 1, f"num_classes must be at least 2, got {num_classes}")
