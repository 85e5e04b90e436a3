"""Load the classifier to smooth, by its name: `load_model("zoo:NAME")`.

To add a form of model, write its file and add its row to the tables below.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simplicert.errors import InvalidInput, require
from simplicert.importing import USER, Trust, import_library
from simplicert.models import (
    composition,
    exported,
    huggingface,
    onnx,
    timm,
    torchscript,
    trained,
    weights,
)
from simplicert.models.live import live_fingerprint
from simplicert.models.model import (
    Model,
    explain_uncallable,
    load_function,
    refuse_pickles,
)
from simplicert.models.normalisation import apply_normalisation, normalised_fingerprint
from simplicert.models.weights import save_weights

if TYPE_CHECKING:
    from torch import nn

    from simplicert.models.layers import AtLayer

__all__ = [
    "Model",
    "at_layer",
    "denoised",
    "diffusion_denoiser",
    "lipschitz_constant",
    "load_model",
    "save_weights",
    "sensitivity_of",
]

Loader = Callable[[str, Trust], Model]

PREFIXES: dict[str, Loader] = {
    "denoised": composition.load_denoised,
    "hf": huggingface.load_hf_model,
    "timm": timm.load_timm,
    "zoo": trained.load_zoo,
}

SUFFIXES: dict[str, Loader] = {
    ".pt2": exported.load_exported,
    ".onnx": onnx.load_onnx,
    ".ts": torchscript.load_torchscript,
    ".safetensors": weights.load_weights,
}

FORMS = (
    "file.pt2, file.onnx, file.ts, hf:NAME_OR_DIR, timm:NAME, module:function, "
    "ARCH@weights.safetensors, a folder written by train, denoised:FOLDER@MODEL or zoo:NAME"
)


def load_model(
    spec: str,
    *,
    mean: Sequence[float] | None = None,
    std: Sequence[float] | None = None,
    trust: bool = False,
) -> Model:
    """Load the classifier that `spec` names; `mean` and `std` go in front of one that lacks them.

    No pickle is ever opened. `module:function` runs the user's own code. `trust` vouches for a
    model file that could run code of its own: TorchScript, or operations that are not on the list.

    >>> model = load_model("zoo:cifar10-small-0.25")
    >>> model.name, model.sigma
    ('cifar10-small-0.25', 0.25)
    """
    model = load_raw_model(spec, Trust(vouched=trust))
    return model if mean is None and std is None else apply_normalisation(model, mean, std)


def wrap_classifier(
    classifier: Callable[[Any], Any],
    mean: Sequence[float] | None = None,
    std: Sequence[float] | None = None,
) -> Model:
    """Return a classifier that is at hand as a `Model`, named after its class or function."""
    wrong = explain_uncallable(classifier)
    require(not wrong, f"model {wrong}")
    name = getattr(classifier, "__qualname__", type(classifier).__qualname__)
    return apply_normalisation(Model(classifier, name, live_fingerprint(classifier)), mean, std)


def load_named_model(
    spec: str,
    named_by: str,
    fingerprint: str,
    *,
    mean: Sequence[float] | None = None,
    std: Sequence[float] | None = None,
) -> Model:
    """Load the classifier that the file `named_by` names, if it has the fingerprint given there.

    No code is run and nothing is downloaded on a file's word, and a model without the fingerprint
    is never called. Where the fingerprint is of the file's bytes, it is compared before the file is
    opened.
    """

    def check(actual: str) -> None:
        require(
            actual == fingerprint,
            f"the model {spec} that {named_by} names has the fingerprint {actual}, and not "
            f"{fingerprint}",
        )

    path = Path(spec)
    if path.suffix.lower() == ".onnx" and path.is_file():
        check(normalised_fingerprint(onnx.onnx_fingerprint(path), mean, std))
    model = apply_normalisation(load_raw_model(spec, Trust(named_by)), mean, std)
    check(model.fingerprint)
    return model


def load_raw_model(spec: str, trust: Trust = USER) -> Model:
    """Return the model as its loader gives it; `trust` says who named it."""
    require("\0" not in spec, f"model must be {FORMS}, got {spec[:80]!r}")
    prefix, colon, rest = spec.partition(":")
    if colon and prefix in PREFIXES:
        return PREFIXES[prefix](rest, trust)
    if Path(spec).is_dir():
        return trained.load_trained(spec, trust)
    refuse_pickles(spec)
    suffix = Path(spec).suffix.lower()
    if suffix in SUFFIXES:
        return SUFFIXES[suffix](spec, trust)
    if colon and prefix and rest:
        return load_function(spec, trust)
    raise InvalidInput(f"model must be {FORMS}, got {spec!r}")


def denoised(
    denoiser: "nn.Module | str | Path", classifier: "nn.Module | str | Path"
) -> "nn.Module":
    """Put any denoiser in front of any classifier: denoised smoothing.

    Both may be modules at hand. A text or path is, for the denoiser, the folder of
    `simplicert train --method denoiser`, and for the classifier any name of `load_model`.

    >>> from torch import nn, ones
    >>> both = denoised(nn.AvgPool1d(3, stride=1, padding=1), nn.Linear(4, 2))
    >>> both(ones(5, 4)).shape
    torch.Size([5, 2])
    """
    from simplicert.models.denoising import Denoised

    if isinstance(denoiser, str | Path):
        denoiser = composition.read_denoiser(str(denoiser)).module
    if isinstance(classifier, str | Path):
        classifier = composition.require_module(load_model(str(classifier)))
    return Denoised(denoiser, classifier)


def diffusion_denoiser(
    network: "nn.Module", sigma: float, alphas: Sequence[float] | None = None
) -> "nn.Module":
    """Use one step of a diffusion model as a denoiser at this sigma.

    `network(z_t, t)` predicts the noise in an image of [-1, 1]; `alphas` are its schedule, by
    default Ho's linear one. See models/denoising.py.

    >>> from torch import nn, ones
    >>> class Silent(nn.Module):  # takes every image for free of noise
    ...     def forward(self, z_t, t):
    ...         return 0 * z_t
    >>> diffusion_denoiser(Silent(), sigma=0.25)(ones(2, 3, 8, 8)).shape
    torch.Size([2, 3, 8, 8])
    """
    from simplicert.models.denoising import DiffusionStep, linear_alphas

    return DiffusionStep(network, sigma, linear_alphas() if alphas is None else alphas).eval()


def at_layer(network: "nn.Module", layer: str, example: Any) -> "AtLayer":
    """Return the rest of a network behind a layer, for noise on its output; see models/layers.py.

    `features(inputs)` of what is returned are the data to certify. The radius is in the layer's own
    space: for text, of embeddings and not of words. Divided by `sensitivity()` of what is returned,
    as `certify(known, sensitivity=...)` does, a radius in l2 is one of the network's input.

    >>> from torch import nn, zeros
    >>> rest = at_layer(nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2)), "0", zeros(1, 4))
    >>> rest.features(zeros(5, 4)).shape
    torch.Size([5, 3])
    """
    from simplicert.models.layers import AtLayer

    return AtLayer(network, layer, example)


def sensitivity_of(stage: Any, input_shape: Sequence[int] | None = None) -> float:
    """Return an upper bound of the Lipschitz constant, l2 -> l2, of a stage before the noise.

    `stage`: a matrix; or a torch module of linear layers, average pooling, convolutions,
    normalisation, activations and rows of them; or what `at_layer` returns, for all that comes
    before. Never below the truth: exact up to rounding for a matrix, average pooling and
    convolutions whose windows do not overlap, a few percent above it for other convolutions, and a
    product over a row of layers. An unknown layer is refused. `input_shape` is that of one
    input, without the batch; pooling needs it, and padding by copies. The proofs are in
    models/operator_norms.py and models/layer_bounds.py.

    >>> round(sensitivity_of([[3.0, 0.0], [0.0, 4.0]]), 6)
    4.0
    """
    from simplicert.models.sensitivity import sensitivity_of

    return sensitivity_of(stage, input_shape)


def lipschitz_constant(model: Any, input_shape: Sequence[int] | None = None) -> float:
    """Return an upper bound of the Lipschitz constant of every softmax score of a network, in l2.

    `model` is a torch module that returns logits, in eval mode, or what `load_model` returns; its
    normalisation is part of it. `input_shape` is that of one input, without the batch. Never below
    the truth: sqrt(2)/4 of the softmax times a product over the layers, and a sum where a residual
    joins them. Linear and convolutional layers, pooling, rectifiers, batch normalisation, sums and
    rows of these are bounded; a network with any other layer or step is refused. The mechanism
    `lipschitz` divides by it (docs/lipschitz.md); what comes before the noise is not in it, but in
    the sensitivity. The proofs are in models/lipschitz.py and models/graph_bounds.py.

    >>> from torch import nn, tensor
    >>> network = nn.Linear(2, 2, bias=False)
    >>> network.weight.data = tensor([[3.0, 0.0], [0.0, 4.0]])
    >>> lipschitz_constant(network.eval())  # sqrt(2)/4 times 4, rounded up
    1.41421357
    """
    import_library("torch", "torch", "a Lipschitz constant")
    from simplicert.models.lipschitz import lipschitz_constant

    return lipschitz_constant(model, input_shape)
