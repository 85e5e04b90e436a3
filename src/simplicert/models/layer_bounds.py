"""Bound how much each kind of layer can stretch a difference, l2 -> l2, with proofs."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np
import torch
from torch import nn

from simplicert.errors import require
from simplicert.models.operator_norms import convolution_norm, matrix_norm, round_up, window_matrix
from simplicert.models.unit_layers import LEAST, MaxMin, RescaledLinear, Scale
from simplicert.types import Floats

Shape = tuple[int, ...] | None  # of one input without the batch, or unknown

AVERAGES: dict[type, int] = {
    nn.AvgPool1d: 1,
    nn.AvgPool2d: 2,
    nn.AvgPool3d: 3,
    nn.AdaptiveAvgPool1d: 1,
    nn.AdaptiveAvgPool2d: 2,
    nn.AdaptiveAvgPool3d: 3,
}

MAXIMA: dict[type, int] = {nn.MaxPool1d: 1, nn.MaxPool2d: 2, nn.MaxPool3d: 3}

PADDINGS: dict[str, Any] = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def _bound_linear(layer: Any, shape: Shape, name: str) -> float:
    """Return the largest singular value of the weights; it is the same for every position."""
    return matrix_norm(finite_values(layer.weight))


def _bound_average_pooling(layer: Any, shape: Shape, name: str) -> float:
    """Bound averages over windows exactly: a matrix along each axis, and their tensor product.

    The norm of a tensor product is the product of the norms. Windows that do not overlap have rows
    that do not overlap: k x k gives 1 / k. At an edge, windows may have fewer places to divide by.
    """
    axes = AVERAGES[type(layer)]
    lengths = _require_shape(shape, name)[-axes:]
    kernel, step, pad = (
        _values_per_axis(getattr(layer, key), axes) for key in ("kernel_size", "stride", "padding")
    )
    override = getattr(layer, "divisor_override", None)
    bound = 1.0 if override is None else 1 / abs(override)
    for length, k, s, p in zip(lengths, kernel, step, pad, strict=True):
        windows = _place_windows(length, k, s, p, up=layer.ceil_mode)
        require(
            bool(windows), f"input_shape must fit the stage, and {name} has no window in {shape}"
        )
        inside = [min(past, length) - max(first, 0) for first, past in windows]
        wide = [past - first for first, past in windows]
        counted = wide if layer.count_include_pad else inside
        divisors = counted if override is None else [1] * len(windows)
        bound = float(round_up(bound * matrix_norm(window_matrix(length, windows, divisors))))
    return bound


def _bound_adaptive_pooling(layer: Any, shape: Shape, name: str) -> float:
    """Do the same for m windows over n places, the i-th [floor(i n / m), ceil((i + 1) n / m))."""
    axes = AVERAGES[type(layer)]
    lengths = _require_shape(shape, name)[-axes:]
    wanted = layer.output_size
    wanted = wanted if isinstance(wanted, (tuple, list)) else (wanted,) * axes
    bound = 1.0
    for length, size in zip(lengths, wanted, strict=True):
        m = length if size is None else size
        windows = [(i * length // m, -(-(i + 1) * length // m)) for i in range(m)]
        divisors = [past - first for first, past in windows]
        bound = float(round_up(bound * matrix_norm(window_matrix(length, windows, divisors))))
    return bound


def _bound_max_pooling(layer: Any, shape: Shape, name: str) -> float:
    """Return the root of the most windows that a place is in: at most ceil(k / s) along an axis.

    A largest value moves by no more than the entry of its window that moves most; summed over the
    windows, the square of a place's change counts once for each window that it is in. A dilated
    window may meet a place once for each of its k entries.
    """
    require(
        not layer.return_indices, f"stage must put out numbers alone, and {name} adds their places"
    )
    axes = MAXIMA[type(layer)]
    kernel, dilation = (
        _values_per_axis(getattr(layer, key), axes) for key in ("kernel_size", "dilation")
    )
    step = _values_per_axis(layer.stride, axes)  # torch puts the kernel's size where none is given
    most = [k if d > 1 else -(-k // s) for k, s, d in zip(kernel, step, dilation, strict=True)]
    return float(round_up(np.sqrt(prod(most))))


def _bound_rescaled_linear(layer: Any, shape: Shape, name: str) -> float:
    """Return the norm of W D, computed in double precision with room for its own rounding.

    The columns of W D are at most 1 long; their entries and D err by less than 1e-12 of these, so
    the norm of the error is below 1e-12 times the root of the number of columns.
    """
    weight = finite_values(layer.weight)
    sums = np.maximum(np.abs(weight.T @ weight).sum(axis=0), LEAST)
    return float(round_up(matrix_norm(weight / np.sqrt(sums)) + 1e-12 * np.sqrt(weight.shape[1])))


def _bound_scale(layer: Any, shape: Shape, name: str) -> float:
    """Return the size of the factor, in either precision."""
    return float(round_up(max(abs(layer.factor), abs(float(np.float32(layer.factor))))))


def _bound_convolution(layer: Any, shape: Shape, name: str) -> float:
    """Return the largest `convolution_norm` of the groups, times what padding adds.

    Zeros add nothing. Circular padding of a convolution without stride that keeps the size makes a
    sum of kernel entries times cyclic shifts, whose norm is the largest |F| over some frequencies.
    Any other padding copies places of the input, at most c times each: a factor of the root of c.
    """
    axes = layer.weight.ndim - 2
    weight = finite_values(layer.weight)
    spread = _dilate_kernel(weight, layer.dilation)
    groups = np.split(spread, layer.groups)
    bound = max(convolution_norm(group, layer.stride) for group in groups)
    if layer.padding_mode == "zeros":
        return bound
    reach = [size - 1 for size in spread.shape[2:]]
    # What forward pads with was fixed when the layer was built, last axis first.
    wide = layer._reversed_padding_repeated_twice
    pads = list(zip(wide[0::2], wide[1::2], strict=True))[::-1]
    keeps = [sum(pair) for pair in pads] == reach and prod(layer.stride) == 1
    if layer.padding_mode == "circular" and keeps:
        return bound
    copies = [
        np.bincount(np.pad(np.arange(length), pair, mode=PADDINGS[layer.padding_mode])).max()
        for length, pair in zip(_require_shape(shape, name)[-axes:], pads, strict=True)
    ]
    return float(round_up(bound * np.sqrt(prod(int(c) for c in copies))))


def _bound_batch_norm(layer: Any, shape: Shape, name: str) -> float:
    """Return the largest |weight| / sqrt(variance + eps), as it is in eval mode."""
    _require_eval_mode(layer, shape, name)
    require(
        layer.running_var is not None, f"stage must divide by fixed numbers, and {name} does not"
    )
    variance = finite_values(layer.running_var)
    require(
        bool((variance >= 0).all()),
        f"stage must divide by variances of 0 or more, and {name} has {variance.min():.3g}",
    )
    spread = np.sqrt(np.nextafter(variance + layer.eps, 0.0)) * (1 - 1e-15)
    weight = 1.0 if layer.weight is None else np.abs(finite_values(layer.weight))
    return float(round_up(np.max(weight / spread)))


def bound_division(layer: Any, shape: Shape, name: str) -> float:
    """Bound a division by std: 1 / the smallest, in either precision."""
    std = np.atleast_1d(np.asarray(layer.std, dtype=float))
    least = min(float(std.min()), float(std.astype(np.float32).min()))
    require(least > 0, f"stage must divide by positive numbers, and {name} divides by {least}")
    return float(round_up(1 / least))


def _require_eval_mode(layer: nn.Module, shape: Shape, name: str) -> float:
    """Return 1 for a layer that does nothing in eval mode, which is required."""
    require(not layer.training, f"stage must be in eval mode, and {name} is training")
    return 1.0


def _constant_bound(value: float) -> Callable[[Any, Shape, str], float]:
    """Make a constant bound: the largest slope of a function of each number, or 1 for a move."""
    return lambda layer, shape, name: value


def _bound_leaky_relu(layer: Any, shape: Shape, name: str) -> float:
    """Return the steeper slope of the two sides."""
    return float(np.maximum(1.0, abs(layer.negative_slope)))  # NaN stays, and is refused


def finite_values(tensor: torch.Tensor) -> Floats:
    """Return a tensor's values in double precision, which holds them exactly; all are finite."""
    require(not tensor.is_complex(), "stage must have real weights, got complex ones")
    values = tensor.detach().cpu().double().numpy()
    require(bool(np.isfinite(values).all()), "stage must have finite weights, got NaN or infinity")
    return np.asarray(values)


def _require_shape(shape: Shape, name: str) -> tuple[int, ...]:
    """Return the shape, which this layer's bound depends on; refuse None."""
    require(
        shape is not None, f"input_shape must be given: the sensitivity of {name} depends on it"
    )
    assert shape is not None
    return shape


def _values_per_axis(value: Any, axes: int) -> tuple[int, ...]:
    """Return a setting for each axis of a window."""
    return tuple(value) if isinstance(value, (tuple, list)) else (int(value),) * axes


def _place_windows(length: int, k: int, step: int, pad: int, *, up: bool) -> list[tuple[int, int]]:
    """Return [first, past) of each window along an axis as torch does, cut off at the padding."""
    room = length + 2 * pad - k
    count = (-(-room // step) if up else room // step) + 1
    if up and (count - 1) * step >= length + pad:
        count -= 1
    firsts = [place * step - pad for place in range(count)]
    return [(first, min(first + k, length + pad)) for first in firsts]


def _dilate_kernel(weight: Floats, steps: Sequence[int]) -> Floats:
    """Return the kernel with zeros between its entries."""
    sizes = [(k - 1) * step + 1 for k, step in zip(weight.shape[2:], steps, strict=True)]
    out = np.zeros((*weight.shape[:2], *sizes))
    out[(slice(None), slice(None), *(slice(None, None, step) for step in steps))] = weight
    return out


LAYERS: dict[type, Callable[[Any, Shape, str], float]] = {
    nn.Linear: _bound_linear,
    **{kind: _bound_average_pooling for kind in AVERAGES if "Adaptive" not in kind.__name__},
    **{kind: _bound_adaptive_pooling for kind in AVERAGES if "Adaptive" in kind.__name__},
    **dict.fromkeys((nn.Conv1d, nn.Conv2d, nn.Conv3d), _bound_convolution),
    **dict.fromkeys((nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d), _bound_batch_norm),
    **dict.fromkeys((nn.Identity, nn.Flatten, nn.Unflatten), _constant_bound(1.0)),
    **dict.fromkeys((nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d), _require_eval_mode),
    **dict.fromkeys((nn.ReLU, nn.ReLU6, nn.Tanh, nn.Softsign), _constant_bound(1.0)),
    nn.LeakyReLU: _bound_leaky_relu,
    nn.Sigmoid: _constant_bound(0.25),
    **dict.fromkeys(MAXIMA, _bound_max_pooling),
    RescaledLinear: _bound_rescaled_linear,
    MaxMin: _constant_bound(1.0),
    Scale: _bound_scale,
}
