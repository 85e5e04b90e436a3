"""NumPy's files, read as data: never unpickled, and never larger than they are.

A header of a few bytes may claim any shape, and NumPy takes the memory before it reads: so claims
are compared with what is there first.
"""

import tokenize
import zipfile
import zlib
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from simplicert.errors import InvalidInput, require

LARGE, RATIO = 2**31, 100  # bytes that may always be unpacked; beyond, so many times the file's

# What a damaged, foreign or hostile file makes NumPy raise.
UNREADABLE = (
    ValueError,
    TypeError,
    EOFError,
    KeyError,
    MemoryError,
    SyntaxError,
    OSError,
    RuntimeError,  # an encrypted member; NotImplementedError, an unknown compression, is one too
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Every array of an npz file, whole."""
    require(path.is_file(), f"data must name a file that exists, got {path}")
    try:
        with path.open("rb") as content:  # ours to close, also where it is no npz file
            if zipfile.is_zipfile(content):
                refuse_bombs(path, content)
            content.seek(0)
            file = np.load(content, allow_pickle=False)
            plain = isinstance(file, np.ndarray)
            require(not plain, f"{path.name} must be an npz file, got a npy one")
            return {name: file[name] for name in file.files}
    except InvalidInput:
        raise
    except UNREADABLE as error:
        raise InvalidInput(
            f"{path.name} must be an npz file of plain arrays (never pickled objects): {error}"
        ) from None


def read_array(path: Path) -> NDArray[Any]:
    """The array of an npy file."""
    require(path.is_file(), f"{path} must be a file that exists")
    try:
        with path.open("rb") as content:
            claimed, held = claimed_bytes(content), path.stat().st_size
            require(claimed <= held, f"{path.name} claims {claimed:,} bytes and holds {held:,}")
            content.seek(0)
            found = np.load(content, allow_pickle=False)
    except InvalidInput:
        raise
    except UNREADABLE as error:
        raise InvalidInput(f"{path.name} must be an npy file of plain numbers: {error}") from None
    require(isinstance(found, np.ndarray), f"{path.name} must be an npy file, got a npz one")
    return np.asarray(found)


def refuse_bombs(path: Path, content: IO[bytes]) -> None:
    """Refuse arrays that claim more than is there: memory is taken by what a header says."""
    with zipfile.ZipFile(content) as archive:
        for member in archive.infolist():
            unpacked, packed = member.file_size, member.compress_size
            require(
                unpacked <= max(LARGE, RATIO * packed),
                f"{path.name} is refused: its {member.filename} would grow from {packed:,} to "
                f"{unpacked:,} bytes",
            )
            with archive.open(member) as opened:
                claimed = claimed_bytes(opened)
            require(
                claimed <= unpacked,
                f"{path.name} is refused: its {member.filename} claims {claimed:,} bytes and "
                f"holds {unpacked:,}",
            )


def claimed_bytes(opened: IO[bytes]) -> int:
    """The size that the header of a npy member claims; what is no npy claims nothing."""
    try:
        version = npy.read_magic(opened)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, dtype = read(opened)
    except UNREADABLE:
        return 0
    return prod(shape) * int(dtype.itemsize)
