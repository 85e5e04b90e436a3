"""`file.npz`: arrays `images` or `inputs`, optionally `labels` and `classes`; never unpickled."""

from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from simplicert.data.arrays import read_arrays
from simplicert.data.dataset import Source
from simplicert.data.inputs import as_inputs
from simplicert.errors import require

NAMES = ("images", "inputs", "labels", "classes")


def load(spec: str) -> Source:
    """The arrays of the file under their names; an unknown name is refused, not passed over."""
    path = Path(spec)
    arrays = read_arrays(path, NAMES)
    found = [name for name in ("images", "inputs") if name in arrays]
    require(
        len(found) == 1,
        f"{path.name} must hold either 'images' or 'inputs', got {' and '.join(found) or 'none'}",
    )
    inputs = as_inputs(f"{found[0]} of {path.name}", arrays[found[0]])
    return Source(inputs, arrays.get("labels"), class_names(path.name, arrays.get("classes")))


def class_names(name: str, values: NDArray[Any] | None) -> tuple[str, ...] | None:
    """The names of the classes, in the order of the labels."""
    if values is None:
        return None
    require(
        values.ndim == 1 and values.dtype.kind == "U",
        f"classes of {name} must be a list of texts, got {values.dtype} of shape {values.shape}",
    )
    return tuple(str(value) for value in values)
