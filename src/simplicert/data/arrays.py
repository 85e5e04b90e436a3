"""Read NumPy files (`file.npz`, `file.npy`) safely: never unpickled, never larger than the file.

A header of a few bytes may claim any shape, and NumPy allocates the memory before it reads. So
what a header claims is first compared with what the file holds.

load_npz                  `file.npz` as a data set: arrays `images` or `inputs`, optionally
                          `labels` and `classes`
read_arrays, read_array   the arrays of an npz file, the array of an npy file
"""

import tokenize
import zipfile
import zlib
from collections.abc import Collection
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from simplicert.data.dataset import Source, inputs_from_array, number_texts
from simplicert.errors import InvalidInput, require
from simplicert.files import open_file
from simplicert.machine import refuse_huge_unpacking, require_memory

ZIP = b"PK"  # how an npz file begins
MOST_NAMES_SHOWN = 5  # unknown names that an error lists

# What a damaged, foreign or hostile file makes NumPy raise.
UNREADABLE = (
    ValueError,
    TypeError,
    EOFError,
    KeyError,
    MemoryError,
    SyntaxError,
    OSError,
    RuntimeError,  # an encrypted member; also NotImplementedError and RecursionError
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)

NAMES = ("images", "inputs", "labels", "classes")  # arrays that a data set may hold


def load_npz(spec: str) -> Source:
    """Load inputs, and labels and class names if there are any; an unknown name is refused."""
    path = Path(spec)
    arrays = read_arrays(path, NAMES)
    present = [name for name in ("images", "inputs") if name in arrays]
    require(
        len(present) == 1,
        f"{path.name} must hold either 'images' or 'inputs', got {' and '.join(present) or 'none'}",
    )
    inputs = inputs_from_array(f"{present[0]} of {path.name}", arrays[present[0]])
    names = _read_class_names(path.name, arrays.get("classes"))
    return Source(inputs, *_read_labels(path.name, arrays.get("labels"), names))


def read_arrays(path: Path, known: Collection[str]) -> dict[str, NDArray[Any]]:
    """Read all arrays of an npz file; a name that is not `known` is refused, not skipped."""
    require(path.is_file(), f"data must name a file that exists, got {path}")
    try:
        with open_file(path) as content:  # ours to close, even if it is not an npz file
            plain = content.read(len(npy.MAGIC_PREFIX)) == npy.MAGIC_PREFIX
            require(not plain, f"{path.name} must be an npz file, got a npy one")
            _refuse_zip_bombs(path, content, known)
            content.seek(0)
            file = np.load(content, allow_pickle=False)
            return {name: file[name] for name in file.files}
    except InvalidInput:
        raise
    except UNREADABLE as error:
        raise InvalidInput(
            f"{path.name} must be an npz file of plain arrays (never pickled objects): {error}"
        ) from None


def read_array(path: Path, *, follow: bool = True) -> NDArray[Any]:
    """Read the array of an npy file."""
    require(path.is_file(), f"{path} must be a file that exists")
    try:
        with open_file(path, follow=follow) as content:
            claimed, held = _claimed_bytes(content), path.stat().st_size
            require(claimed <= held, f"{path.name} claims {claimed:,} bytes and holds {held:,}")
            require_memory(path.name, held)
            content.seek(0)
            packed = content.read(len(ZIP)) == ZIP
            require(not packed, f"{path.name} must be an npy file, got a npz one")
            content.seek(0)
            return np.asarray(np.load(content, allow_pickle=False))
    except InvalidInput:
        raise
    except UNREADABLE as error:
        raise InvalidInput(f"{path.name} must be an npy file of plain numbers: {error}") from None


def _read_class_names(name: str, values: NDArray[Any] | None) -> tuple[str, ...] | None:
    """Return the class names, in the order of the labels."""
    if values is None:
        return None
    require(
        values.ndim == 1 and values.dtype.kind == "U",
        f"classes of {name} must be a list of texts, got {values.dtype} of shape {values.shape}",
    )
    return tuple(str(value) for value in values)


def _read_labels(
    name: str, labels: NDArray[Any] | None, classes: tuple[str, ...] | None
) -> tuple[NDArray[Any] | None, tuple[str, ...] | None]:
    """Return labels and class names; texts are numbered by `classes`, or in their sorted order."""
    if labels is None or labels.dtype.kind != "U" or labels.ndim != 1:
        return labels, classes
    texts = [str(text) for text in labels]
    if classes is None:
        return number_texts(texts)
    numbers = {text: number for number, text in enumerate(classes)}
    unknown = sorted(set(texts) - set(classes))
    require(
        not unknown, f"labels of {name} must be among its classes, got {unknown[:1]!r:.60} there"
    )
    return np.array([numbers[text] for text in texts], dtype=np.int64), classes


def _refuse_zip_bombs(path: Path, content: IO[bytes], known: Collection[str]) -> None:
    """Refuse arrays that claim more bytes than there are: NumPy allocates what a header claims.

    Members may overlap, so the sizes of all of them together are compared with the file.
    """
    packed, total = path.stat().st_size, 0
    with zipfile.ZipFile(content) as archive:
        names = [member.filename.removesuffix(".npy") for member in archive.infolist()]
        unknown = sorted(set(names) - set(known))
        require(
            not unknown,
            f"{path.name} may hold {', '.join(known)}, under these names; got also "
            f"{', '.join(unknown[:MOST_NAMES_SHOWN])}",
        )
        require(len(set(names)) == len(names), f"{path.name} must hold each array once")
        for member in archive.infolist():
            total += member.file_size
            refuse_huge_unpacking(f"{path.name}, with its {member.filename},", packed, total)
            with archive.open(member) as opened:
                claimed = _claimed_bytes(opened)
            require(
                claimed <= member.file_size,
                f"{path.name} is refused: its {member.filename} claims {claimed:,} bytes and "
                f"holds {member.file_size:,}",
            )


def _claimed_bytes(opened: IO[bytes]) -> int:
    """Return the size that an npy header claims; 0 if there is no such header."""
    try:
        version = npy.read_magic(opened)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, dtype = read(opened)
    except UNREADABLE:
        return 0
    return prod(shape) * int(dtype.itemsize)
