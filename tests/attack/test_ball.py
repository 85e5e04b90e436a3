"""Norms are never below the exact ones; points inside a radius are inside it, and on the grid."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from simplicert.attack.ball import Ball
from simplicert.attack.norms import offset_length, project_offset

SINGLES = st.floats(-(2.0**60), 2.0**60, width=32) | st.floats(-1, 1, width=32)
SHARES = st.sampled_from([0.0, 1e-3, 1 / 3, 1.0, 7.0])


def exact_square(one, other, scale):
    """The sum of squares in rational arithmetic; None where a feature without noise changed."""
    total = Fraction(0)
    for a, b, share in zip(
        one.ravel(), other.ravel(), np.broadcast_to(scale, one.size), strict=True
    ):
        change = Fraction(float(a)) - Fraction(float(b))
        if change and not share:
            return None
        total += (change / Fraction(float(share))) ** 2 if change else 0
    return total


@settings(max_examples=150, deadline=None)
@given(data=st.data(), size=st.integers(1, 12))
def test_a_norm_is_never_below_the_exact_one_and_hardly_above(data, size):
    one, other = (data.draw(arrays(np.float32, size, elements=SINGLES)) for _ in range(2))
    scale = data.draw(st.none() | arrays(np.float64, size, elements=SHARES))
    norm = Ball(other, scale).norm(one)
    square = exact_square(one, other, np.ones(size) if scale is None else scale)
    if square is None:
        assert norm == np.inf
        return
    assert Fraction(norm) ** 2 >= square
    assert Fraction(norm) ** 2 <= square * (1 + Fraction(1, 10**14)) + Fraction(1, 10**300)
    assert (norm == 0) == (square == 0)


def test_plain_arithmetic_would_round_down():
    """What the rounding is for: here numpy's norm is below the true one."""
    random = np.random.default_rng(0)
    below = 0
    for _ in range(50):
        one, other = random.random((2, 40)).astype(np.float32)
        plain = float(np.linalg.norm(one.astype(float) - other.astype(float)))
        square = exact_square(one, other, 1.0)
        below += Fraction(plain) ** 2 < square
        assert Fraction(Ball(other).norm(one)) ** 2 >= square
    assert below > 5


def test_a_change_too_small_to_square_still_counts():
    centre = np.zeros(1, np.float32)
    assert Ball(centre, np.array([1e200])).norm(np.full(1, 1e-38, np.float32)) > 0
    assert Ball(centre, np.array([1e-200])).norm(np.ones(1, np.float32)) == np.inf


@settings(max_examples=100, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    radius=st.floats(1e-6, 10),
    far=st.floats(0, 20),
    step=st.sampled_from([None, 1 / 255, 0.25]),
    scaled=st.booleans(),
)
def test_within_a_radius_is_within_it(seed, radius, far, step, scaled):
    random = np.random.default_rng(seed)
    centre = random.random((2, 5))
    if step is not None:
        centre = np.rint(centre / step) * step
    scale = np.where(random.random((2, 5)) < 0.3, 0.0, random.random((2, 5))) if scaled else None
    ball = Ball(centre.astype(np.float32), scale, step)
    offset = random.normal(size=(2, 5))
    offset *= far / offset_length(offset)
    point = ball.within(offset, radius)
    assert point.dtype == np.float32
    assert ball.norm(point) < radius
    if scale is not None:
        np.testing.assert_array_equal(point[scale == 0], ball.centre[scale == 0])
    if step is not None:
        whole = np.rint(point.astype(float) / step) * step
        np.testing.assert_array_equal(point, whole.astype(np.float32))
    if step is None and scale is None and radius > 0.01:  # all of it is used, but for rounding
        assert ball.norm(point) >= min(far, radius) * (1 - 1e-4) - 1e-6


def test_on_a_grid_distance_is_in_whole_steps():
    ball = Ball(np.full(3, 100 / 255, np.float32), step=1 / 255)
    point = ball.at(np.array([0.0, 1.4, -2.6]) / 255)
    assert ball.norm(point) == pytest.approx(np.sqrt(1 + 9) / 255, rel=1e-12)
    assert Fraction(ball.norm(point)) ** 2 >= 10 * Fraction(1 / 255) ** 2


def test_an_offset_is_only_ever_shortened():
    offset = np.array([3.0, 4.0])
    np.testing.assert_allclose(project_offset(offset, 1.0), [0.6, 0.8])
    np.testing.assert_array_equal(project_offset(offset, 6.0), offset)
