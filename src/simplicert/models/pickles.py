"""Pickles: refused before anything in them can run.

A pickle is a program that runs while it is read. Files that are pickles by nature are refused by
suffix; files that should be something else are looked into first.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from simplicert.errors import InvalidInput

SUFFIXES = (".pt", ".pth", ".pkl", ".pickle", ".bin", ".ckpt", ".joblib", ".tar")
INSTEAD = "torch.export.save (file.pt2), ONNX or safetensors (ARCH@weights.safetensors)"
FORCE, FORBID = "TORCH_FORCE_WEIGHTS_ONLY_LOAD", "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"


def refuse_pickles(spec: str) -> None:
    """Refuse a model whose suffix says that it was pickled."""
    suffix = Path(spec).suffix.lower()
    if suffix in SUFFIXES:
        script = " TorchScript files need the suffix .ts." if suffix in (".pt", ".pth") else ""
        raise InvalidInput(
            f"model {Path(spec).name} is a pickle by its suffix {suffix}, and pickles are never "
            f"opened, because they can run any code; save it with {INSTEAD}, or write a function "
            f"that builds the model and loads it, and give module:function.{script}"
        )


@contextmanager
def weights_only() -> Iterator[None]:
    """Inside, every torch.load reads tensors and nothing else, also in libraries we call."""
    before = {name: os.environ.get(name) for name in (FORCE, FORBID)}
    os.environ[FORCE] = "1"
    os.environ.pop(FORBID, None)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
