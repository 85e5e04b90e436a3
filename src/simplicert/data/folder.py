"""Load `folder:DIR`: image files, with one sub-folder per class or without labels.

load_folder    sub-folders are the classes; a folder without sub-folders has no labels
Images         images that are decoded only when they are used; all have one size, and all are
               grey or all are RGB
lazy_images    checks every image's header once, before the first draw

Images of different sizes are refused, unless `resize` or `crop` bring them to one (fitting.py).
Then grey images among RGB ones become RGB, as in every reader of such folders.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simplicert.data.dataset import WATCH, Singles, Source, unit_pixels
from simplicert.data.fitting import OFFER, fit_picture, fitted_size
from simplicert.data.options import AS_IT_IS, DataOptions
from simplicert.errors import InvalidInput, require
from simplicert.importing import import_library, require_inside

# Pillow's names for how pixels are stored, and what they become. 16-bit, alpha and CMYK images
# are refused: how to bring them to [0, 1] is the owner's choice.
MODES = {"1": "L", "L": "L", "P": "RGB", "RGB": "RGB"}

WORDS = {"L": "grey", "RGB": "RGB"}  # in errors
SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".tif", ".tiff", ".ppm", ".pgm")
FORMATS = ("PNG", "JPEG", "BMP", "GIF", "WEBP", "TIFF", "PPM")  # Pillow's others start programs


def load_folder(where: str, options: DataOptions = AS_IT_IS) -> Source:
    """Load sub-folders as classes and files as inputs, both in alphabetical order."""
    options.require_only("a folder of images", "resize", "crop")
    folder = Path(where)
    require(folder.is_dir(), f"folder: must name a folder that exists, got {where!r}")
    classes = sorted(path for path in folder.iterdir() if path.is_dir() and _is_visible(path))
    loose = _list_image_files(folder)
    if not classes:
        require(bool(loose), f"folder {where} must hold images ({', '.join(SUFFIXES)}), got none")
        return Source(_open_image_files(folder, loose, options))
    if loose:
        raise InvalidInput(
            f"folder {where} must hold sub-folders, one a class, or images, got both: "
            f"{classes[0].name} and {loose[0].name}"
        )
    files = [_list_image_files(path) for path in classes]
    for path, images in zip(classes, files, strict=True):
        require(
            bool(images), f"each class of folder {where} must hold images, got none in {path.name}"
        )
    labels = np.repeat(np.arange(len(classes)), [len(images) for images in files])
    together = [path for images in files for path in images]
    names = tuple(path.name for path in classes)
    return Source(_open_image_files(folder, together, options), labels, names)


@dataclass(frozen=True, eq=False)
class Images:
    """N images behind a function that opens the i-th (a Pillow image) and one that names it."""

    count: int
    open: Callable[[int], Any]
    title: Callable[[int], str]
    mode: str
    size: tuple[int, int]  # width, height
    options: DataOptions = AS_IT_IS

    @property
    def shape(self) -> tuple[int, ...]:
        """(N, C, H, W)."""
        width, height = self.size
        return (self.count, 3 if self.mode == "RGB" else 1, height, width)

    def __len__(self) -> int:
        """Return N."""
        return self.count

    def __getitem__(self, where: Any) -> Singles:
        """Decode and return the images at these positions."""
        positions = np.arange(self.count)[where]
        decoded = [self._pixels(int(i)) for i in np.atleast_1d(positions)]
        stack = np.stack(decoded) if decoded else np.empty((0, *self.shape[1:]), np.float32)
        return stack if positions.ndim else stack[0]

    def _pixels(self, position: int) -> Singles:
        pixels: NDArray[np.uint8] = np.asarray(_decode_image(self, position), dtype=np.uint8)
        return unit_pixels(pixels, colour=self.mode == "RGB")


def lazy_images(
    count: int,
    opener: Callable[[int], Any],
    title: Callable[[int], str],
    options: DataOptions = AS_IT_IS,
) -> Images:
    """Check each image's header once; refuse mixed sizes and mixed colours before any draw."""
    import_library("PIL.Image", "torch", "reading images")
    first = _read_header(opener, title, 0, options)
    modes, watch = {first[0]}, WATCH.get()
    for position in range(1, count):
        other = _read_header(opener, title, position, options)
        modes.add(other[0])
        same = other[1] == first[1] if options.fits_pictures else other == first
        if not same:
            offer = OFFER if options.crop is None else ""
            offer = "a crop makes them squares of one size" if options.fits_pictures else offer
            raise InvalidInput(
                f"images must all have one size and colour, got {_describe_image(*first)} in "
                f"{title(0)} and {_describe_image(*other)} in {title(position)}; {offer}"
            )
        watch("image headers", position + 1, count)
    mode = "RGB" if "RGB" in modes else "L"
    return Images(count, opener, title, mode, first[1], options)


def _open_image_files(folder: Path, files: list[Path], options: DataOptions) -> Images:
    """Open files as lazily decoded images, named by their path inside the folder."""
    pillow = import_library("PIL.Image", "torch", "data 'folder:'")
    return lazy_images(
        len(files),
        lambda position: pillow.open(
            require_inside(files[position], folder, *hub_caches()), formats=FORMATS
        ),
        lambda position: str(files[position].relative_to(folder)),
        options,
    )


def hub_caches() -> list[Path]:
    """Return the folders of Hugging Face's cache, where a data set is made of links."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "huggingface")
    named = (os.environ.get(name) for name in ("HF_HUB_CACHE", "HF_DATASETS_CACHE"))
    places = (os.environ.get("HF_HOME") or home, *named)
    return [Path(place).expanduser() for place in places if place]


def _list_image_files(folder: Path) -> list[Path]:
    """List the image files directly in a folder in alphabetical order; skip other files."""
    return sorted(
        path
        for path in folder.iterdir()
        if path.suffix.lower() in SUFFIXES and path.is_file() and _is_visible(path)
    )


def _is_visible(path: Path) -> bool:
    """Return False for hidden files, which an operating system or a tool keeps for itself."""
    return not path.name.startswith(".")


def _read_header(
    opener: Callable[[int], Any], title: Callable[[int], str], position: int, options: DataOptions
) -> tuple[str, tuple[int, int]]:
    """Read the colour ("L" or "RGB") of one image and the size it gets, and no pixels."""
    try:
        with opener(position) as image:
            mode, size, clear = image.mode, image.size, "transparency" in image.info
    except Exception as error:  # a broken or hostile file makes Pillow raise anything
        raise InvalidInput(f"{title(position)} must be an image: {error}") from None
    require(
        mode in MODES and not (mode == "P" and clear),
        f"{title(position)} must be an 8-bit grey or RGB image without transparency, got {mode}",
    )
    return MODES[mode], fitted_size(title(position), size, options)


def _decode_image(images: Images, position: int) -> Any:
    """Read every pixel of one image, and convert it to the colour that all images have."""
    try:
        with images.open(position) as image:
            return fit_picture(image.convert(images.mode), images.options)
    except Exception as error:  # a broken or hostile file makes Pillow raise anything
        raise InvalidInput(f"{images.title(position)} cannot be decoded: {error}") from None


def _describe_image(mode: str, size: tuple[int, int]) -> str:
    """Describe size and colour in words."""
    return f"{size[0]} x {size[1]} {WORDS[mode]}"
