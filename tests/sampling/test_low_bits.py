"""Floating-point noise can be read by a contrived classifier, and not in grid mode."""

from pathlib import Path

import numpy as np
import pytest

import simplicert as sc

ROOT = Path(__file__).parents[2]


@pytest.fixture
def low_bits(benchmark):
    return benchmark("low_bits")


def test_the_default_mode_is_broken_and_grid_mode_is_not(low_bits):
    """What docs/method.md says of the default mode, shown: ideal noise is an assumption."""
    default, grid = low_bits.measured(1000)
    assert default["predicted"] == [0, 1]
    assert min(default["radii"]) > default["distance"]  # each ball holds the other input
    assert default["contradiction"]
    assert grid["predicted"] == [1, 1]
    assert not grid["contradiction"]


def test_the_distance_is_not_below_the_truth(low_bits):
    assert low_bits.distance() > 1.0  # 2^-5 sqrt(1024), rounded up
    assert low_bits.distance() < 1 + 1e-12


def test_on_the_grid_no_bit_tells(low_bits):
    """What reaches the classifier at the two inputs differs by whole steps and nothing else."""
    seen = []

    def spy(batch):
        seen.append(np.array(batch))
        return low_bits.classify(batch)

    inputs = np.full((1, 64), low_bits.SHIFT, np.float32)
    for x in (inputs * 0, inputs):
        sc.sample(spy, x, 1.0, 100, outputs="probabilities", grid=low_bits.GRID, batch_size=100)
    half = len(seen) // 2
    np.testing.assert_array_equal(seen[half - 1] + low_bits.SHIFT, seen[-1])
