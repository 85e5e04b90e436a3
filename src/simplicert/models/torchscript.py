"""`file.ts`: TorchScript, saved by torch.jit.save.

Its parts are read by torch's C++ reader, which knows tensors and TorchScript classes only, and
never Python's pickle machinery. But TorchScript is a programming language, and what is written in
it runs as soon as the file is opened: it can overwrite files. So it is opened only for a user who
vouches for it.
"""

import warnings
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from simplicert.data.libraries import library, said
from simplicert.errors import InvalidInput
from simplicert.models.files import existing, open_archive, require_unpacked
from simplicert.models.fingerprints import digest
from simplicert.models.model import Model
from simplicert.trust import USER, Trust, require_vouched

# Where the code came from and what it was traced with: not part of what is computed.
PASSED_OVER = (".debug_pkl", "traced_inputs.pkl", "serialization_id")


def load(spec: str, trust: Trust = USER) -> Model:
    """The module in eval mode; its fingerprint is of the code, constants and tensors in the file.

    TorchScript numbers its classes as it goes, so saving one module twice in one process may give
    two fingerprints; copies of one file have one.
    """
    path = existing(spec)
    require_vouched(trust, path.name, "TorchScript can run code of its own when it is opened")
    torch = library("torch", "torch", f"model {path.name}")
    with suppress(RuntimeError):  # no archive of torch's: said below
        open_archive(path.name, path.stat().st_size, str(path))
    fingerprint = digest("torchscript", members(path))
    return Model(opened(torch, path).eval(), path.name, fingerprint)


def opened(torch: Any, path: Path) -> Any:
    """The module on the CPU."""
    try:
        with warnings.catch_warnings():
            # TorchScript is deprecated; the files people have of it are not.
            warnings.filterwarnings("ignore", message=".*torch.jit.load", category=Warning)
            return torch.jit.load(path, map_location="cpu")
    except RuntimeError as error:
        raise InvalidInput(
            f"model {path.name} cannot be read as TorchScript: {said(error)}"
        ) from None


def members(path: Path) -> Iterator[bytes]:
    """Name and content of each part that says what is computed, by name without the outer folder.

    A file without code is no TorchScript; most likely it was pickled by torch.save.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            sizes = [member.file_size for member in archive.infolist()]
            require_unpacked(path.name, path.stat().st_size, sizes)
            names = {name.partition("/")[2]: name for name in archive.namelist()}
            content = {
                inner: archive.read(name)
                for inner, name in names.items()
                if not (inner.endswith(PASSED_OVER) or inner.startswith("traced_inputs/"))
            }
    except zipfile.BadZipFile:
        content = {}
    if not any(name.startswith("code/") for name in content):
        raise InvalidInput(
            f"model {path.name} must be TorchScript saved by torch.jit.save; this is something "
            "else, perhaps a pickle of torch.save, and pickles are never opened"
        )
    return (piece for name in sorted(content) for piece in (name.encode(), content[name]))
