"""Load CIFAR-10 by `cifar10:DIR` or `cifar10:DIR:train`, from binary batches or npz files.

https://www.cs.toronto.edu/~kriz/cifar.html offers the same pixels three ways. The Python version
is pickled, so it is refused; the binary version is a plain table of bytes. An npz file must hold
`images` and `labels`.
"""

from pathlib import Path

import numpy as np

from simplicert.data import arrays
from simplicert.data.dataset import Pixels, Source
from simplicert.errors import InvalidInput, require
from simplicert.files import read_file
from simplicert.importing import require_inside

CLASSES = (
    "airplane",
    "automobile",
    "bird",
    "cat",
    "deer",
    "dog",
    "frog",
    "horse",
    "ship",
    "truck",
)

BATCHES = {
    "train": tuple(f"data_batch_{number}.bin" for number in range(1, 6)),
    "test": ("test_batch.bin",),
}

SIDE, CHANNELS = 32, 3
RECORD = 1 + CHANNELS * SIDE * SIDE  # a label, then red, green and blue planes
MOST_BATCH = 2**28  # bytes of one batch, of which the official ones have an eighth
INNER = ("cifar-10-batches-bin", "cifar-10-batches-py")  # folders in the official archives


def load_cifar10(where: str) -> Source:
    """Load the test split, or the one that follows the folder, as in `DIR:train`."""
    folder, split = Path(where), "test"
    for name in BATCHES:
        if where.endswith(f":{name}"):
            folder, split = Path(where.removesuffix(f":{name}")), name
    require(folder.is_dir(), f"cifar10: must name a folder that exists, got {str(folder)!r}")
    places = [folder, *(folder / name for name in INNER)]
    for place in places:
        if (place / f"cifar10_{split}.npz").is_file():
            return _read_cifar10_npz(require_inside(place / f"cifar10_{split}.npz", folder))
        if any((place / name).is_file() for name in BATCHES[split]):
            return _read_binary_batches(folder, [place / name for name in BATCHES[split]])
    wanted = f"{BATCHES[split][0]} or cifar10_{split}.npz"
    for place in places:
        if any((place / Path(name).stem).is_file() for name in BATCHES[split]):
            raise InvalidInput(
                f"{folder} holds CIFAR-10's pickled Python batches, which are never opened; use "
                f"the binary version (cifar-10-binary.tar.gz), with {BATCHES[split][0]}"
            )
    raise InvalidInput(f"cifar10: must name a folder with {wanted}, got {folder}")


def _read_binary_batches(folder: Path, paths: list[Path]) -> Source:
    """Read records of 3073 bytes from one batch after the other."""
    tables = []
    for path in paths:
        require(path.is_file(), f"cifar10: needs {path.name} beside the other batches, got none")
        held = read_file(require_inside(path, folder), MOST_BATCH)
        content = np.frombuffer(held, dtype=np.uint8)
        require(
            content.size > 0 and content.size % RECORD == 0,
            f"{path.name} must be records of {RECORD} bytes, got {content.size} bytes",
        )
        tables.append(content.reshape(-1, RECORD))
    records = np.concatenate(tables)
    planes = records[:, 1:].reshape(-1, CHANNELS, SIDE, SIDE)
    return Source(Pixels(np.moveaxis(planes, 1, -1)), records[:, 0], CLASSES)


def _read_cifar10_npz(path: Path) -> Source:
    """Read an npz file of uint8 `images` (N, 32, 32, 3) and `labels` (N,)."""
    inputs, labels, *_ = arrays.load_npz(str(path))
    require(
        isinstance(inputs, Pixels) and inputs.shape[1:] == (CHANNELS, SIDE, SIDE),
        f"images of {path.name} must be uint8 of shape N x 32 x 32 x 3, got {inputs.shape} seen "
        "with channels first",
    )
    require(labels is not None, f"{path.name} must hold 'labels', got none")
    return Source(inputs, labels, CLASSES)
