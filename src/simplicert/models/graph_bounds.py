"""Bound a network's traced graph, step by step: how far each value moves when the input moves by 1.

A value that does not depend on the input has the bound 0. A step that is not in the tables is
refused. The graph is also computed, on a batch of two rows, since some bounds depend on shapes.
"""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, fx, nn
from torch.fx.node import map_aggregate, map_arg
from torch.nn import functional

from simplicert.errors import InvalidInput, require
from simplicert.models.layer_bounds import LAYERS, Shape, finite_values
from simplicert.models.operator_norms import round_up


@dataclass(frozen=True, eq=False)
class Moved:
    """A tensor of the graph, and how far it moves at most, in l2 over all its entries."""

    value: Tensor
    bound: float


def bound_graph(
    network: nn.Module,
    graph: fx.Graph,
    batch: Tensor,
    bound_part: Callable[[nn.Module, Shape, str], float],
) -> tuple[float, Tensor]:
    """Return the bound of the graph's output, and the output for this batch."""
    held: dict[fx.Node, Any] = {}
    for node in graph.nodes:
        args, kwargs = (map_arg(part, held.__getitem__) for part in (node.args, node.kwargs))
        if node.op == "placeholder":
            require(not held, "a model must take one batch of inputs, and this takes more")
            held[node] = Moved(batch, 1.0)
        elif node.op == "get_attr":
            held[node] = Moved(_find_attribute(network, node.target), 0.0)
        elif node.op == "call_module":
            held[node] = _run_layer(network, node.target, args, kwargs, bound_part)
        elif node.op == "output":
            out = args[0]
            require(isinstance(out, Moved), f"a model must put out one tensor, got {type(out)}")
            return out.bound, out.value
        else:
            if node.target in IN_PLACE:
                _require_last_use(network, node)
            held[node] = _run_step(node, args, kwargs)
        _require_rows(node, held[node], len(batch))
    raise InvalidInput("a model must put out one tensor, and this puts out none")


def _require_rows(node: fx.Node, found: Any, rows: int) -> None:
    """Refuse a step that mixes the rows of a batch: its bound would depend on how many there are.

    A number read as another type, by its bits, is none of the tables' steps either.
    """
    if isinstance(found, Moved) and found.bound > 0:
        whole = found.value.ndim > 0 and len(found.value) == rows
        floats = found.value.dtype in (torch.float32, torch.float64)
        require(whole and floats, f"steps must keep the rows of a batch apart, and {node} does not")


def _require_last_use(network: nn.Module, node: fx.Node) -> None:
    """Refuse a tensor that is changed in place and used afterwards, under whatever name."""
    before = list(node.graph.nodes)
    past = set(before[before.index(node) + 1 :])
    origin = _find_origin(network, node.args[0])
    aliases = [one for one in before if one not in past and _find_origin(network, one) is origin]
    own = isinstance(origin, fx.Node) and origin.op not in ("placeholder", "get_attr")
    late = any(user in past for one in aliases if one is not node for user in one.users)
    require(
        own and not late,
        f"steps must change no tensor in place that is used again, and {node} does",
    )


def _find_origin(network: nn.Module, node: Any) -> Any:
    """Return the first step whose memory a step may share: all but a few may return their input."""
    while isinstance(node, fx.Node) and node.args and isinstance(node.args[0], fx.Node):
        target = node.target
        layer = network.get_submodule(str(target)) if node.op == "call_module" else None
        if target in NEW or type(layer) in NEW:
            break
        node = node.args[0]
    return node


def _find_attribute(network: nn.Module, name: str) -> Tensor:
    """Return a parameter or buffer by its name in the network."""
    value: Any = network
    for part in name.split("."):
        value = getattr(value, part)
    finite_values(value)  # refuses NaN
    tensor: Tensor = value.detach()
    return tensor


def _run_layer(
    network: nn.Module,
    target: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    bound_part: Callable[[nn.Module, Shape, str], float],
) -> Moved:
    """Run one layer, of one argument."""
    layer = network.get_submodule(target)
    name = f"{target} ({type(layer).__name__})"
    alone = len(args) == 1 and not kwargs and isinstance(args[0], Moved)
    require(alone, f"layers must take one tensor, and {name} is given {len(args) + len(kwargs)}")
    x = args[0]
    bound = bound_part(layer, tuple(x.value.shape[1:]), name)
    # A layer that works in place changes its input under its old name, whose bound stays.
    require(
        bound <= 1 or not getattr(layer, "inplace", False),
        f"layers must not make their own input steeper in place, and {name} does",
    )
    return Moved(layer(x.value.clone()), float(round_up(bound * x.bound)) if x.bound else 0.0)


def _run_step(node: fx.Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run one function or method, and bound what it returns."""
    target = node.target
    name = target if isinstance(target, str) else getattr(target, "__name__", str(target))
    moved = [a for a in (*args, *kwargs.values()) if isinstance(a, Moved)]
    if target is getattr and args[1:] == ("shape",) and moved:
        return args[0].value.shape
    if target in ("size", "dim") and moved:
        return getattr(args[0].value, str(target))(*args[1:], **kwargs)
    if target is operator.getitem and not moved:
        return args[0][args[1]]
    table: dict[Any, Rule] = METHODS if node.op == "call_method" else FUNCTIONS
    rule = table.get(target)
    if rule is None:
        raise InvalidInput(
            f"steps must be ones whose bound is known, and {name} is none of "
            f"{', '.join(sorted({_say_step(step) for step in (*METHODS, *FUNCTIONS)}))}"
        )
    # The rules look at the arguments alone: a tensor by keyword would not count.
    named = [key for key, a in kwargs.items() if _holds_moved(a)]
    require(not named, f"steps must take tensors without a keyword, and {name} has {named}")
    plain = map_aggregate((args, kwargs), lambda a: a.value.clone() if isinstance(a, Moved) else a)
    if node.op == "call_method":
        value = getattr(plain[0][0], str(target))(*plain[0][1:], **plain[1])
    else:
        assert callable(target)
        value = target(*plain[0], **plain[1])
    require(isinstance(value, Tensor), f"steps must return one tensor, and {name} does not")
    bound = rule(name, value, args, kwargs)
    return Moved(value, float(round_up(bound)) if bound else 0.0)


Rule = Callable[[str, Tensor, tuple[Any, ...], dict[str, Any]], float]


def _say_step(target: Any) -> str:
    """Return the name under which a step is known."""
    return (
        target if isinstance(target, str) else str(getattr(target, "__name__", target)).strip("_")
    )


def _first(name: str, args: tuple[Any, ...]) -> Moved:
    """Return the only tensor of a step, its first argument."""
    others = [a for a in args[1:] if isinstance(a, Moved | list | tuple) and _holds_moved(a)]
    fits = bool(args) and isinstance(args[0], Moved) and not others
    require(fits, f"steps must take one tensor, as their first argument, and {name} does not")
    found: Moved = args[0]
    return found


def _holds_moved(value: Any) -> bool:
    """Return whether a value is a tensor of the graph or holds one."""
    return isinstance(value, Moved) or (
        isinstance(value, list | tuple) and any(map(_holds_moved, value))
    )


def _keep_length(slope: float) -> Rule:
    """Bound a function of each number by its largest slope; a move of numbers has 1."""

    def rule(name: str, out: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any]) -> float:
        x = _first(name, args)
        require(out.numel() == x.value.numel(), f"steps must repeat no number, and {name} does")
        require(out.dtype == x.value.dtype, f"steps must keep their precision, unlike {name}")
        return slope * x.bound

    return rule


def _sum_bounds(name: str, out: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any]) -> float:
    """Bound a sum or difference by the sum of the bounds; nothing that moves is repeated."""
    require(not kwargs and len(args) == 2, f"steps must be plain, and {name} has a factor")  # noqa: PLR2004
    moving = [a for a in args if isinstance(a, Moved) and a.bound > 0]
    whole = all(a.value.shape == out.shape for a in moving)
    require(whole, f"steps must repeat no number, and {name} does")
    return sum(a.bound for a in moving) * (1 + 1e-15)


def _product_bound(name: str, out: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any]) -> float:
    """Bound the product of a tensor that moves and one that does not, or a number."""
    require(not kwargs and len(args) == 2, f"steps must be plain, and {name} is not")  # noqa: PLR2004
    moving = [a for a in args if isinstance(a, Moved) and a.bound > 0]
    require(len(moving) <= 1, f"factors must not both depend on the input, and those of {name} do")
    if not moving:
        return 0.0
    require(moving[0].value.shape == out.shape, f"steps must repeat no number, and {name} does")
    return moving[0].bound * _largest(next(a for a in args if a is not moving[0]), np.max)


def _quotient_bound(name: str, out: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any]) -> float:
    """Bound the division of a tensor by something that does not move and is not 0."""
    require(not kwargs and len(args) == 2, f"steps must be plain, and {name} is not")  # noqa: PLR2004
    x, divisor = args
    fixed = not isinstance(divisor, Moved) or divisor.bound == 0
    require(isinstance(x, Moved) and fixed, f"divisors must be fixed, and that of {name} is not")
    require(x.value.shape == out.shape, f"steps must repeat no number, and {name} does")
    least = _largest(divisor, np.min)
    require(least > 0, f"divisors must not be 0, and that of {name} is")
    return float(round_up(x.bound / least))


def _largest(fixed: Any, choose: Callable[..., Any]) -> float:
    """Return the largest (or smallest) size of a number, or of the entries of a tensor."""
    values = finite_values(fixed.value) if isinstance(fixed, Moved) else np.asarray(fixed, float)
    require(bool(np.isfinite(values).all()), "factors must be finite, got NaN or infinity")
    return float(choose(np.abs(values)))


def _mean_bound(name: str, out: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any]) -> float:
    """Bound a mean over n numbers by 1 / sqrt(n): it is a projection and a shorter vector."""
    x = _first(name, args)
    return float(round_up(x.bound / np.sqrt(x.value.numel() // max(out.numel(), 1))))


def _join_bound(name: str, out: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any]) -> float:
    """Bound tensors side by side: the squares of their changes add up."""
    parts = args[0] if args else ()
    fits = isinstance(parts, list | tuple) and all(isinstance(a, Moved) for a in parts)
    require(fits and len(parts) > 0, f"steps must take a list of tensors, and {name} does not")
    return float(np.sqrt(sum(round_up(a.bound**2) for a in parts)) * (1 + 1e-15))


def _by_layer(kind: type[nn.Module]) -> Rule:
    """Bound a function by the layer that does the same."""

    def rule(name: str, out: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any]) -> float:
        x = _first(name, args)
        layer = kind(*args[1:], **kwargs).eval()
        return LAYERS[kind](layer, tuple(x.value.shape[1:]), name) * x.bound

    return rule


IN_PLACE: dict[Any, Rule] = {
    **dict.fromkeys((operator.iadd, operator.isub), _sum_bounds),
    operator.imul: _product_bound,
    operator.itruediv: _quotient_bound,
}

# What always returns a tensor of its own.
NEW: set[Any] = {operator.add, operator.sub, operator.mul, operator.truediv, torch.cat, torch.mean}
NEW |= {nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d}

METHODS: dict[Any, Rule] = {
    **dict.fromkeys(("flatten", "view", "reshape", "contiguous", "squeeze"), _keep_length(1.0)),
    **dict.fromkeys(("relu", "tanh"), _keep_length(1.0)),
    "sigmoid": _keep_length(0.25),
    "mean": _mean_bound,
}

FUNCTIONS: dict[Any, Rule] = {
    **IN_PLACE,
    **dict.fromkeys((torch.flatten, torch.reshape, torch.squeeze), _keep_length(1.0)),
    **dict.fromkeys((torch.relu, functional.relu, torch.tanh), _keep_length(1.0)),
    torch.sigmoid: _keep_length(0.25),
    **dict.fromkeys((operator.add, operator.sub, torch.add, torch.sub), _sum_bounds),
    **dict.fromkeys((operator.mul, torch.mul), _product_bound),
    **dict.fromkeys((operator.truediv, torch.div), _quotient_bound),
    torch.mean: _mean_bound,
    torch.cat: _join_bound,
    functional.max_pool2d: _by_layer(nn.MaxPool2d),
    functional.avg_pool2d: _by_layer(nn.AvgPool2d),
    functional.adaptive_avg_pool2d: _by_layer(nn.AdaptiveAvgPool2d),
}
