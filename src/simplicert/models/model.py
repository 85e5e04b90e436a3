"""Describe a model: its classifier, its name, and a fingerprint of what it computes.

Model                    what a loader returns
find_model_file          a model file that exists and fits into memory
open_archive             an archive written by torch, opened once its sizes are checked
require_unpacked_size    refuses an archive that is far larger unpacked than torch would make it
check_batch              refuses a batch of another shape than the model file declares
explain_uncallable       why an object cannot be called as a classifier
"""

import sys
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from simplicert.errors import InvalidInput, require
from simplicert.machine import format_bytes, require_memory

# torch packs code and no tensors: four times the file plus 64 MiB is already much.
GROWTH, ALWAYS = 4, 2**26

MOST_MEMBERS = 10**5  # of an archive
Declared = tuple[int | None, ...]  # shape of a batch; None: any length
IMAGES = 4  # axes of a batch of images


@dataclass(frozen=True, eq=False)
class Model:
    """A classifier to smooth. The fingerprint is of the function, not of a file's name or place."""

    classifier: Callable[[Any], Any]  # an nn.Module in eval mode, or a NumPy function
    name: str  # as the user gave it, without the path
    fingerprint: str  # 32 hexadecimal digits
    classes: tuple[str, ...] | None = None  # their names, where the model's maker wrote them down
    sigma: float | None = None  # the noise it was trained under, likewise

    def __repr__(self) -> str:
        """Return the name and the start of the fingerprint."""
        return f"Model({self.name}, {self.fingerprint[:8]})"


def find_model_file(where: str) -> Path:
    """Return the path of a model file, after checking that it exists and fits into memory."""
    path = Path(where)
    require(path.is_file(), f"model must name a file that exists, got {where!r}")
    require_memory(f"model {path.name}", path.stat().st_size)
    return path


def open_archive(name: str, packed: int, content: str | IO[bytes]) -> Any:
    """Open an archive by torch's own reader, after checking the sizes of all its members.

    A RuntimeError says that it is no archive of torch's. In a file that was made to deceive,
    zipfile may see other members than torch does; both are used, so both are checked.
    """
    import torch

    reader = torch._C.PyTorchFileReader(content)
    names = reader.get_all_records()
    require_unpacked_size(name, packed, [reader.get_record_size(member) for member in names])
    try:
        with zipfile.ZipFile(content) as archive:
            require_unpacked_size(name, packed, [member.file_size for member in archive.infolist()])
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise RuntimeError("no zip archive") from None
    return reader


def require_unpacked_size(name: str, packed: int, members: Sequence[int]) -> None:
    """Refuse an archive whose members, of these sizes, are far larger than the archive."""
    total = sum(members)
    require(
        len(members) <= MOST_MEMBERS and total <= GROWTH * packed + ALWAYS,
        f"model {name} is refused: its {len(members)} members would grow from "
        f"{format_bytes(packed)} to {format_bytes(total)}",
    )
    require_memory(f"model {name}", total)


def check_batch(name: str, declared: Declared, given: Sequence[int]) -> None:
    """Refuse a batch of another shape in one sentence, where the runtime would use many."""
    fits = len(declared) == len(given) and all(
        want is None or want == have for want, have in zip(declared, given, strict=True)
    )
    wanted = " x ".join("any" if want is None else str(want) for want in declared)
    fixed = bool(declared) and declared[0] is not None and tuple(given[1:]) == declared[1:]
    hint = channels_hint(given)
    if fixed:
        hint = (
            "; save it again with a batch of any length (dynamic_shapes or dynamic_axes in torch's "
            f"exports), or use its own: --batch-size {declared[0]}"
        )
    require(fits, f"model {name} takes batches of {wanted}, got {tuple(given)}{hint}")


def channels_hint(given: Sequence[int]) -> str:
    """Say what to do about a batch of images whose channels seem to come last; else ""."""
    colours = (1, 3, 4)
    last = len(given) == IMAGES and given[-1] in colours and given[1] not in colours
    return "; the channels seem to come last: give N x C x H x W" if last else ""


def explain_uncallable(classifier: object) -> str:
    """Say why an object is no classifier, and what to give instead; "" if it can be called."""
    if callable(classifier):
        return ""
    instead = ""
    if hasattr(classifier, "predict_proba"):
        instead = ": give its predict_proba, whose outputs are probabilities"
    elif isinstance(classifier, Mapping):
        instead = ": weights alone are no network, load them into one"
    elif isinstance(classifier, (str, Path)):
        instead = ": a file is opened by sc.models.load_model(...).classifier"
    got = _describe_object(classifier)
    return f"must be a torch module or a function of a batch, got {got}{instead}"


def _describe_object(classifier: object) -> str:
    """Describe an object by its type, and a text or number as it is."""
    plain = isinstance(classifier, (str, int, float))
    return f"{classifier!r:.60}" if plain else type(classifier).__name__


def is_module(classifier: object) -> bool:
    """Return whether it is a torch module; if torch is not loaded, nothing is."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(classifier, torch.nn.Module)
