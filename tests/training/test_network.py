"""Mean and spread of each channel: those of the direct formula, in little memory."""

import numpy as np
import pytest

from simplicert.data import Dataset
from simplicert.training import network as module
from simplicert.training.network import channel_moments, choose_normalisation
from simplicert.training.settings import TrainingSettings


def direct(values):
    """Compute both moments at once, in float64."""
    axes = tuple(axis for axis in range(values.ndim) if axis != 1)
    return values.astype(np.float64).mean(axes), values.astype(np.float64).std(axes)


def some(*shape):
    return np.random.default_rng(0).normal(3, 0.5, shape).astype(np.float32)


class Recorded:
    """Inputs that remember how many were asked for at once."""

    def __init__(self, values):
        """Nothing was asked for yet."""
        self.values, self.shape, self.asked = values, values.shape, []

    def __len__(self):
        """Return the number of inputs."""
        return len(self.values)

    def __getitem__(self, where):
        """Return the inputs at these positions."""
        self.asked.append(len(where))
        return self.values[where]


@pytest.mark.parametrize("shape", [(40, 3, 9, 8), (40, 1, 9, 8), (40, 5), (40, 3, 7)])
def test_one_chunk_has_the_bits_of_the_direct_formula(shape):
    values = some(*shape)
    for ours, theirs in zip(channel_moments(values, np.arange(40)), direct(values), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("shape", [(40, 3, 9, 8), (40, 1, 9, 8), (40, 5), (40, 3, 7)])
@pytest.mark.parametrize("inputs", [1, 7, 39])
def test_chunks_give_the_same_numbers(monkeypatch, shape, inputs):
    values = some(*shape)
    monkeypatch.setattr(module, "CHUNK", inputs * int(np.prod(shape[1:])))
    for ours, theirs in zip(channel_moments(values, np.arange(40)), direct(values), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-14)


@pytest.mark.slow
def test_inputs_as_large_as_imagenet_are_read_a_few_at_a_time():
    """60 inputs of 224 x 224 are read in chunks of at most 32 MB of float64."""
    inputs = Recorded(np.broadcast_to(some(60, 3, 1, 1), (60, 3, 224, 224)))
    mean, spread = channel_moments(inputs, np.arange(60))
    assert max(inputs.asked) * 3 * 224 * 224 * 8 <= 2**25
    assert sum(inputs.asked) == 2 * 60
    expected = direct(inputs.values[:, :, :1, :1])
    np.testing.assert_allclose(mean, expected[0], rtol=1e-12)
    np.testing.assert_allclose(spread, expected[1], rtol=1e-12)


def test_a_network_is_normalised_by_at_most_ten_thousand_inputs(monkeypatch):
    """Of 25,000 inputs every third; a channel that never varies is divided by 1."""
    values = some(25_000, 2, 3)
    values[:, 1] = 0.25
    inputs = Recorded(values)
    monkeypatch.setattr(module, "CHUNK", 600)
    index = np.arange(25_000)
    data = Dataset(inputs, labels=None, index=index, classes=None, name="x", fingerprint="")
    mean, spread = choose_normalisation(TrainingSettings(sigma=1.0), data)
    expected = direct(values[::3])
    np.testing.assert_allclose(mean, expected[0], rtol=1e-14)
    np.testing.assert_allclose(spread, [expected[1][0], 1], rtol=1e-14)
    assert max(inputs.asked) == 100
