"""Searches return what was checked."""

import numpy as np

from simplicert.search import (
    BLOCK,
    evaluate_in_blocks,
    find_last_below,
    find_turning_point,
    round_toward_zero,
)


def test_last_below_returns_the_safe_side():
    target = np.array([2.0, 3.0, 0.5])
    found = find_last_below(lambda x: x * x, target, np.zeros(3), np.full(3, 10.0))
    assert (found**2 <= target).all()
    np.testing.assert_allclose(found, np.sqrt(target), rtol=1e-12)


def test_last_below_gives_low_when_nothing_is_below():
    found = find_last_below(lambda x: x, np.array([-1.0]), np.zeros(1), np.ones(1))
    assert found == 0


def test_last_below_never_takes_nan_for_safe():
    found = find_last_below(
        lambda x: np.where(x > 1, np.nan, x), np.array([5.0]), np.zeros(1), np.ones(1) * 4
    )
    assert found <= 1


def test_turning_point_inside_and_at_both_ends():
    top = np.array([0.3, 2.0, -1.0])  # inside [0, 1], beyond it, before it
    found = find_turning_point(lambda x, t: t - x, np.zeros(3), np.ones(3), (top,))
    np.testing.assert_allclose(found, [0.3, 1.0, 0.0], atol=1e-6)


def test_toward_zero():
    assert round_toward_zero(np.array(1.0), np.array(0.25)) < 0.75
    assert round_toward_zero(np.array(1.0), np.array(2.0)) == 0


def test_blocks_join_without_a_seam():
    x = np.arange(2 * BLOCK + 3, dtype=float)
    np.testing.assert_array_equal(evaluate_in_blocks(lambda a, b: a - 2 * b, x, x), -x)
    assert evaluate_in_blocks(lambda a: a, np.empty(0)).shape == (0,)
