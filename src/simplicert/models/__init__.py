"""What is smoothed: classifiers by name. To add a form: write its file, add its row."""

from collections.abc import Callable, Sequence
from pathlib import Path

from simplicert.errors import InvalidInput
from simplicert.models import exported, function, huggingface, onnx, timm, torchscript, weights
from simplicert.models.model import Model
from simplicert.models.normalisation import with_normalisation
from simplicert.models.pickles import refuse_pickles
from simplicert.models.weights import save_weights

__all__ = ["Model", "load_model", "save_weights"]

Loader = Callable[[str], Model]

PREFIXES: dict[str, Loader] = {"hf": huggingface.load, "timm": timm.load}
SUFFIXES: dict[str, Loader] = {
    ".pt2": exported.load,
    ".onnx": onnx.load,
    ".ts": torchscript.load,
    ".safetensors": weights.load,
}
FORMS = (
    "file.pt2, file.onnx, file.ts, hf:NAME_OR_DIR, timm:NAME, module:function or "
    "ARCH@weights.safetensors"
)


def load_model(
    spec: str, *, mean: Sequence[float] | None = None, std: Sequence[float] | None = None
) -> Model:
    """The classifier that `spec` names; `mean` and `std` go in front of one that lacks them.

    No pickle is ever opened. `module:function` runs the user's own code, and nothing else does.
    """
    return with_normalisation(found(spec), mean, std)


def found(spec: str) -> Model:
    """The model as its loader gives it."""
    prefix, colon, rest = spec.partition(":")
    if colon and prefix in PREFIXES:
        return PREFIXES[prefix](rest)
    refuse_pickles(spec)
    suffix = Path(spec).suffix.lower()
    if suffix in SUFFIXES:
        return SUFFIXES[suffix](spec)
    if colon and prefix and rest:
        return function.load(spec)
    raise InvalidInput(f"model must be {FORMS}, got {spec!r}")
