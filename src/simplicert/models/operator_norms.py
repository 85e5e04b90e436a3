"""Compute upper bounds of l2 -> l2 operator norms that hold in exact arithmetic.

The sensitivity of a stage is built from them. A power iteration approaches the norm from below, and
a singular value from LAPACK may err to either side: a radius divided by one of these may be false.
So the values returned here are checked afterwards. Products of matrices of inner length k are off
by at most gamma_k |X| |Y| entry by entry, whatever the order of their sums (Higham 2002, section
3.5); the rounding slack used here is more than that, for complex numbers too.
"""

import contextlib
from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from simplicert.types import Floats

UNIT = 2.0**-53  # rounding of one operation in double precision, relative
TINY = 1e-150  # more than all underflows in sums of squares of numbers up to 1
ANGLES = 1e-14  # far above the error of a sine or cosine of an angle up to 2 pi
MARGIN = 1e-13  # for each row of a matrix: this far above its norm Cholesky's root still exists
POINTS = 12  # frequencies for each coefficient of a kernel, along an axis
MOST_WORK = 10**11  # multiplications of a search over frequencies; beyond, sums must do
Stack = NDArray[np.float64] | NDArray[np.complex128]  # (B, m, n)


def matrix_norm(matrix: Floats) -> float:
    """Return the largest singular value of an (m, n) matrix or more, mostly within 1e-12 of it."""
    return float(bound_norms(np.asarray(matrix, dtype=float)[None])[0])


def bound_norms(stack: Stack) -> Floats:
    """Return (B,) for each matrix the smallest of three bounds of its largest singular value.

    The first is checked by a decomposition (`_cholesky_bound`). The others are Frobenius' norm, and
    the root of the largest row sum times the largest column sum.
    """
    largest = np.abs(stack).max(axis=(1, 2), initial=0.0)
    exponent = np.frexp(np.where(largest > 0, largest, 1.0))[1]
    half = exponent // 2  # the whole power of two may be out of range
    unit = stack * np.ldexp(1.0, -half)[:, None, None]
    unit = unit * np.ldexp(1.0, half - exponent)[:, None, None]
    rows, columns = np.abs(unit).sum(axis=2), np.abs(unit).sum(axis=1)
    sums = np.sqrt(rows.max(axis=1, initial=0.0) * columns.max(axis=1, initial=0.0))
    bound = np.minimum(sums * (1 + _rounding_slack(max(stack.shape[1:]))), _frobenius_norms(unit))
    # Where a decomposition fails the sums are true all the same.
    with contextlib.suppress(np.linalg.LinAlgError):
        bound = np.minimum(bound, _cholesky_bound(unit))
    return np.where(largest > 0, round_up(np.ldexp(bound, exponent)), 0.0)


def _cholesky_bound(stack: Stack) -> Floats:
    """Return (B,) bounds by a decomposition that is checked, for entries of at most 1.

    Let G = A* A, or A A* if that is smaller, and t a little above its largest eigenvalue as LAPACK
    has it. With any L at all, t 1 - G = L L* + E gives G <= t 1 - E, because L L* is not negative:
    |A|^2 <= t + |E|_F. L is Cholesky's, so E should be tiny; its size is computed, with a bound
    on the rounding of G and of computing E.
    """
    tall = stack.shape[1] >= stack.shape[2]
    adjoint = np.swapaxes(stack, 1, 2).conj()
    gram = adjoint @ stack if tall else stack @ adjoint
    size = gram.shape[1]
    above = np.linalg.eigvalsh(gram)[:, -1] * (1 + MARGIN * (size + 8)) + TINY
    rest = above[:, None, None] * np.eye(size) - gram
    factor = np.linalg.cholesky(rest)
    error = _frobenius_norms(rest - factor @ np.swapaxes(factor, 1, 2).conj())
    error += _rounding_slack(size) * _frobenius_norms(factor) ** 2
    error += _rounding_slack(max(stack.shape[1:])) * (_frobenius_norms(stack) ** 2 + above)
    return np.asarray(np.sqrt(above + error) * (1 + _rounding_slack(1)))


def _frobenius_norms(stack: Stack) -> Floats:
    """Return (B,) Frobenius' norms, rounded up."""
    squares = (np.abs(stack) ** 2).sum(axis=(1, 2))
    return np.asarray(np.sqrt(squares) * (1 + _rounding_slack(prod(stack.shape[1:]))) + TINY)


def _rounding_slack(length: int) -> float:
    """Return more than gamma of a sum of `length` products and a few operations after it."""
    return 8 * (length + 8) * UNIT


def round_up(value: Floats | float) -> Floats:
    """Return more than the last few operations would have given exactly."""
    return np.nextafter(np.asarray(value) * (1 + _rounding_slack(1)), np.inf)


def window_matrix(
    length: int, windows: Sequence[tuple[int, int]], divisors: Sequence[float]
) -> Floats:
    """Return (windows, length) means over [first, past) along one axis, each entry rounded up.

    No entry is negative, so a larger one never makes the norm smaller.
    """
    matrix = np.zeros((len(windows), length))
    for row, (first, past), divisor in zip(matrix, windows, divisors, strict=True):
        row[max(first, 0) : min(past, length)] = np.nextafter(1 / divisor, np.inf)
    return matrix


def convolution_norm(kernel: Floats, stride: Sequence[int]) -> float:
    """Bound the norm of x -> y, y[t] = sum over j of K[j] x[s t + j], zeros around x, from above.

    `kernel` is (out, in, k_1, ..., k_d). 1. Taking x apart by its places modulo the stride loses
    no length, and leaves a convolution without stride from in * prod(s) channels. 2. With zeros
    around it, x is a signal on the whole of Z^d, of the same length, and the outputs kept are some
    of all: the norm is at most that on Z^d, which is M, the largest over all frequencies of |F|, F
    = sum over q of K[q] e^(i q.f). 3. |F| is computed on a grid of N frequencies per axis. Along an
    axis with q coefficients, Re u* F v e^(i c f) is at best vectors u, v a trigonometric polynomial
    of degree (q - 1) / 2 after a shift, at most M in size, and M at the maximum; by M. Riesz (1914)
    it is at least M cos((q - 1) / 2 d) at a distance d from there. A point of the grid is within pi
    / N. One axis after another: M <= the largest on the grid / prod cos(pi (q - 1) / 2 N). A kernel
    that does not overlap itself (1 x 1, or a stride of its size) has q = 1: that is exact.

    The other bound is the root of the largest sum of |K| over one output times that over one
    input, which are row and column sums of the operator; the smaller is returned.
    """
    phases = polyphase_kernel(np.asarray(kernel, dtype=float), stride)
    size = np.abs(phases)
    axes = tuple(range(2, phases.ndim))
    each = size.sum(axis=axes)  # (out, in * prod(stride))
    sums = np.sqrt(each.sum(axis=1).max() * each.sum(axis=0).max()) * (
        1 + _rounding_slack(size.size)
    )
    counts = [1 if q == 1 else POINTS * q for q in phases.shape[2:]]
    work = prod(counts) * each.size * min(each.shape)
    if work > MOST_WORK:
        return float(round_up(sums))
    largest = max(float(bound_norms(block).max()) for block in _fourier_blocks(phases, counts))
    error = (len(axes) * ANGLES + _rounding_slack(prod(phases.shape[2:]))) * float(
        _frobenius_norms(each[None])[0]
    )
    between = prod(
        float(np.cos(np.pi * (q - 1) / (2 * n)))
        for q, n in zip(phases.shape[2:], counts, strict=True)
    )
    return float(round_up(min(float(sums), (largest + error) / (between * (1 - ANGLES)))))


def polyphase_kernel(kernel: Floats, stride: Sequence[int]) -> Floats:
    """Return (out, in * prod(stride), q...) the kernel between phases, with zeros added."""
    out, channels, *sizes = kernel.shape
    counts = [-(-size // step) for size, step in zip(sizes, stride, strict=True)]
    room = [(0, q * s - k) for q, s, k in zip(counts, stride, sizes, strict=True)]
    padded = np.pad(kernel, [(0, 0), (0, 0), *room])
    pairs = [n for pair in zip(counts, stride, strict=True) for n in pair]
    apart = padded.reshape(out, channels, *pairs)
    axes = range(2, apart.ndim)
    moved = apart.transpose(0, 1, *[a for a in axes if a % 2], *[a for a in axes if not a % 2])
    return np.asarray(moved.reshape(out, channels * prod(stride), *counts))


def _fourier_blocks(phases: Floats, counts: Sequence[int]) -> "list[NDArray[np.complex128]]":
    """Return blocks (B, out, in) of F on the grid; half of the first axis, as F(-f) is F(f)*."""
    values = np.moveaxis(phases, (0, 1), (-2, -1)).astype(complex)  # (q..., out, in)
    for axis, n in enumerate(counts):
        taken = np.arange(n // 2 + 1 if axis == 0 else n)
        turns = np.outer(taken, np.arange(values.shape[axis])) % n  # whole: the angle is below 2 pi
        waves = np.exp(2j * np.pi * turns / n)
        values = np.moveaxis(np.tensordot(waves, values, axes=(1, axis)), 0, axis)
    flat = values.reshape(-1, *values.shape[-2:])
    return [flat[start : start + 256] for start in range(0, len(flat), 256)]
