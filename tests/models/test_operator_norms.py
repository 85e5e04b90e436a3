"""Upper bounds of operator norms: never below, by exact arithmetic, and tight where promised."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from tiers import some_slow

from simplicert.models import operator_norms
from simplicert.models.operator_norms import (
    bound_norms,
    convolution_norm,
    matrix_norm,
    polyphase_kernel,
)

entries = st.one_of(
    st.integers(-3, 3).map(float),
    st.floats(-1e3, 1e3, allow_subnormal=False),
    st.floats(-1e-8, 1e-8),
)
matrices = arrays(float, array_shapes(min_dims=2, max_dims=2, max_side=5), elements=entries)


def at_most(matrix, bound):
    """Whether the norm is at most the bound: bound^2 1 - A^T A has no negative eigenvalue.

    In fractions: symmetric elimination finds a negative pivot, or a zero one with something left.
    """
    rows = [[Fraction(float(value)) for value in row] for row in matrix]
    side = len(rows[0])
    left = [
        [
            Fraction(bound) ** 2 * (i == j) - sum(row[i] * row[j] for row in rows)
            for j in range(side)
        ]
        for i in range(side)
    ]
    for k in range(side):
        if left[k][k] < 0:
            return False
        if left[k][k] == 0:
            if any(left[k][j] != 0 for j in range(k, side)):
                return False
            continue
        for i in range(k + 1, side):
            ratio = left[i][k] / left[k][k]
            for j in range(k, side):
                left[i][j] -= ratio * left[k][j]
    return True


def test_the_exact_check_itself():
    assert at_most([[3.0, 0.0], [4.0, 0.0]], 5.0)
    assert not at_most([[3.0, 0.0], [4.0, 0.0]], np.nextafter(5.0, 0))
    assert not at_most([[0.0, 1.0], [1.0, 0.0]], 0.999) and at_most([[0.0, 1.0], [1.0, 0.0]], 1.0)


@settings(max_examples=150, deadline=None)
@given(matrices)
def test_never_below_and_tight(matrix):
    found = matrix_norm(matrix)
    assert at_most(matrix, found)
    if found > 1e-300:  # among smaller numbers the next one is farther away than that
        assert not at_most(matrix, found * (1 - 1e-11))


@pytest.mark.parametrize("size", [(40, 30), (3, 200), (200, 3)])
def test_larger_ones_against_lapack(size):
    matrix = np.random.default_rng(0).normal(size=size)
    assert 1 <= matrix_norm(matrix) / np.linalg.norm(matrix, 2) <= 1 + 1e-9


@pytest.mark.parametrize("size", [1e-320, 1e-300, 1.0, 1e300])
def test_any_size_of_numbers(size):
    matrix = np.array([[1.0, 2.0], [0.0, 1.0]]) * size
    assert at_most(matrix, matrix_norm(matrix))
    assert matrix_norm(np.zeros((2, 3))) == 0


def test_complex_stacks():
    random = np.random.default_rng(1)
    stack = random.normal(size=(6, 4, 3)) + 1j * random.normal(size=(6, 4, 3))
    stack[2] = 0
    true = np.linalg.norm(stack, 2, axis=(1, 2))
    assert (bound_norms(stack) >= true).all()
    np.testing.assert_allclose(bound_norms(stack), true, rtol=1e-11)


def test_a_wrong_decomposition_costs_and_never_lies(monkeypatch):
    """Whatever LAPACK returns, the bound is checked afterwards, or the sums stand in."""
    matrix = np.random.default_rng(2).normal(size=(5, 4))
    true = np.linalg.norm(matrix, 2)
    honest = np.linalg.eigvalsh
    for part in (0.5, 0.999, 1.5):
        with monkeypatch.context() as patch:
            patch.setattr(np.linalg, "eigvalsh", lambda gram, part=part: part * honest(gram))
            assert matrix_norm(matrix) >= true
    cholesky = np.linalg.cholesky
    with monkeypatch.context() as patch:
        patch.setattr(np.linalg, "cholesky", lambda rest: 0.9 * cholesky(rest))
        assert true < matrix_norm(matrix) <= np.linalg.norm(matrix) * (1 + 1e-12)
    with monkeypatch.context() as patch:  # too small a value, and a root that does not exist
        patch.setattr(np.linalg, "eigvalsh", lambda gram: 0.5 * honest(gram))
        patch.setattr(np.linalg, "cholesky", np.zeros_like)
        assert matrix_norm(matrix) >= true


def dense(kernel, lengths, stride, pads):
    """The matrix of a convolution with zeros around, by its definition, one axis or two."""
    out, channels, *sizes = kernel.shape
    counts = [
        (n + 2 * p - k) // s + 1 for n, p, k, s in zip(lengths, pads, sizes, stride, strict=True)
    ]
    matrix = np.zeros((out, *counts, channels, *lengths))
    for place in np.ndindex(*counts):
        for offset in np.ndindex(*sizes):
            at = tuple(
                t * s + j - p for t, s, j, p in zip(place, stride, offset, pads, strict=True)
            )
            if all(0 <= a < n for a, n in zip(at, lengths, strict=True)):
                matrix[(slice(None), *place, slice(None), *at)] += kernel[(..., *offset)]
    return matrix.reshape(out * int(np.prod(counts)), -1)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_convolutions_are_never_below(data):
    axes = data.draw(st.integers(1, 2))
    sizes = data.draw(st.lists(st.integers(1, 4), min_size=axes, max_size=axes))
    stride = data.draw(st.lists(st.integers(1, 3), min_size=axes, max_size=axes))
    pads = data.draw(st.lists(st.integers(0, 2), min_size=axes, max_size=axes))
    lengths = [k + data.draw(st.integers(0, 6)) for k in sizes]
    shape = (data.draw(st.integers(1, 3)), data.draw(st.integers(1, 2)), *sizes)
    kernel = data.draw(arrays(float, shape, elements=st.integers(-3, 3).map(float)))
    true = np.linalg.norm(dense(kernel, lengths, stride, pads), 2)
    assert convolution_norm(kernel, stride) >= true * (1 - 1e-13)


@pytest.mark.parametrize("axes", [1, 2])
@pytest.mark.parametrize("size", some_slow([3, 2, 4], 1))
def test_convolutions_are_close_on_large_inputs(axes, size):
    """Many places and zeros around: the bound is then the limit, up to the grid's 2 percent."""
    kernel = np.random.default_rng(size).normal(size=(2, 2, *[size] * axes))
    lengths = [160] if axes == 1 else [22, 22]
    true = np.linalg.norm(dense(kernel, lengths, [1] * axes, [size - 1] * axes), 2)
    assert true <= convolution_norm(kernel, [1] * axes) <= true * (1.02 if axes == 1 else 1.06)


@pytest.mark.parametrize(("size", "stride"), [(1, 1), (3, 3), (2, 3)])
def test_windows_that_do_not_overlap_are_exact(size, stride):
    kernel = np.random.default_rng(0).normal(size=(4, 3, size, size))
    true = np.linalg.norm(kernel.reshape(4, -1), 2)
    assert 1 <= convolution_norm(kernel, (stride, stride)) / true <= 1 + 1e-11


def test_between_frequencies_the_largest_may_hide():
    """Seen on the grid alone the bound would be too small: the maximum lies between its points."""
    kernel = np.array([1.0, 2.0, 0.5, -1.5]).reshape(1, 1, 4)
    fine = np.exp(1j * np.outer(np.linspace(0, np.pi, 100_001), np.arange(4))) @ kernel[0, 0]
    coarse = np.exp(2j * np.pi * np.outer(np.arange(48), np.arange(4)) / 48) @ kernel[0, 0]
    assert np.abs(coarse).max() < np.abs(fine).max() <= convolution_norm(kernel, (1,))


def test_too_much_work_takes_the_sums(monkeypatch):
    kernel = np.random.default_rng(0).normal(size=(3, 2, 3, 3))
    closer = convolution_norm(kernel, (1, 1))
    monkeypatch.setattr(operator_norms, "MOST_WORK", 0)
    size = np.abs(kernel)
    sums = np.sqrt(size.sum(axis=(1, 2, 3)).max() * size.sum(axis=(0, 2, 3)).max())
    assert closer < convolution_norm(kernel, (1, 1)) == pytest.approx(sums, rel=1e-12)


def test_phases_are_the_same_convolution():
    random = np.random.default_rng(0)
    kernel, x = random.normal(size=(2, 1, 5)), random.normal(size=12)
    phases = polyphase_kernel(kernel, (3,))
    assert phases.shape == (2, 3, 2)
    direct = dense(kernel, [12], [3], [0]) @ x
    apart = x.reshape(4, 3).T  # by place modulo 3
    again = dense(phases, [4], [1], [0]) @ apart.ravel()
    np.testing.assert_allclose(direct, again)
