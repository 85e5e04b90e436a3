"""Model files on disk: there, plain, and not larger unpacked than torch would pack them."""

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from simplicert.errors import InvalidInput, require
from simplicert.memory import require_memory, size

GROWTH, ALWAYS = 4, 2**26  # torch packs code and no tensors: four times the file and 64 MiB is much
MOST_MEMBERS = 10**5


def existing(where: str) -> Path:
    """The path of a model file that is there, and fits into the memory."""
    path = Path(where)
    require(path.is_file(), f"model must name a file that exists, got {where!r}")
    require_memory(f"model {path.name}", path.stat().st_size)
    return path


def require_unpacked(name: str, packed: int, members: Sequence[int]) -> None:
    """Refuse an archive whose members, of these sizes, are far larger than the archive."""
    total = sum(members)
    require(
        len(members) <= MOST_MEMBERS and total <= GROWTH * packed + ALWAYS,
        f"model {name} is refused: its {len(members)} members would grow from {size(packed)} to "
        f"{size(total)}",
    )
    require_memory(f"model {name}", total)


def open_archive(name: str, packed: int, content: str | IO[bytes]) -> Any:
    """An archive of torch's own by torch's own reader, after the sizes of all its members.

    A RuntimeError says that it is none. zipfile may see other members than torch does in a file
    that was made to deceive, and both are used: so both are asked.
    """
    import torch

    reader = torch._C.PyTorchFileReader(content)
    names = reader.get_all_records()
    require_unpacked(name, packed, [reader.get_record_size(member) for member in names])
    try:
        with zipfile.ZipFile(content) as archive:
            require_unpacked(name, packed, [member.file_size for member in archive.infolist()])
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise RuntimeError("no zip archive") from None
    return reader
