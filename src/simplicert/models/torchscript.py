"""Load `file.ts`: TorchScript saved by torch.jit.save.

Its parts are read by torch's C++ reader, which knows tensors and TorchScript classes only, and
never by Python's pickle machinery. But TorchScript is a programming language, and code in the file
runs as soon as it is opened: it can overwrite files. So it is opened only for a user who vouches
for it.
"""

import warnings
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from simplicert.errors import InvalidInput
from simplicert.importing import USER, Trust, first_error_line, import_library, require_vouched
from simplicert.models.model import (
    Model,
    digest_parts,
    find_model_file,
    open_archive,
    require_unpacked_size,
)

# Where the code came from and what it was traced with: not part of what is computed.
IGNORED_MEMBERS = (".debug_pkl", "traced_inputs.pkl", "serialization_id")


def load_torchscript(spec: str, trust: Trust = USER) -> Model:
    """Load the module in eval mode, with a fingerprint of its code, constants and tensors.

    TorchScript numbers its classes as it goes, so saving one module twice in one process may give
    two fingerprints; copies of one file have the same.
    """
    path = find_model_file(spec)
    require_vouched(trust, path.name, "TorchScript can run code of its own when it is opened")
    torch = import_library("torch", "torch", f"model {path.name}")
    with suppress(RuntimeError):  # not an archive of torch's: reported below
        open_archive(path.name, path.stat().st_size, str(path))
    fingerprint = digest_parts("torchscript", _read_members(path))
    return Model(_open_script(torch, path).eval(), path.name, fingerprint)


def _open_script(torch: Any, path: Path) -> Any:
    """Open the module on the CPU."""
    try:
        with warnings.catch_warnings():
            # TorchScript is deprecated, but people still have files of it.
            warnings.filterwarnings("ignore", message=".*torch.jit.load", category=Warning)
            return torch.jit.load(path, map_location="cpu")
    except RuntimeError as error:
        raise InvalidInput(
            f"model {path.name} cannot be read as TorchScript: {first_error_line(error)}"
        ) from None


def _read_members(path: Path) -> Iterator[bytes]:
    """Return name and content of each part that decides what is computed, sorted by name.

    Names are without the outer folder. A file without code is no TorchScript; most likely it was
    pickled by torch.save.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            sizes = [member.file_size for member in archive.infolist()]
            require_unpacked_size(path.name, path.stat().st_size, sizes)
            names = {name.partition("/")[2]: name for name in archive.namelist()}
            content = {
                inner: archive.read(name)
                for inner, name in names.items()
                if not (inner.endswith(IGNORED_MEMBERS) or inner.startswith("traced_inputs/"))
            }
    except zipfile.BadZipFile:
        content = {}
    if not any(name.startswith("code/") for name in content):
        raise InvalidInput(
            f"model {path.name} must be TorchScript saved by torch.jit.save; this is something "
            "else, perhaps a pickle of torch.save, and pickles are never opened"
        )
    return (piece for name in sorted(content) for piece in (name.encode(), content[name]))
