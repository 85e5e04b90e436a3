"""`file.npz`: arrays `images` or `inputs`, optionally `labels` and `classes`; never unpickled."""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simplicert.data.dataset import Source
from simplicert.data.inputs import as_inputs
from simplicert.errors import InvalidInput, require

NAMES = ("images", "inputs", "labels", "classes")


def load(spec: str) -> Source:
    """The arrays of the file under their names; an unknown name is refused, not passed over."""
    path = Path(spec)
    arrays = read_arrays(path)
    unknown = sorted(set(arrays) - set(NAMES))
    require(not unknown, f"{path.name} may hold {', '.join(NAMES)}; got also {', '.join(unknown)}")
    found = [name for name in ("images", "inputs") if name in arrays]
    require(
        len(found) == 1,
        f"{path.name} must hold either 'images' or 'inputs', got {' and '.join(found) or 'none'}",
    )
    inputs = as_inputs(f"{found[0]} of {path.name}", arrays[found[0]])
    return Source(inputs, arrays.get("labels"), class_names(path.name, arrays.get("classes")))


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Every array of an npz file, whole."""
    require(path.is_file(), f"data must name a file that exists, got {path}")
    try:
        with path.open("rb") as content:  # ours to close, also where it is no npz file
            file = np.load(content, allow_pickle=False)
            plain = isinstance(file, np.ndarray)
            require(not plain, f"{path.name} must be an npz file, got a npy one")
            return {name: file[name] for name in file.files}
    except InvalidInput:
        raise
    except (ValueError, zipfile.BadZipFile, EOFError, OSError) as error:
        raise InvalidInput(
            f"{path.name} must be an npz file of plain arrays (never pickled objects): {error}"
        ) from None


def class_names(name: str, values: NDArray[Any] | None) -> tuple[str, ...] | None:
    """The names of the classes, in the order of the labels."""
    if values is None:
        return None
    require(
        values.ndim == 1 and values.dtype.kind == "U",
        f"classes of {name} must be a list of texts, got {values.dtype} of shape {values.shape}",
    )
    return tuple(str(value) for value in values)
