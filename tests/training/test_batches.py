"""What a step sees: every input once per epoch, shards that fit together, noise of its place."""

import os

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from simplicert.errors import InvalidInput
from simplicert.training.batches import (
    augment_images,
    batch_rows,
    batch_shape,
    count_readers,
    epoch_batches,
    noisy_copies,
)
from simplicert.training.settings import TrainingSettings


@settings(max_examples=60, deadline=None)
@given(count=st.integers(1, 200), size=st.integers(1, 12), shards=st.integers(1, 4))
def test_rows_are_a_permutation(count, size, shards):
    chosen = TrainingSettings(sigma=1.0, batch_size=size * shards, shards=shards, seed=3)
    if count < shards:
        return
    rows = batch_rows(chosen, 0, count)
    assert rows.shape == batch_shape(chosen, count)
    assert len(np.unique(rows)) == rows.size and rows.size > count - chosen.batch_size
    assert rows.shape[1] % shards == 0


def test_epochs_and_seeds_have_orders_of_their_own():
    base = TrainingSettings(sigma=1.0, seed=0)
    first = batch_rows(base, 0, 500)
    assert np.array_equal(first, batch_rows(base, 0, 500))
    assert not np.array_equal(first, batch_rows(base, 1, 500))
    assert not np.array_equal(first, batch_rows(TrainingSettings(sigma=1.0, seed=1), 0, 500))


def test_shards_join_to_the_batch_in_any_process(digits):
    data, _ = digits
    chosen = TrainingSettings(sigma=1.0, batch_size=60, shards=3, crop=1, flip=True)
    whole = list(epoch_batches(data, chosen, 2, range(3)))
    assert len(whole) == 5
    for shard in range(3):
        alone = list(epoch_batches(data, chosen, 2, range(shard, shard + 1)))
        for batch, (part,) in zip(whole, alone, strict=True):
            np.testing.assert_array_equal(part.inputs, batch[shard].inputs)
            np.testing.assert_array_equal(part.labels, batch[shard].labels)


def test_readers_share_the_cores_of_the_job_and_not_those_of_the_node(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 128)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(12)))
    assert count_readers() == 8
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "2")
    assert count_readers() == 6
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "12")
    assert count_readers() == 2


def test_noise_is_gaussian_and_of_its_place():
    """10^5 normal values: mean within 5 and spread within 5 standard errors, error below 1e-6."""
    x = torch.full((100, 1000), 0.5)
    noisy = noisy_copies(x, TrainingSettings(0.25, seed=7), 1, (1, 2, 3))
    noise = (noisy - x).double()
    assert abs(float(noise.mean())) < 5 * 0.25 / 1e5**0.5
    assert abs(float(noise.std()) / 0.25 - 1) < 5 / (2e5) ** 0.5
    assert torch.equal(noisy, noisy_copies(x, TrainingSettings(0.25, seed=7), 1, (1, 2, 3)))
    for place in ((0, 2, 3), (1, 1, 3), (1, 2, 0)):
        assert not torch.equal(noisy, noisy_copies(x, TrainingSettings(0.25, seed=7), 1, place))
    assert not torch.equal(noisy, noisy_copies(x, TrainingSettings(0.25, seed=8), 1, (1, 2, 3)))


def test_copies_of_an_input_stand_together():
    x = torch.arange(3.0)[:, None].repeat(1, 4) * 100
    noisy = noisy_copies(x, TrainingSettings(0.1, seed=0), 5, (0, 0, 0))
    assert noisy.shape == (15, 4)
    assert torch.equal((noisy / 100).round().mean(1), torch.arange(3.0).repeat_interleave(5))
    assert len(torch.unique(noisy)) == noisy.numel()


def moved(image, down, across):
    """Crop by hand: a window of the image in a black border."""
    height, width = image.shape[1:]
    out = np.zeros_like(image)
    for i in range(height):
        for j in range(width):
            if 0 <= i + down < height and 0 <= j + across < width:
                out[:, i, j] = image[:, i + down, j + across]
    return out


def test_every_crop_and_flip_is_one_of_those_allowed():
    random = np.random.default_rng(0)
    images = random.random((40, 2, 5, 4)).astype(np.float32)
    seen = set()
    for image, out in zip(images, augment_images(images, random, 1, True), strict=True):
        options = {
            (down, across, mirror): moved(image, down, across)[:, :, :: -1 if mirror else 1]
            for down in (-1, 0, 1)
            for across in (-1, 0, 1)
            for mirror in (False, True)
        }
        found = [key for key, value in options.items() if np.array_equal(value, out)]
        assert len(found) == 1
        seen.add(found[0])
    assert len(seen) > 9  # of 18; 40 draws see 9 or fewer with probability below 1e-6


def test_without_crop_and_flip_nothing_changes():
    images = np.random.default_rng(0).random((3, 1, 4, 4)).astype(np.float32)
    np.testing.assert_array_equal(
        augment_images(images, np.random.default_rng(0), 0, False), images
    )


@pytest.mark.parametrize(
    ("noise", "numbers"),
    [
        ("laplace", {}),
        ("uniform", {}),
        ("exponential-linf", {}),
        ("ablation", {"keep": 7, "absent": -1.0}),
        ("splitting", {}),
        ("brightness", {}),
        ("contrast", {}),
        ("shift", {}),
    ],
)
def test_training_draws_the_noise_that_is_certified(noise, numbers):
    """The same numbers again at the same place, other ones elsewhere, and the noise's own marks."""
    settings = TrainingSettings(0.5, seed=7, noise=noise, **numbers)
    x = torch.full((3, 2, 4, 4), 0.25) + torch.arange(4) / 255
    noisy = noisy_copies(x, settings, 2, (1, 2, 3))
    assert noisy.shape == (6, 2, 4, 4) and noisy.dtype == torch.float32
    assert torch.equal(noisy, noisy_copies(x, settings, 2, (1, 2, 3)))
    assert not torch.equal(noisy, noisy_copies(x, settings, 2, (1, 2, 4)))
    if noise == "ablation":
        assert ((noisy == -1).sum((1, 2, 3)) == 2 * (16 - 7)).all()
    if noise == "splitting":
        assert ((noisy >= 0) & (noisy <= 1)).all()


def test_macer_is_for_gaussian_noise():
    with pytest.raises(InvalidInput, match="method must be another than macer under laplace noise"):
        TrainingSettings(0.5, noise="laplace", method="macer")
