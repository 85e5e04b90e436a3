"""The sensitivity of a first stage: an upper bound of its Lipschitz constant, l2 -> l2.

Noise may be added behind a first stage f of a network. If |f(x) - f(y)| <= L |x - y|, a radius at
the noise divided by L is a radius at the input. L is a product over layers, each with a bound that
is proved: exact up to rounding where the layer is a matrix, an average over windows, or a
convolution whose windows do not overlap. It is the bound of the stage in exact arithmetic, as a
certificate is of the classifier. A layer that is not in the table is refused.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import nn

from simplicert.errors import InvalidInput, require
from simplicert.models.layer_bounds import LAYERS, Shape, divided, numbers
from simplicert.models.layers import AtLayer
from simplicert.models.normalised import Normalised
from simplicert.models.operator_norms import matrix_norm, round_up

MATRIX = 2  # axes


def sensitivity_of(stage: Any, input_shape: Sequence[int] | None = None) -> float:
    """See `simplicert.models.sensitivity_of`."""
    if isinstance(stage, AtLayer):
        return of_beginning(stage, input_shape)
    if isinstance(stage, nn.Module):
        shape = None if input_shape is None else tuple(int(n) for n in input_shape)
        found, _ = through(stage, shape, type(stage).__name__)
    else:
        found = of_matrix("stage", stage)
    require(found > 0, "stage must not be constant, and its sensitivity is 0")
    return found


def of_matrix(name: str, values: Any) -> float:
    """The norm of an array of two axes."""
    if isinstance(values, torch.Tensor):
        values = numbers(values)
    try:
        held = np.asarray(values)
    except ValueError:  # rows of different lengths
        held = np.array(None)
    wide = held.dtype.itemsize > np.dtype(float).itemsize
    require(
        held.dtype.kind in "biuf" and not wide,
        f"{name} must be a torch module or a matrix of real numbers in double precision or less, "
        f"got {type(values).__name__}",
    )
    matrix = held.astype(float)
    require(
        matrix.ndim == MATRIX and matrix.size > 0,
        f"{name} must be a torch module or a matrix, got an array of shape {matrix.shape}",
    )
    require(bool(np.isfinite(matrix).all()), f"{name} must be finite, got NaN or infinity")
    return matrix_norm(matrix)


def of_beginning(rest: AtLayer, input_shape: Sequence[int] | None) -> float:
    """Of all that comes before the noise at a layer, that layer included."""
    example = rest.example
    if input_shape is None and isinstance(example, torch.Tensor):
        input_shape = tuple(example.shape[1:])
    return sensitivity_of(beginning(rest.network, rest.layer), input_shape)


def beginning(network: nn.Module, layer: str) -> nn.Sequential:
    """The layers up to this one, in the order in which they run: known where all are in a row."""
    name, _, inner = layer.partition(".")
    if type(network) is Normalised and name == "classifier":
        first = Normalised(nn.Identity(), network.mean.tolist(), network.std.tolist())
        before: list[nn.Module] = [first.eval()]
    else:
        require(
            in_a_row(network),
            f"network must run its layers in a row up to {layer} (torch.nn.Sequential) for its "
            f"sensitivity to be known, and {type(network).__name__} may not: give a bound that you "
            "can prove instead",
        )
        names = list(network._modules)
        parts = list(network._modules.values())[: names.index(name)]
        before = [part for part in parts if part is not None]
    last = network.get_submodule(name)
    return nn.Sequential(*before, beginning(last, inner) if inner else last)


def in_a_row(layer: nn.Module) -> bool:
    """Whether it does nothing but run its parts one after another."""
    names = ("forward", "__call__", "__iter__")
    own = [getattr(type(layer), name, None) for name in names]
    return own == [getattr(nn.Sequential, name) for name in names] and unchanged(layer)


def unchanged(layer: nn.Module) -> bool:
    """Whether it does what its class says: no hooks, no function in place of its own."""
    return not (layer._forward_hooks or layer._forward_pre_hooks or "forward" in vars(layer))


def through(layer: nn.Module, shape: Shape, name: str) -> tuple[float, Shape]:
    """The bound of one layer, and the shape of what it puts out."""
    require(
        unchanged(layer),
        f"stage must do what its layers say, and {name} has hooks or a function of its own",
    )
    if in_a_row(layer):
        found = 1.0
        for place, part in layer._modules.items():  # one layer may come twice
            assert part is not None
            bound, shape = through(part, shape, f"{place} ({type(part).__name__})")
            found = float(round_up(found * bound))
        return found, shape
    if type(layer) is Normalised:
        least = float(np.abs(numbers(layer.std)).min())
        require(least > 0, f"stage must not divide by 0, and {name} does")
        bound = float(round_up(1 / least))
        rest, shape = through(layer.classifier, shape, type(layer.classifier).__name__)
        return float(round_up(bound * rest)), shape
    known = {of_library(layer): divided} | LAYERS
    if type(layer) not in known:
        raise InvalidInput(
            f"stage must be made of layers whose sensitivity is known, and {name} is none of "
            f"{', '.join(kind.__name__ for kind in LAYERS)}: give a bound you can prove instead"
        )
    bound = known[type(layer)](layer, shape, name)
    return bound, None if shape is None else put_out(layer, shape, name)


def put_out(layer: nn.Module, shape: tuple[int, ...], name: str) -> tuple[int, ...]:
    """The shape of what a layer makes of inputs of this one."""
    held = next(layer.parameters(), next(layer.buffers(), torch.zeros(1)))
    kind = held.dtype if held.dtype.is_floating_point else torch.float32
    try:
        with torch.inference_mode():
            outputs = layer(torch.zeros((1, *shape), dtype=kind, device=held.device))
    except RuntimeError as error:
        words = str(error).strip().splitlines() or [type(error).__name__]
        raise InvalidInput(
            f"input_shape must fit the stage, and {name} cannot take {shape}: {words[0]}"
        ) from None
    return tuple(outputs.shape[1:])


def of_library(layer: nn.Module) -> type | None:
    """The class of a normalisation of torchvision's, where that library made the layer."""
    kind = type(layer)
    theirs = kind.__module__.startswith("torchvision.") and kind.__name__ == "Normalize"
    return kind if theirs else None
