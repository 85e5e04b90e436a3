"""Images that are decoded when they are asked for: all of one size, all grey or all RGB."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simplicert.data.inputs import Singles, unit_pixels
from simplicert.data.libraries import library
from simplicert.data.watching import WATCH
from simplicert.errors import InvalidInput, require

# Pillow's names for how pixels are stored, and what they become. 16-bit, alpha and CMYK images
# are refused: how to bring them to [0, 1] is the owner's choice.
MODES = {"1": "L", "L": "L", "P": "RGB", "RGB": "RGB"}
WORDS = {"L": "grey", "RGB": "RGB"}


@dataclass(frozen=True, eq=False)
class Images:
    """N images behind a function that opens the i-th (a Pillow image) and one that names it."""

    count: int
    open: Callable[[int], Any]
    title: Callable[[int], str]
    mode: str
    size: tuple[int, int]  # width, height

    @property
    def shape(self) -> tuple[int, ...]:
        """(N, C, H, W)."""
        width, height = self.size
        return (self.count, 3 if self.mode == "RGB" else 1, height, width)

    def __len__(self) -> int:
        """N."""
        return self.count

    def __getitem__(self, where: Any) -> Singles:
        """The images at these positions, decoded now."""
        positions = np.arange(self.count)[where]
        decoded = [self._pixels(int(i)) for i in np.atleast_1d(positions)]
        stack = np.stack(decoded) if decoded else np.empty((0, *self.shape[1:]), np.float32)
        return stack if positions.ndim else stack[0]

    def _pixels(self, position: int) -> Singles:
        pixels: NDArray[np.uint8] = np.asarray(decoded(self, position), dtype=np.uint8)
        return unit_pixels(pixels, colour=self.mode == "RGB")


def as_images(count: int, opener: Callable[[int], Any], title: Callable[[int], str]) -> Images:
    """Look at each image's header once; refuse mixed sizes and mixed colours before any draw."""
    library("PIL.Image", "torch", "reading images")
    first = header(opener, title, 0)
    watch = WATCH.get()
    for position in range(1, count):
        other = header(opener, title, position)
        require(
            other == first,
            f"images must all have one size and colour, got {said(*first)} in {title(0)} "
            f"and {said(*other)} in {title(position)}",
        )
        watch("image headers", position + 1, count)
    return Images(count, opener, title, *first)


def header(
    opener: Callable[[int], Any], title: Callable[[int], str], position: int
) -> tuple[str, tuple[int, int]]:
    """Colour ("L" or "RGB") and size of one image; reads no pixels."""
    try:
        with opener(position) as image:
            mode, size, clear = image.mode, image.size, "transparency" in image.info
    except Exception as error:  # a broken or hostile file makes Pillow raise anything
        raise InvalidInput(f"{title(position)} must be an image: {error}") from None
    require(
        mode in MODES and not (mode == "P" and clear),
        f"{title(position)} must be an 8-bit grey or RGB image without transparency, got {mode}",
    )
    return MODES[mode], size


def decoded(images: Images, position: int) -> Any:
    """One Pillow image in its colour, every pixel read."""
    try:
        with images.open(position) as image:
            return image.convert(images.mode)
    except Exception as error:  # a broken or hostile file makes Pillow raise anything
        raise InvalidInput(f"{images.title(position)} cannot be decoded: {error}") from None


def said(mode: str, size: tuple[int, int]) -> str:
    """Size and colour in words."""
    return f"{size[0]} x {size[1]} {WORDS[mode]}"
