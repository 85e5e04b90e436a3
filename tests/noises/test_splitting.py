"""Splitting noise: the paper's formula in fractions, whole numbers, and what offsets may differ."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import torch

from simplicert.errors import InvalidInput
from simplicert.noises import NoiseContext, NoiseModel
from simplicert.noises.splitting import count_offsets, draw_copies, feature_places, write


def copies(x, count, offsets=0, channels_last=False, first=0):
    x = np.asarray(x, np.float32)
    out = np.empty((count, *x.shape), np.float32)
    model = NoiseModel("splitting", offsets=offsets)
    context = NoiseContext(model, count / 510, channels_last, first)
    write(out, x, np.random.default_rng(0), slice(0, count), context)
    return out


def as_published(level, threshold, count):
    """Levine and Feizi's noisy value of level / 255, in exact arithmetic."""
    width, x, s = Fraction(count, 255), Fraction(level, 255), Fraction(2 * threshold + 1, 510)
    piece = math.ceil((x - s) / width)
    upper, lower = min(width * piece + s, Fraction(1)), max(width * (piece - 1) + s, Fraction(0))
    return float(np.float32(float((upper + lower) / 2)))


@pytest.mark.parametrize("count", [1, 2, 7, 254, 255, 256, 441])
def test_values_are_those_of_the_published_formula(count):
    levels = np.arange(0, 256, 5)
    places = feature_places(3, count, levels.shape)
    seen = copies(levels / 255, count, offsets=3)
    for offset in range(0, count, max(count // 5, 1)):
        expected = [
            as_published(int(level), (int(place) + offset) % count, count)
            for level, place in zip(levels, places, strict=True)
        ]
        assert seen[offset].tolist() == expected


@pytest.mark.parametrize("count", [3, 40, 255])
def test_two_levels_are_told_apart_at_as_many_offsets_as_they_are_apart(count):
    seen = {level: copies([level / 255], count)[:, 0] for level in (0, 1, 3, 90, 130, 254, 255)}
    for one, two in product(seen, repeat=2):
        assert (seen[one] != seen[two]).sum() == min(abs(one - two), count)


def test_memory_layout_and_first_draw_change_nothing():
    x = np.random.default_rng(0).integers(0, 256, (3, 4, 5)) / 255
    plain = copies(x, 20)
    last = copies(np.moveaxis(x, 0, -1), 20, channels_last=True)
    np.testing.assert_array_equal(np.moveaxis(last, -1, 1), plain)
    np.testing.assert_array_equal(copies(x, 20, first=7)[:13], plain[7:])
    assert not np.array_equal(copies(x, 20, offsets=1), plain)


def test_a_training_copy_is_one_of_all_copies_and_each_offset_is_as_likely():
    x = np.random.default_rng(0).integers(0, 256, (3, 4, 4)) / 255
    batch = torch.tensor(np.repeat(x[None], 6000, axis=0), dtype=torch.float32)
    drawn = draw_copies(batch, 6 / 510, 5, torch.Generator().manual_seed(0)).numpy()
    every = copies(x, 6, offsets=5)
    counts = [int((drawn == one).all(axis=(1, 2, 3)).sum()) for one in every]
    assert sum(counts) == 6000
    assert min(counts) > 800  # expected 1000, deviation 29


def test_the_fixed_numbers_never_change():
    assert feature_places(0, 441, (2, 3)).tolist() == [[172, 47, 117], [192, 323, 251]]


@pytest.mark.parametrize("scale", [0, -1, math.nan, math.inf, 0.25, 1e-9, 1e9])
def test_a_scale_without_a_whole_number_of_offsets_is_refused(scale):
    with pytest.raises(InvalidInput, match="scale must"):
        count_offsets(scale)


def test_a_scale_with_a_few_digits_means_the_nearest_whole_number():
    assert [count_offsets(scale) for scale in (0.5, 0.24902, 0.8647, 1 / 510)] == [255, 127, 441, 1]


@pytest.mark.parametrize("offsets", [-1, 1.5, True, 2**32])
def test_a_seed_that_is_none_is_refused(offsets):
    with pytest.raises(InvalidInput, match="offsets must be a seed"):
        NoiseModel("splitting", offsets=offsets)
