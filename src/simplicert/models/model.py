"""Model: a classifier, its name, and a fingerprint of what it computes.

`load_function` makes one of `module:function`, a function without arguments that returns it.

Also the checks that all loaders share: that a model file is there, is not a pickle and does not
grow when it is unpacked, and that a batch has the shape the file declares. The fingerprint of an
nn.Module is of its class, its printed structure and its state_dict; that of a plain function is of
its source where Python can find it, else of its qualified name. What a function closes over is not
seen; a function or object that holds weights may carry its own text in an attribute `fingerprint`.
"""

import hashlib
import inspect
import re
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from simplicert.errors import InvalidInput, require
from simplicert.importing import USER, Trust, describe_error, import_object, locate_error
from simplicert.machine import format_bytes, require_memory

if TYPE_CHECKING:
    from torch import Tensor, nn


# How pickles are named, and what to write instead of one.
PICKLE_SUFFIXES = (".pt", ".pth", ".pkl", ".pickle", ".bin", ".ckpt", ".joblib", ".tar")
INSTEAD = "torch.export.save (file.pt2), ONNX or safetensors (ARCH@weights.safetensors)"

# torch packs code and no tensors: four times the file plus 64 MiB is already much.
GROWTH, ALWAYS = 4, 2**26

MOST_MEMBERS = 10**5  # of an archive
Declared = tuple[int | None, ...]  # shape of a batch; None: any length
IMAGES = 4  # axes of a batch of images


@dataclass(frozen=True, eq=False)
class Model:
    """A classifier to smooth. The fingerprint is of the function, not of a file's name or place.

    >>> Model(lambda batch: batch, "identity", fingerprint="0123456789abcdef" * 2)
    Model(identity, 01234567)
    """

    classifier: Callable[[Any], Any]  # an nn.Module in eval mode, or a NumPy function
    name: str  # as the user gave it, without the path
    fingerprint: str  # 32 hexadecimal digits
    classes: tuple[str, ...] | None = None  # their names, where the model's maker wrote them down
    sigma: float | None = None  # the noise it was trained under, likewise
    noise: str = "gaussian"  # which noise that was
    pictures: Mapping[str, int] | None = None  # the resize and crop it was trained with, likewise

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


def refuse_pickles(spec: str) -> None:
    """Refuse a model whose suffix says that it was pickled."""
    suffix = Path(spec).suffix.lower()
    if suffix in PICKLE_SUFFIXES:
        script = " TorchScript files need the suffix .ts." if suffix in (".pt", ".pth") else ""
        raise InvalidInput(
            f"model {Path(spec).name} is a pickle by its suffix {suffix}, and pickles are never "
            f"opened, because they can run any code; save it with {INSTEAD}, or write a function "
            f"that builds the model and loads it, and give module:function.{script}"
        )


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


ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")  # where an object lies in memory, new in every process


def digest_parts(*parts: bytes | str | Iterator[bytes]) -> str:
    """Hash the parts, each with its length so that none runs into the next: 32 hex digits."""
    total = hashlib.blake2b(digest_size=16)
    for part in parts:
        pieces = [part.encode() if isinstance(part, str) else part]
        for piece in part if isinstance(part, Iterator) else pieces:
            assert isinstance(piece, bytes)
            total.update(len(piece).to_bytes(8, "little"))
            total.update(piece)
    return total.hexdigest()


def classifier_fingerprint(classifier: Callable[[Any], Any]) -> str:
    """Return the fingerprint of a module or function that came without a file."""
    own = getattr(classifier, "fingerprint", None)
    if isinstance(own, str):
        return digest_parts("own", own)
    if is_module(classifier):
        return module_fingerprint(classifier)  # type: ignore[arg-type]
    try:
        return digest_parts("source", inspect.getsource(classifier))
    except (OSError, TypeError):  # no source: built in, typed at a prompt, or an object
        kind = type(classifier)
        module = getattr(classifier, "__module__", None) or kind.__module__
        return digest_parts("name", module, getattr(classifier, "__qualname__", kind.__qualname__))


def module_fingerprint(module: "nn.Module") -> str:
    """Hash the class, the structure as printed, and every tensor of the state_dict."""
    structure = ADDRESS.sub("", repr(module))
    return digest_parts(
        "module", type(module).__qualname__, structure, tensor_bytes(module.state_dict())
    )


def tensor_bytes(state: Mapping[str, "Tensor"]) -> Iterator[bytes]:
    """Yield name, type, shape and bytes of each tensor, sorted by name whatever their order was."""
    import torch

    for name in sorted(state):
        tensor = state[name].detach().cpu().contiguous()
        yield f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode()
        yield tensor.reshape(-1).view(torch.uint8).numpy().tobytes()


def load_function(spec: str, trust: Trust = USER) -> Model:
    """Load the classifier that the function returns; a torch module is put in eval mode."""
    function = _import_model_function(spec, trust)
    try:
        classifier = function()
    except Exception as error:  # the user's own code may raise anything
        raise InvalidInput(
            f"model {spec} failed when it was called: {describe_error(error)}"
            f"{locate_error(error, function)}"
        ) from error
    wrong = explain_uncallable(classifier)
    require(not wrong, f"model {spec} must return a classifier, which {wrong}")
    if is_module(classifier):
        classifier.eval()
    return Model(classifier, spec, classifier_fingerprint(classifier))


def _import_model_function(spec: str, trust: Trust) -> Callable[[], Any]:
    """Import the function by its module and name, and check that it needs no arguments."""
    module, _, name = spec.partition(":")
    function = import_object("model", spec, trust)
    require(callable(function), f"model {spec} must name a function of {module}, got {name!r}")
    require(
        _takes_no_arguments(function),
        f"model {spec} must name a function without arguments that returns the classifier",
    )
    return cast(Callable[[], Any], function)


def _takes_no_arguments(function: Any) -> bool:
    """Return whether it can be called without arguments; a classifier itself cannot."""
    if is_module(function):
        return False
    try:
        inspect.signature(function).bind()
    except (TypeError, ValueError):  # ValueError: Python does not know its arguments
        return False
    return True
