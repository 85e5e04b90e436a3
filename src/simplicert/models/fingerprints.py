"""Compute fingerprints of classifiers, from weights and structure or from source code.

For an nn.Module: its class, its printed structure and its state_dict. For a plain function: its
source if Python can find it, otherwise its qualified name. What a function closes over is not
seen; a function or object that holds weights may carry its own text in an attribute
`fingerprint`.
"""

import hashlib
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from simplicert.models.model import is_module

if TYPE_CHECKING:
    from torch import Tensor, nn


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
        module = getattr(classifier, "__module__", kind.__module__)
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
