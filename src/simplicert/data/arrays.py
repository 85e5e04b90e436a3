"""Read NumPy files (`file.npz`, `file.npy`) safely: never unpickled, never larger than the file.

A header of a few bytes may claim any shape, and NumPy allocates the memory before it reads. So
what a header claims is first compared with what the file holds.

read_arrays, read_array   the arrays of an npz file, the array of an npy file
load_npz                  `file.npz` as a data set: arrays `images` or `inputs`, optionally
                          `labels` and `classes`
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

from simplicert.data.dataset import Source
from simplicert.data.inputs import inputs_from_array
from simplicert.errors import InvalidInput, require
from simplicert.files import open_file
from simplicert.machine import refuse_huge_unpacking, require_memory

ZIP = b"PK"  # how an npz file begins

MOST_NAMES_SHOWN = 5  # names of strange arrays that are said

# What a damaged, foreign or hostile file makes NumPy raise.
UNREADABLE = (
    ValueError,
    TypeError,
    EOFError,
    KeyError,
    MemoryError,
    SyntaxError,
    OSError,
    RuntimeError,  # an encrypted member; NotImplementedError and RecursionError are of this kind
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)


def read_arrays(path: Path, known: Collection[str]) -> dict[str, NDArray[Any]]:
    """The arrays of an npz file, whole; a name that is not `known` is refused, not passed over."""
    require(path.is_file(), f"data must name a file that exists, got {path}")
    try:
        with open_file(path) as content:  # ours to close, also where it is no npz file
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
    """The array of an npy file."""
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


def _refuse_zip_bombs(path: Path, content: IO[bytes], known: Collection[str]) -> None:
    """Refuse arrays that claim more than is there: memory is taken by what a header says.

    Members may lie on top of each other, so that all of them together are held against the file.
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
    """The size that the header of a npy member claims; what is no npy claims nothing."""
    try:
        version = npy.read_magic(opened)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, dtype = read(opened)
    except UNREADABLE:
        return 0
    return prod(shape) * int(dtype.itemsize)


NAMES = ("images", "inputs", "labels", "classes")


def load_npz(spec: str) -> Source:
    """The arrays of the file under their names; an unknown name is refused, not passed over."""
    path = Path(spec)
    arrays = read_arrays(path, NAMES)
    found = [name for name in ("images", "inputs") if name in arrays]
    require(
        len(found) == 1,
        f"{path.name} must hold either 'images' or 'inputs', got {' and '.join(found) or 'none'}",
    )
    inputs = inputs_from_array(f"{found[0]} of {path.name}", arrays[found[0]])
    return Source(inputs, arrays.get("labels"), _read_class_names(path.name, arrays.get("classes")))


def _read_class_names(name: str, values: NDArray[Any] | None) -> tuple[str, ...] | None:
    """The names of the classes, in the order of the labels."""
    if values is None:
        return None
    require(
        values.ndim == 1 and values.dtype.kind == "U",
        f"classes of {name} must be a list of texts, got {values.dtype} of shape {values.shape}",
    )
    return tuple(str(value) for value in values)
