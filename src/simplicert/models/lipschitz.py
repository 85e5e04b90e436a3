"""Prove a Lipschitz constant of a network's softmax scores, l2 -> l2, from its layers.

If the logits f move by at most A |x - y|, every softmax score moves by at most sqrt(2)/4 A |x - y|:
the gradient of s_j by the logits is s_j (e_j - s), whose squared length s_j^2 ((1 - s_j)^2 + sum
over i != j of s_i^2) is at most 2 s_j^2 (1 - s_j)^2 <= 2/16. A mean over noise that does not depend
on the input keeps the constant, so the mechanism `lipschitz` may divide by it.

A network whose layers do not run in a row is traced (torch.fx), and every step of its graph must be
in the table of `graph_bounds`. Tracing runs the network's own code once and cannot see everything
(a tensor changed in place under another name, code that asks what it is given), so the graph is
compared with the network at random inputs of both signs, in two batches: a bound that depends on
the number of rows is none. As for a sensitivity, the bound is for the network in exact arithmetic.
"""

import operator
from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, Context
from typing import Any

import numpy as np
import torch
from torch import fx, nn

from simplicert.errors import InvalidInput, SimplicertError, require
from simplicert.models.graph_bounds import bound_graph
from simplicert.models.layer_bounds import LAYERS, Shape
from simplicert.models.layers import AtLayer
from simplicert.models.model import Model
from simplicert.models.modules import Normalised
from simplicert.models.operator_norms import round_up
from simplicert.models.sensitivity import bound_layer, is_sequential, is_unmodified

SOFTMAX = float(np.nextafter(np.sqrt(2) / 4, 1.0))  # slope of a softmax score, in logits

# A constant is rounded up to so many digits after room was left: a proof on another machine may
# differ by its own rounding, and a verifier there accepts no constant below the one it proves.
DIGITS, ROOM = Context(prec=9, rounding=ROUND_CEILING), 1e-9

LEAST = 1e-100  # less is the rounding of a network that is constant

ROWS, SEED = (2, 3), 20  # of the batches that a graph is compared at; one row hides broadcasting
CLOSE = 1e-4  # relative: far above rounding, far below another function


def lipschitz_constant(model: Any, input_shape: Sequence[int] | None = None) -> float:
    """See `simplicert.models.lipschitz_constant`."""
    return float(DIGITS.create_decimal(prove_constant(model, input_shape) * (1 + ROOM)))


def prove_constant(model: Any, input_shape: Sequence[int] | None = None) -> float:
    """Return the constant as it is proved here, before it is rounded up for the record."""
    network: Any = model.classifier if isinstance(model, Model) else model
    require(
        isinstance(network, nn.Module) and not isinstance(network, AtLayer),
        "model must be a torch module that starts at the input for a Lipschitz constant, got "
        f"{type(network).__name__}",
    )
    shape = None if input_shape is None else tuple(int(n) for n in input_shape)
    try:
        _refuse_unfit_network(network)
        logits, _ = bound_layer(network, shape, type(network).__name__, _bound_traced)
    except SimplicertError as error:
        raise InvalidInput(
            f"model must have a Lipschitz constant that is proved: {error}"
        ) from None
    constant = float(round_up(SOFTMAX * logits))
    require(
        LEAST < constant < float("inf"),
        f"model must have a Lipschitz constant that is positive and finite, got {constant:g}",
    )
    return constant


def describe_proof(constant: float) -> str:
    """Say how the constant of the scores was proved, for the record of a run."""
    return (
        f"sqrt(2)/4 of softmax times {constant / SOFTMAX:.6g} of the logits, a product and sum of "
        "operator norms that are each bounded from above, normalisation included"
    )


def _refuse_unfit_network(network: nn.Module) -> None:
    """Refuse weights in half precision, and modules that do more than their class says."""
    for name, values in network.state_dict().items():
        fits = not values.is_floating_point() or values.dtype in (torch.float32, torch.float64)
        require(fits, f"weights must be in single or double precision, and {name} is not")
    for name, part in network.named_modules():
        require(is_unmodified(part), f"layers must do what they say, and {name or 'it'} has hooks")


def _step_in_place(function: Callable[[Any, Any], Any]) -> Callable[["_Traced", Any], fx.Proxy]:
    """Make `a += b` a step of its own; torch.fx takes it for `a = a + b`."""

    def step(left: "_Traced", right: Any) -> fx.Proxy:
        return left.tracer.create_proxy("call_function", function, (left, right), {})

    return step


class _Traced(fx.Proxy):
    """A traced tensor that is on the processor, for code that asks, and may change in place."""

    __iadd__ = _step_in_place(operator.iadd)
    __isub__ = _step_in_place(operator.isub)
    __imul__ = _step_in_place(operator.imul)
    __itruediv__ = _step_in_place(operator.itruediv)

    @property
    def device(self) -> torch.device:
        """Return where the graph is computed."""
        return torch.device("cpu")


class _LayerTracer(fx.Tracer):
    """Keeps every layer whole that `bound_layer` knows how to bound."""

    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
        """Return whether the layer is one step of the graph."""
        return type(m) in LAYERS or type(m) is Normalised or is_sequential(m)

    def proxy(self, node: fx.Node) -> fx.Proxy:
        """Return what stands for a tensor while the code is run."""
        return _Traced(node, self)


def _bound_traced(network: nn.Module, shape: Shape, name: str) -> float:
    """Bound a network that is no row of layers by its graph."""
    require(
        type(network).__module__.partition(".")[0] != "torch",
        f"layers must be ones whose bound is known, and {name} is none of "
        f"{', '.join(kind.__name__ for kind in LAYERS)}",
    )
    # Code may ask for the mode, and what is sampled is always in eval mode.
    training = any(part.training for part in network.modules())
    require(not training, f"steps must be those of eval mode, and {name} is training")
    require(shape is not None, f"input_shape must be given: {name} is not a row of layers")
    assert shape is not None
    try:
        graph = _LayerTracer().trace(network)
    except SimplicertError:
        raise
    except Exception as error:  # the network's own code may raise anything
        words = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise InvalidInput(
            f"its steps must not depend on its numbers, and {name} cannot be traced: {words:.120}"
        ) from None
    bounds = set()
    for rows in ROWS:
        batch = _random_batch(network, (rows, *shape))
        with torch.no_grad():
            bound, traced = bound_graph(network, graph, batch, _bound_part)
            wanted = network(batch.clone())
        _require_same_outputs(name, traced, wanted)
        bounds.add(bound)
    require(len(bounds) == 1, f"steps must not count the rows of a batch, and those of {name} do")
    return bounds.pop()


def _bound_part(layer: nn.Module, shape: Shape, name: str) -> float:
    """Bound one layer of a graph, which may be a row of layers or another graph."""
    return bound_layer(layer, shape, name, _bound_traced)[0]


def _random_batch(network: nn.Module, shape: tuple[int, ...]) -> torch.Tensor:
    """Return random numbers, always the same, in the network's precision and place."""
    weights = next((p for p in network.parameters() if p.is_floating_point()), torch.zeros(1))
    generator = torch.Generator().manual_seed(SEED)
    batch = torch.randn(shape, generator=generator, dtype=torch.float64)
    return batch.to(device=weights.device, dtype=weights.dtype)


def _require_same_outputs(name: str, traced: torch.Tensor, wanted: Any) -> None:
    """Refuse a graph that does not compute what the network does."""
    same = (
        isinstance(wanted, torch.Tensor)
        and wanted.shape == traced.shape
        and bool(torch.isfinite(wanted).all())
        and bool((wanted - traced).abs().max() <= CLOSE * (wanted.abs().max() + 1e-30))
    )
    require(same, f"its steps must be what it computes, and those traced of {name} are not")
