"""Pixels are told from channels by their place: images have their channels first."""

import numpy as np
import pytest

import simplicert as sc

ABLATION = sc.NoiseModel("ablation", keep=1, absent=-1.0)


def dark_at_the_corner(batch):
    """Class 0 unless one of the first two pixels is bright, in images (N, H, W, C)."""
    bright = (batch[:, 0, :2] > 0.9).any(axis=(1, 2))
    return np.column_stack([~bright, bright]).astype(float)


def test_ablation_of_channels_that_come_last_is_refused():
    """With 4 of 24 columns of a channel kept it certified 3 pixels, of which two flip the class."""
    inputs = np.zeros((1, 8, 8, 3), np.float32)
    with pytest.raises(sc.InvalidInput, match=r"channels seem to come last, got \(8, 8, 3\)"):
        sc.sample(dark_at_the_corner, inputs, draws=20, noise=ABLATION, device="cpu")
    with pytest.raises(sc.InvalidInput, match="for shift noise, and their channels seem to come"):
        sc.Smoothed(dark_at_the_corner, noise="shift", sigma=1.0, device="cpu").predict(inputs)


@pytest.mark.parametrize("shape", [(3, 8, 8), (1, 8, 8), (2, 3, 4), (16, 5, 5), (8, 3), (4,)])
def test_other_inputs_are_taken(shape):
    inputs = np.zeros((1, *shape))
    tally = sc.sample(
        lambda batch: np.zeros((len(batch), 2)), inputs, draws=4, noise=ABLATION, device="cpu"
    )
    assert tally.noise.size == np.prod(shape[1:] if len(shape) == 3 else shape)
