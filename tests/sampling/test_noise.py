"""Noise depends on (seed, input, chunk, row) only; it is Gaussian; it fits a grid."""

import numpy as np
import pytest
from scipy.stats import kstest

import simplicert as sc
from simplicert.sampling.noise import (
    NOISE,
    PILOT,
    PILOT_VOTES,
    VOTES,
    add_grid_noise,
    add_noise,
    chunk_generator,
    chunk_rows,
    device_seed,
    is_on_grid,
    stream_number,
)


@pytest.mark.parametrize(
    ("size", "chunk"), [(256, 64), (100, 50), (1, 1), (127, 63), (96, 48), (1000, 50), (65, 64)]
)
def test_chunks_fill_the_batch(size, chunk):
    assert chunk_rows(size) == chunk


def test_no_batch_is_left_half_empty():
    for size in range(1, 5000):
        chunk = chunk_rows(size)
        assert size // chunk * chunk >= 0.98 * size


def test_every_part_of_the_key_matters():
    seen = {
        chunk_generator(*key).random()
        for key in [
            (0, 0, 0, NOISE),
            (1, 0, 0, NOISE),
            (0, 1, 0, NOISE),
            (0, 0, 1, NOISE),
            (0, 0, 0, VOTES),
        ]
    }
    assert len(seen) == 5
    assert chunk_generator(3, 4, 5, NOISE).random() == chunk_generator(3, 4, 5, NOISE).random()


def test_chunks_do_not_overlap():
    """The counter leaves 2^128 blocks to each chunk: the next one does not continue the last."""
    long = chunk_generator(0, 0, 0, NOISE).random(100_000)
    assert not np.isin(chunk_generator(0, 0, 1, NOISE).random(1000), long).any()


def test_seeds_of_a_device_are_many_and_fit():
    seeds = {device_seed(0, item, chunk, 0) for item in range(50) for chunk in range(50)}
    assert len(seeds) == 2500
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_rows_do_not_depend_on_their_neighbours():
    x, spread = np.zeros((3, 2), np.float32), np.float32(1.0)
    whole = np.empty((64, 3, 2), np.float32)
    add_noise(whole, x, chunk_generator(0, 0, 0, NOISE), slice(0, 64), spread)
    part = np.empty((20, 3, 2), np.float32)
    add_noise(part, x, chunk_generator(0, 0, 0, NOISE), slice(10, 30), spread)
    np.testing.assert_array_equal(part, whole[10:30])


def test_it_is_gaussian_about_the_input():
    """Kolmogorov-Smirnov on 200,000 draws; fails by chance with probability 1e-6."""
    x = np.full(1000, 0.25, np.float32)
    out = np.empty((200, 1000), np.float32)
    add_noise(out, x, chunk_generator(1, 2, 3, NOISE), slice(0, 200), np.float32(0.5))
    assert kstest((out.ravel().astype(float) - 0.25) / 0.5, "norm").pvalue > 1e-6


def test_each_feature_has_its_own_share():
    spread = np.array([0.0, 1.0, 2.0], np.float32)
    out = np.empty((64, 3), np.float32)
    add_noise(out, np.ones(3, np.float32), chunk_generator(0, 0, 0, NOISE), slice(0, 64), spread)
    assert (out[:, 0] == 1).all()
    assert 1.5 < out[:, 2].std() / out[:, 1].std() < 2.7


def test_on_a_grid_only_whole_steps_are_added():
    """The sum depends on x through its step number alone: no low-order bit tells x apart."""
    step = 1 / 255
    x = (np.arange(256) / 255).astype(np.float32)
    assert is_on_grid(x[None], step).all()
    out = np.empty((64, 256), np.float32)
    add_grid_noise(out, x, chunk_generator(0, 0, 0, NOISE), slice(0, 64), np.asarray(0.5), step)
    assert is_on_grid(out, step).all()
    numbers = np.rint(out.astype(float) / step)
    shift = numbers - np.arange(256)
    again = np.empty((64, 256), np.float32)
    add_grid_noise(
        again, x * 0, chunk_generator(0, 0, 0, NOISE), slice(0, 64), np.asarray(0.5), step
    )
    np.testing.assert_array_equal(shift, np.rint(again.astype(float) / step))
    assert abs(shift.std() * step - 0.5) < 0.02


def test_off_the_grid():
    assert not is_on_grid(np.array([[0.5 / 255]], np.float32), 1 / 255)[0]
    assert is_on_grid(np.array([[0.25, 0.5]], np.float32), 0.25)[0]


def test_draws_of_other_batch_sizes_share_no_noise():
    """A draw's place in its chunk depends on the chunk's size, and so does its stream."""
    streams = {
        stream_number(stream, chunk)
        for stream in (NOISE, VOTES, PILOT, PILOT_VOTES)
        for chunk in range(1, 65)
    }
    assert len(streams) == 4 * 64
    assert stream_number(VOTES, 64) == VOTES


@pytest.mark.parametrize(("shape", "same"), [((1, 6), True), ((1, 2, 3, 3), False)])
def test_a_network_and_a_function_share_noise_of_one_axis(shape, same):
    """As docs/sampling.md says: images of a torch network lie channels last, others do not."""
    torch = pytest.importorskip("torch")
    weights = np.random.default_rng(0).standard_normal((2, int(np.prod(shape)))).astype(np.float32)
    network = torch.nn.Sequential(
        torch.nn.Flatten(), torch.nn.Linear(weights.shape[1], 2, bias=False)
    )
    network[1].weight.data = torch.from_numpy(weights)
    asked = {"inputs": np.zeros(shape, np.float32), "sigma": 1.0, "draws": 500, "seed": 7}
    counts = [
        sc.sample(model, **asked, histograms=False).counts
        for model in (network, lambda batch: batch.reshape(len(batch), -1) @ weights.T)
    ]
    assert np.array_equal(*counts) == same
