"""Thumbnails: one sheet for the whole page."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simplicert.types import Ints

MOST = 2000  # thumbnails
SIDE = 48  # pixels, the longer side
LIGHT = 2**20  # bytes: a heavier sheet is written as JPEG, of photographs a third as large
QUALITY = 85
CHANNELS = (1, 3)  # grey, or red, green and blue
IMAGE = 3  # axes of one image: channels, height, width


@dataclass(frozen=True)
class Sheet:
    """Thumbnails row by row in one picture; `slots` says which input stands where."""

    picture: bytes
    width: int  # of one thumbnail
    height: int
    across: int
    slots: dict[int, int]  # number of the input -> place on the sheet

    def for_page(self) -> dict[str, Any]:
        """As JSON can hold it."""
        kind = "png" if self.picture[:4] == b"\x89PNG" else "jpeg"
        data = base64.b64encode(self.picture).decode("ascii")
        return {
            "url": f"data:image/{kind};base64,{data}",
            "width": self.width,
            "height": self.height,
            "across": self.across,
            "down": -(-len(self.slots) // self.across),
            "slots": {str(number): slot for number, slot in self.slots.items()},
        }


def are_images(shape: Sequence[int]) -> bool:
    """Whether inputs of this shape (N, ...) can be shown: grey or RGB, channels first."""
    return len(shape) == IMAGE + 1 and shape[1] in CHANNELS


def chosen_inputs(total: int, orders: Sequence[Ints], most: int) -> Ints:
    """Which of the inputs get a thumbnail: half of these by risk, the rest an even spread.

    `orders` are the risk orders of the page's views, each of which has an equal share.
    """
    if total <= most:
        return np.arange(total)
    risky = np.unique(np.concatenate([order[: most // (2 * len(orders))] for order in orders]))
    others = np.setdiff1d(np.arange(total), risky)
    spread = others[np.linspace(0, len(others) - 1, most - len(risky)).astype(np.int64)]
    return np.union1d(risky, spread)


def make_sheet(images: NDArray[np.float32], numbers: Ints) -> Sheet:
    """A sheet of (N, C, H, W) images in [0, 1]; what lies outside is clipped, as on any screen."""
    from PIL import Image

    count, _, height, width = images.shape
    shrink = min(1.0, SIDE / max(height, width))
    small = (max(1, round(width * shrink)), max(1, round(height * shrink)))
    across = int(np.ceil(np.sqrt(count)))
    colour = images.shape[1] == CHANNELS[1]
    sheet = Image.new("RGB" if colour else "L", (across * small[0], -(-count // across) * small[1]))
    pixels = (np.clip(np.nan_to_num(images), 0, 1) * 255).round().astype(np.uint8)
    for slot, one in enumerate(pixels):
        picture = Image.fromarray(np.moveaxis(one, 0, -1) if colour else one[0])
        if shrink < 1:
            picture = picture.resize(small, Image.Resampling.BOX)
        sheet.paste(picture, (slot % across * small[0], slot // across * small[1]))
    slots = {int(number): slot for slot, number in enumerate(numbers)}
    return Sheet(encoded(sheet), *small, across, slots)


def encoded(sheet: Any) -> bytes:
    """PNG, or JPEG where that would be heavy."""
    exact = BytesIO()
    sheet.save(exact, "PNG", optimize=True)
    if exact.tell() <= LIGHT:
        return exact.getvalue()
    lossy = BytesIO()
    sheet.save(lossy, "JPEG", quality=QUALITY)
    return lossy.getvalue()
