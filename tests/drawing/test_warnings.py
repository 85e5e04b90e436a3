"""Units and outputs that are probably mistaken give a warning; ordinary ones do not."""

import re

import numpy as np
import pytest

from simplicert.data.dataset import Dataset
from simplicert.drawing.preparation import mismatch_warnings, settings_warnings
from simplicert.models import Model
from simplicert.sampling import SamplingSettings, Smoothing
from simplicert.sampling.sampler import sums_to_one

IMAGES = np.linspace(0, 1, 48, dtype=np.float32).reshape(1, 3, 4, 4)


@pytest.mark.parametrize(
    ("example", "settings", "said"),
    [
        (
            IMAGES,
            SamplingSettings(Smoothing(25)),
            "sigma 25 is large for inputs from 0 to 1: it is in units of",
        ),
        (
            IMAGES * 255,
            SamplingSettings(Smoothing(0.25)),
            "sigma 0.25 is small for images from 0 to 255: .* by 255",
        ),
    ],
)
def test_a_sigma_in_other_units_than_the_inputs(example, settings, said):
    (found,) = settings_warnings(example, settings, normalised=False)
    assert re.search(said, found)


@pytest.mark.parametrize(
    ("example", "settings"),
    [
        (IMAGES, SamplingSettings(Smoothing(0.25))),
        (IMAGES, SamplingSettings(Smoothing(1.0))),
        (IMAGES * 255, SamplingSettings(Smoothing(64))),
        (
            IMAGES.reshape(1, -1) * 1000,
            SamplingSettings(Smoothing(0.5)),
        ),  # features in units of their own
        (IMAGES * 0, SamplingSettings(Smoothing(0.5))),  # nothing to compare with
        (IMAGES, SamplingSettings(Smoothing(25, noise_scale=np.full((3, 4, 4), 0.01)))),
    ],
)
def test_no_warning(example, settings):
    assert settings_warnings(example, settings, normalised=False) == ()


def test_probabilities_read_as_logits():
    (found,) = settings_warnings(IMAGES, SamplingSettings(Smoothing(0.25)), normalised=True)
    assert "--outputs probabilities" in found
    assert (
        settings_warnings(
            IMAGES, SamplingSettings(Smoothing(0.25, "probabilities")), normalised=True
        )
        == ()
    )


def test_shares_of_one():
    assert sums_to_one(np.array([[0.25, 0.75], [1.0, 0.0]], np.float32))
    assert not sums_to_one(np.array([[0.25, 0.75], [2.0, -1.0]]))
    assert not sums_to_one(np.array([[0.25, 0.75], [0.5, 0.6]]))
    assert not sums_to_one(np.array([[0.25, np.nan]]))


def model(classes=None, sigma=None):
    return Model(lambda batch: batch, "net", "0" * 32, classes, sigma)


def data(classes=("cat", "dog", "eel"), labels=(0,)):
    held = None if labels is None else np.array(labels)
    return Dataset(IMAGES, held, np.arange(1), classes, "folder:val", "0" * 32)


@pytest.mark.parametrize(
    ("asked", "given", "said"),
    [
        (model(("ant", "cat", "dog")), data(), "class 0 is 'ant' and 'cat'"),
        (model(("cat", "dog", "eel")), data(("cat", "dog")), "class 2 is 'eel' and no class"),
        (model(), data(("cat", "dog")), "they are 3 and 2"),
        (model(sigma=0.25), data(), "sigma 0.5 is not the 0.25 that net was trained under"),
        (model(), data(labels=None), "folder:val has no labels"),
    ],
)
def test_a_model_and_data_that_do_not_belong_together(asked, given, said):
    (found,) = mismatch_warnings(asked, given, Smoothing(0.5), num_classes=3)
    assert said in found


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        (model(("cat", "dog", "eel"), 0.5), data()),
        (model(), data()),
        (model(("cat", "dog", "eel")), data(classes=None)),
    ],
)
def test_a_model_and_data_that_do(asked, given):
    assert mismatch_warnings(asked, given, Smoothing(0.5), num_classes=3) == ()
