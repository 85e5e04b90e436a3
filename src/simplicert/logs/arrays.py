"""Read the arrays that a tool saved side by side in a folder, one npy file each."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from simplicert.data.arrays import read_array
from simplicert.errors import require
from simplicert.files import MOST_LOG, content_checksum, read_file
from simplicert.types import Floats, Ints


def read_folder(
    folder: Path, needed: Sequence[str], optional: Sequence[str] = ()
) -> dict[str, Any]:
    """Read NAME.npy for each name; all must have one row per input, and `optional` may lack."""
    require(folder.is_dir(), f"folder must be one that exists, got {str(folder)!r}")
    names = [*needed, *(name for name in optional if (folder / f"{name}.npy").is_file())]
    arrays = {name: read_array(folder / f"{name}.npy", follow=False) for name in names}
    rows = len(arrays[needed[0]]) if arrays[needed[0]].ndim else 0
    for name, values in arrays.items():
        wide = 2 if name == "preds" else 1
        require(
            values.dtype.kind in "fiu" and values.ndim == wide and len(values) == rows > 0,
            f"{name}.npy must hold {'a row' if wide == 2 else 'a number'} for each of {rows} "  # noqa: PLR2004
            f"inputs, got {values.dtype} of shape {values.shape}",
        )
    return arrays


def whole_numbers(name: str, values: Floats, most: int) -> Ints:
    """Return classes that were saved as decimals; refuse what is no class."""
    good = (values == np.rint(values)) & (values >= 0) & (values < most)
    if not good.all():
        row = int(np.argmin(good))
        require(
            False,
            f"{name}.npy must hold classes in 0..{most - 1}, got {values[row]:g} in row {row}",
        )
    return values.astype(np.int64)


def checksum_folder(folder: Path, names: Sequence[str]) -> str:
    """Return the checksum of these files, one after another."""
    contents = [read_file(folder / f"{name}.npy", MOST_LOG, follow=False) for name in names]
    return content_checksum(b"".join(contents))
