"""Mean and std in front of a classifier, the same for torch and NumPy."""

import numpy as np
import pytest
import torch
from torch import nn

from simplicert.errors import InvalidInput
from simplicert.models.model import Model
from simplicert.models.normalisation import apply_normalisation

MEAN, STD = (0.5, 0.25, 0.0), (0.5, 0.25, 2.0)
BATCH = np.linspace(0, 1, 2 * 3 * 4 * 4, dtype=np.float32).reshape(2, 3, 4, 4)
EXPECTED = (BATCH - np.array(MEAN).reshape(1, 3, 1, 1)) / np.array(STD).reshape(1, 3, 1, 1)


def same(batch):
    return batch


def test_both_kinds_subtract_and_divide_by_channel():
    arrays = apply_normalisation(Model(same, "f", "0"), MEAN, STD).classifier(BATCH)
    assert arrays.dtype == np.float32
    np.testing.assert_allclose(arrays, EXPECTED, rtol=1e-6)
    module = apply_normalisation(Model(nn.Identity(), "m", "0"), MEAN, STD).classifier
    assert isinstance(module, nn.Module) and not module.training
    np.testing.assert_allclose(module(torch.from_numpy(BATCH)), EXPECTED, rtol=1e-6)


def test_one_number_serves_all_channels_and_vectors_work():
    one = apply_normalisation(Model(same, "f", "0"), [0.5], [2]).classifier
    np.testing.assert_allclose(one(BATCH), (BATCH - 0.5) / 2)
    vectors = apply_normalisation(Model(same, "f", "0"), [1, 2], [1, 4]).classifier
    np.testing.assert_allclose(vectors(np.array([[1, 2], [2, 6]], np.float32)), [[0, 0], [1, 1]])


def test_fingerprints():
    plain = Model(same, "f", "0")
    assert apply_normalisation(plain, None, None) is plain
    prints = {
        apply_normalisation(plain, mean, std).fingerprint
        for mean, std in [((0,), (1,)), ((0.5,), (1,)), ((0,), (2,))]
    }
    assert len(prints | {"0"}) == 4
    assert apply_normalisation(plain, [0.0], np.ones(1)).fingerprint in prints


def test_another_number_of_channels_is_refused():
    for classifier, batch in ((same, BATCH), (nn.Identity(), torch.from_numpy(BATCH))):
        both = apply_normalisation(Model(classifier, "f", "0"), [0, 0], [1, 1]).classifier
        with pytest.raises(InvalidInput, match=r"must have one number or 3, .* got 2"):
            both(batch)


@pytest.mark.parametrize(
    ("mean", "std", "message"),
    [
        ([0.5], None, "must be given together"),
        (None, [0.5], "must be given together"),
        ([0.5], [1, 1], "must have one length, got 1 and 2"),
        ([], [], "must have one length"),
        ([float("nan")], [1], "mean must be finite"),
        ([0], [0], r"std must be positive and finite, got \(0\.0,\)"),
        ([0], [-1], "std must be positive"),
        ([0], [float("inf")], "std must be positive"),
    ],
)
def test_wrong_numbers(mean, std, message):
    with pytest.raises(InvalidInput, match=message):
        apply_normalisation(Model(same, "f", "0"), mean, std)


def test_what_is_known_of_a_model_is_kept():
    found = apply_normalisation(Model(same, "f", "0", ("cat", "dog"), 0.5), MEAN, STD)
    assert (found.name, found.classes, found.sigma) == ("f", ("cat", "dog"), 0.5)
