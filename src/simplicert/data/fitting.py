"""Bring pictures to one size: the shorter side to so many pixels, then a square out of the middle.

This is what the papers about ImageNet do (256, then 224), by Pillow's bicubic filter, which
averages over all the pixels that become one (it is antialiased). Noise is added afterwards: a
radius is a distance between pictures of the size that the classifier sees.
"""

from typing import Any

from simplicert.data.options import MOST_PIXELS, DataOptions
from simplicert.errors import require

WORDS = "`--resize 256 --crop 224` (in Python resize=256, crop=224)"
OFFER = f"{WORDS} brings the shorter side to 256 pixels and cuts 224 x 224 out of the middle"


def fitted_size(what: str, size: tuple[int, int], options: DataOptions) -> tuple[int, int]:
    """Return the (width, height) that a picture of this size gets; refuse one that is too small."""
    width, height = _resized(size, options.resize)
    require(
        options.resize is None or max(width, height) <= MOST_PIXELS,
        f"resize must leave at most {MOST_PIXELS} pixels a side, got {width} x {height} for {what}",
    )
    if options.crop is None:
        return width, height
    require(
        min(width, height) >= options.crop,
        f"crop must be at most the size of every picture, got {options.crop} for {what} of "
        f"{width} x {height}: --resize {options.crop} (or more) makes it larger first",
    )
    return options.crop, options.crop


def fit_picture(image: Any, options: DataOptions) -> Any:
    """Return a Pillow picture, already in its final colours, resized and cropped."""
    size = _resized(image.size, options.resize)
    if size != image.size:
        from PIL.Image import Resampling

        image = image.resize(size, Resampling.BICUBIC)
    if options.crop is None:
        return image
    # half a pixel is rounded to the even one, as torchvision does
    left, top = (round((side - options.crop) / 2) for side in size)
    return image.crop((left, top, left + options.crop, top + options.crop))


def _resized(size: tuple[int, int], resize: int | None) -> tuple[int, int]:
    """Return the size with `resize` pixels on the shorter side and the longer one in proportion."""
    if resize is None:
        return size
    width, height = size
    shorter = min(width, height)
    return max(resize * width // shorter, 1), max(resize * height // shorter, 1)
