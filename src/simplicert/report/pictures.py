"""Find the images of a run's inputs and make thumbnails of them for the page.

A run holds no images, so they come from its data. `find_pictures` loads and checks the data, or
says why there are no thumbnails. `choose_thumbnails` picks the inputs, and `make_sheet` puts all
thumbnails into one picture, a `ThumbnailSheet`.
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from io import BytesIO
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simplicert.data import Dataset
from simplicert.data.sequences import are_sequences
from simplicert.drawing.origin import open_named_data, reopen_data
from simplicert.errors import InvalidInput, SimplicertError, require
from simplicert.metrics.shared import relate_inputs
from simplicert.report.views import View, risk_order
from simplicert.types import Ints

MOST = 2000  # thumbnails on a page

SIDE = 48  # pixels of a thumbnail's longer side, at most

LIGHT = 2**20  # bytes: a heavier sheet is written as JPEG, of photographs a third as large

QUALITY = 85  # of that JPEG

CHANNELS = (1, 3)  # grey, or red, green and blue

IMAGE = 3  # axes of one image: channels, height, width

# How a user gets thumbnails after all.
HINT = "give --data as `simplicert sample` had it to see thumbnails"


@dataclass(frozen=True)
class ThumbnailSheet:
    """Thumbnails row by row in one picture; `slots` says where each input stands."""

    picture: bytes
    width: int  # of one thumbnail
    height: int
    across: int
    slots: dict[int, int]  # number of the input -> place on the sheet

    def for_page(self) -> dict[str, Any]:
        """Return the sheet as JSON can hold it."""
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


class Pictures(NamedTuple):
    """A sheet of thumbnails, or a sentence that says why there is none."""

    sheet: ThumbnailSheet | None
    note: str = ""


def find_pictures(views: Sequence[View], spec: str | None) -> Pictures:
    """Make thumbnails of the inputs from the data that `spec` names, by default the run's own.

    Data that was asked for and is not the run's is refused: the wrong picture beside a certificate
    is worse than none. Data that the run names are opened only by their fingerprint. Where that
    fails a note says so, and not what was found there: the page may go to other people.
    """
    run = views[0].study.run
    if spec is not None:
        return _make_pictures(views, _check_data(reopen_data(run, spec), views))
    runs = list({view.run: view.study for view in views}.values())
    if len(runs) > 1 and (apart := relate_inputs(runs).apart):
        return Pictures(None, f"No thumbnails: {apart}.")
    if run.manifest.made.get("data") is None:
        return Pictures(None, f"No thumbnails: the run does not name its data; {HINT}.")
    if run.manifest.data_fingerprint is None:
        return Pictures(None, f"No thumbnails: the run keeps no fingerprint of its data; {HINT}.")
    try:
        return _make_pictures(views, _check_data(open_named_data(run), views))
    except (SimplicertError, OSError):
        return Pictures(None, f"No thumbnails: the run's data were not found here; {HINT}.")


def _check_data(data: Dataset, views: Sequence[View]) -> Dataset:
    """Return the data if it can be what every run was drawn from; refuse it otherwise."""
    for view in views:
        _check_data_of_run(data, view)
    return data


def _check_data_of_run(data: Dataset, view: View) -> None:
    """Refuse data that cannot be what a run was drawn from."""
    recorded = view.study.run.manifest.data_fingerprint
    require(
        recorded in (None, data.fingerprint),
        f"data must be what {view.study.name} was drawn from, and {data.name} has another "
        f"fingerprint ({data.fingerprint} for {recorded})",
    )
    for number in (int(view.index.min()), int(view.index.max())):
        require(
            0 <= number < len(data),
            f"data must hold input {number} of {view.study.name}, and {data.name} holds 0 to "
            f"{len(data) - 1}",
        )
    if recorded is None and view.labels is not None and data.labels is not None:
        differ = np.flatnonzero(data.labels[view.index] != view.labels)
        if differ.size:
            raise InvalidInput(
                f"data must have the labels of {view.study.name}, and {data.name} differs at "
                f"input {view.index[differ[0]]}"
            )


def _make_pictures(views: Sequence[View], data: Dataset) -> Pictures:
    """Make a sheet of at most MOST inputs, of whichever runs hold them."""
    if not are_images(data.inputs.shape):
        if are_sequences(data.inputs):
            return Pictures(None, "No thumbnails: sequences of tokens are no images.")
        shape = " x ".join(str(n) for n in data.inputs.shape[1:])
        return Pictures(None, f"No thumbnails: inputs of shape {shape} are no images.")
    if find_spec("PIL") is None:
        return Pictures(None, "No thumbnails: pillow is not installed.")
    numbers = choose_inputs(views)
    note = ""
    if len(numbers) < len(np.unique(np.concatenate([view.index for view in views]))):
        note = f"Thumbnails of {MOST} inputs: the riskiest and an even spread of the others."
    return Pictures(make_sheet(data.inputs[numbers], numbers), note)


def choose_inputs(views: Sequence[View]) -> Ints:
    """Return the numbers of at most MOST inputs that the page shows in detail."""
    everything = np.unique(np.concatenate([view.index for view in views]))
    orders = [np.searchsorted(everything, view.index[risk_order(view)]) for view in views]
    return everything[choose_thumbnails(len(everything), orders, MOST)]


def are_images(shape: Sequence[int]) -> bool:
    """Say whether inputs of this shape (N, ...) can be shown: grey or RGB, channels first."""
    return len(shape) == IMAGE + 1 and shape[1] in CHANNELS


def choose_thumbnails(total: int, orders: Sequence[Ints], most: int) -> Ints:
    """Choose the inputs that get a thumbnail: half of them by risk, the rest an even spread.

    `orders` are the risk orders of the page's views, each of which has an equal share.
    """
    if total <= most:
        return np.arange(total)
    risky = np.unique(np.concatenate([order[: most // (2 * len(orders))] for order in orders]))
    others = np.setdiff1d(np.arange(total), risky)
    spread = others[np.linspace(0, len(others) - 1, most - len(risky)).astype(np.int64)]
    return np.union1d(risky, spread)


def make_sheet(images: NDArray[np.float32], numbers: Ints) -> ThumbnailSheet:
    """Make a sheet of (N, C, H, W) images in [0, 1]; clip what lies outside, as any screen does."""
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
    return ThumbnailSheet(_encode_sheet(sheet), *small, across, slots)


def _encode_sheet(sheet: Any) -> bytes:
    """Encode a sheet as PNG, or as JPEG where PNG would be heavy."""
    exact = BytesIO()
    sheet.save(exact, "PNG", optimize=True)
    if exact.tell() <= LIGHT:
        return exact.getvalue()
    lossy = BytesIO()
    sheet.save(lossy, "JPEG", quality=QUALITY)
    return lossy.getvalue()
