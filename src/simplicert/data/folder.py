"""`folder:DIR`: image files, one sub-folder a class; or no sub-folders and no labels."""

from pathlib import Path

import numpy as np

from simplicert.data.dataset import Source
from simplicert.data.images import Images, as_images
from simplicert.data.libraries import library
from simplicert.errors import InvalidInput, require

SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".tif", ".tiff", ".ppm", ".pgm")
FORMATS = ("PNG", "JPEG", "BMP", "GIF", "WEBP", "TIFF", "PPM")  # Pillow's others start programs


def load(where: str) -> Source:
    """Sub-folders in alphabetical order are the classes, files in alphabetical order the inputs."""
    folder = Path(where)
    require(folder.is_dir(), f"folder: must name a folder that exists, got {where!r}")
    classes = sorted(path for path in folder.iterdir() if path.is_dir() and visible(path))
    loose = image_files(folder)
    if not classes:
        require(bool(loose), f"folder {where} must hold images ({', '.join(SUFFIXES)}), got none")
        return Source(opened(folder, loose))
    if loose:
        raise InvalidInput(
            f"folder {where} must hold sub-folders, one a class, or images, got both: "
            f"{classes[0].name} and {loose[0].name}"
        )
    files = [image_files(path) for path in classes]
    for path, held in zip(classes, files, strict=True):
        require(
            bool(held), f"each class of folder {where} must hold images, got none in {path.name}"
        )
    labels = np.repeat(np.arange(len(classes)), [len(held) for held in files])
    every = [path for held in files for path in held]
    return Source(opened(folder, every), labels, tuple(path.name for path in classes))


def opened(folder: Path, files: list[Path]) -> Images:
    """The files as lazily decoded images, named by their path inside the folder."""
    pillow = library("PIL.Image", "torch", "data 'folder:'")
    return as_images(
        len(files),
        lambda position: pillow.open(files[position], formats=FORMATS),
        lambda position: str(files[position].relative_to(folder)),
    )


def image_files(folder: Path) -> list[Path]:
    """The image files directly in a folder, in alphabetical order; other files are passed over."""
    return sorted(
        path
        for path in folder.iterdir()
        if path.suffix.lower() in SUFFIXES and path.is_file() and visible(path)
    )


def visible(path: Path) -> bool:
    """False for what an operating system or a tool keeps there for itself."""
    return not path.name.startswith(".")
