"""Files that appear whole or not at all."""

import contextlib
import hashlib
import os
import secrets
from pathlib import Path

from simplicert.errors import require


def write_whole(path: Path, content: bytes, *, only_if_new: bool = False) -> None:
    """Write to a temporary name beside `path`, flush to the disk, then rename.

    A killed process or a full disk leaves the old file, or none, and never a torn one. With
    `only_if_new` a file that is already there stays: of several writers the first one wins.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if only_if_new:
            with contextlib.suppress(FileExistsError):
                os.link(temporary, path)
            temporary.unlink()
        else:
            temporary.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):  # what went wrong first is what is told
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno is not None:  # under the name asked for
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    sync_folder(path.parent)


def refuse_existing(folder: Path) -> None:
    """A new run takes a new or an empty folder: what exists is never touched."""
    require(
        not folder.exists() or (folder.is_dir() and not any(folder.iterdir())),
        f"out must be a new or empty folder, and {folder} already holds something",
    )


def sync_folder(folder: Path) -> None:
    """Make a rename in this folder survive a power cut, where the system can."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def checksum(content: bytes) -> str:
    """128 bits of SHA-256, as 32 hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()[:32]
