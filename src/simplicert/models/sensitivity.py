"""Bound the sensitivity of a first stage: its Lipschitz constant, l2 -> l2, from above.

Noise may be added after a first stage f of a network. If |f(x) - f(y)| <= L |x - y|, a radius at
the noise divided by L is a radius at the input. L is a product over layers, each with a proven
bound: exact up to rounding if the layer is a matrix, an average over windows, or a convolution
whose windows do not overlap. The bound is for the stage in exact arithmetic, just as a certificate
is for the classifier in exact arithmetic. A layer that is not in the table is refused.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import nn

from simplicert.errors import InvalidInput, require
from simplicert.models.layer_bounds import LAYERS, Shape, bound_division, finite_values
from simplicert.models.layers import AtLayer
from simplicert.models.modules import Normalised
from simplicert.models.operator_norms import matrix_norm, round_up

MATRIX = 2  # axes of a matrix

Bounder = Callable[[nn.Module, Shape, str], float]


def sensitivity_of(stage: Any, input_shape: Sequence[int] | None = None) -> float:
    """See `simplicert.models.sensitivity_of`."""
    if isinstance(stage, AtLayer):
        return _sensitivity_at_layer(stage, input_shape)
    if isinstance(stage, nn.Module):
        shape = None if input_shape is None else tuple(int(n) for n in input_shape)
        bound, _ = bound_layer(stage, shape, type(stage).__name__)
    else:
        bound = _matrix_sensitivity("stage", stage)
    require(bound > 0, "stage must not be constant, and its sensitivity is 0")
    return bound


def _matrix_sensitivity(name: str, values: Any) -> float:
    """Return the norm of an array of two axes."""
    if isinstance(values, torch.Tensor):
        values = finite_values(values)
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        array = np.array(None)
    wide = array.dtype.itemsize > np.dtype(float).itemsize
    require(
        array.dtype.kind in "biuf" and not wide,
        f"{name} must be a torch module or a matrix of real numbers in double precision or less, "
        f"got {type(values).__name__}",
    )
    matrix = array.astype(float)
    require(
        matrix.ndim == MATRIX and matrix.size > 0,
        f"{name} must be a torch module or a matrix, got an array of shape {matrix.shape}",
    )
    require(bool(np.isfinite(matrix).all()), f"{name} must be finite, got NaN or infinity")
    return matrix_norm(matrix)


def _sensitivity_at_layer(rest: AtLayer, input_shape: Sequence[int] | None) -> float:
    """Bound all that comes before the noise at a layer, that layer included."""
    example = rest.example
    if input_shape is None and isinstance(example, torch.Tensor):
        input_shape = tuple(example.shape[1:])
    return sensitivity_of(_first_layers(rest.network, rest.layer), input_shape)


def _first_layers(network: nn.Module, layer: str) -> nn.Sequential:
    """Return the layers up to this one in the order they run; they must all be in a row."""
    name, _, inner = layer.partition(".")
    if type(network) is Normalised and name == "classifier":
        first = Normalised(nn.Identity(), network.mean.tolist(), network.std.tolist())
        before: list[nn.Module] = [first.eval()]
    else:
        require(
            is_sequential(network),
            f"network must run its layers in a row up to {layer} (torch.nn.Sequential) for its "
            f"sensitivity to be known, and {type(network).__name__} may not: give a bound that you "
            "can prove instead",
        )
        names = list(network._modules)
        parts = list(network._modules.values())[: names.index(name)]
        before = [part for part in parts if part is not None]
    last = network.get_submodule(name)
    return nn.Sequential(*before, _first_layers(last, inner) if inner else last)


def is_sequential(layer: nn.Module) -> bool:
    """Return whether it does nothing but run its parts one after another."""
    names = ("forward", "__call__", "__iter__")
    own = [getattr(type(layer), name, None) for name in names]
    return own == [getattr(nn.Sequential, name) for name in names] and is_unmodified(layer)


def is_unmodified(layer: nn.Module) -> bool:
    """Return whether it does what its class says: no hooks, no function in place of its own."""
    return not (layer._forward_hooks or layer._forward_pre_hooks or "forward" in vars(layer))


def refuse_layer(layer: nn.Module, shape: Shape, name: str) -> float:
    """Refuse a layer that is not in the table."""
    raise InvalidInput(
        f"stage must be made of layers whose sensitivity is known, and {name} is none of "
        f"{', '.join(kind.__name__ for kind in LAYERS)}: give a bound you can prove instead"
    )


def bound_layer(
    layer: nn.Module, shape: Shape, name: str, otherwise: Bounder = refuse_layer
) -> tuple[float, Shape]:
    """Return the bound of one layer, and the shape of its output.

    `otherwise` bounds, or refuses, a layer that is neither in the table nor a row of layers.
    """
    require(
        is_unmodified(layer),
        f"stage must do what its layers say, and {name} has hooks or a function of its own",
    )
    if is_sequential(layer):
        product = 1.0
        for place, part in layer._modules.items():  # one layer may occur twice
            assert part is not None
            bound, shape = bound_layer(part, shape, f"{place} ({type(part).__name__})", otherwise)
            product = float(round_up(product * bound))
        return product, shape
    if type(layer) is Normalised:
        least = float(np.abs(finite_values(layer.std)).min())
        require(least > 0, f"stage must not divide by 0, and {name} does")
        bound = float(round_up(1 / least))
        name = type(layer.classifier).__name__
        rest, shape = bound_layer(layer.classifier, shape, name, otherwise)
        return float(round_up(bound * rest)), shape
    known = {_torchvision_normalise(layer): bound_division} | LAYERS
    bound = known.get(type(layer), otherwise)(layer, shape, name)
    return bound, None if shape is None else _output_shape(layer, shape, name)


def _output_shape(layer: nn.Module, shape: tuple[int, ...], name: str) -> tuple[int, ...]:
    """Return the shape of a layer's output for inputs of this shape."""
    weights = next(layer.parameters(), next(layer.buffers(), torch.zeros(1)))
    kind = weights.dtype if weights.dtype.is_floating_point else torch.float32
    try:
        with torch.inference_mode():
            outputs = layer(torch.zeros((1, *shape), dtype=kind, device=weights.device))
    except RuntimeError as error:
        words = str(error).strip().splitlines() or [type(error).__name__]
        raise InvalidInput(
            f"input_shape must fit the stage, and {name} cannot take {shape}: {words[0]}"
        ) from None
    return tuple(outputs.shape[1:])


def _torchvision_normalise(layer: nn.Module) -> type | None:
    """Return the layer's class if it is torchvision's Normalize, else None."""
    kind = type(layer)
    theirs = kind.__module__.startswith("torchvision.") and kind.__name__ == "Normalize"
    return kind if theirs else None
