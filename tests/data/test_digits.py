"""`digits`: scikit-learn's own, without a download."""

import sys

import numpy as np
import pytest

from simplicert.data import load_data
from simplicert.errors import InvalidInput


def test_digits():
    data = load_data("digits")
    assert data.inputs.shape == (1797, 1, 8, 8) and data.name == "digits"
    values = data.inputs[np.arange(1797)]
    assert values.dtype == np.float32 and values.min() == 0 and values.max() == 1
    assert data.classes == tuple("0123456789") and data.labels[:5].tolist() == [0, 1, 2, 3, 4]
    assert load_data("digits").fingerprint == data.fingerprint


def test_without_the_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    with pytest.raises(InvalidInput, match=r"needs sklearn, .* pip install 'simplicert\[demo\]'"):
        load_data("digits")
