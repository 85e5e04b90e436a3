"""Expectations hold numbers in [0, 1], or nothing where the input is abstained."""

import numpy as np
import pytest

from simplicert import Expectations, InvalidInput
from simplicert.types import ScoreBands
from simplicert.types.scores import BINS


def test_a_point_of_the_simplex():
    known = Expectations([0], [0.6], [0.3])
    assert (known.sigma, known.alpha, known.kind, known.scheme) == (
        1.0,
        0.0,
        "multinomial",
        "exact",
    )
    assert not known.abstained[0]
    assert repr(known) == (
        "Expectations(1 inputs, 0 abstained, multinomial, scheme exact, sigma 1, alpha 0)"
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"e0": [1.5]}, "e0 must lie in"),
        ({"e1": [-0.1]}, "e1 must lie in"),
        ({"e0": [np.nan]}, "e0 and e1 must be NaN together"),
        ({"e0": [0.5, 0.6]}, r"e0 must have shape \(1,\), got \(2,\)"),
        ({"e0": ["x"]}, "e0 must hold numbers"),
        ({"top": [0.0]}, "top must hold integers"),
        ({"top": [-1]}, "top must not be negative"),
        ({"sigma": 0}, "sigma must be a positive finite number"),
        ({"alpha": 1.0}, "alpha must lie in"),
        ({"alpha": np.nan}, "alpha must lie in"),
        ({"kind": "both"}, "kind must be one of"),
        ({"labels": [1, 2]}, "labels must have shape"),
        ({"reason": np.array(["a", "b"])}, "reason must have shape"),
    ],
)
def test_refused_input(change, message):
    fields = {"top": [0], "e0": [0.6], "e1": [0.3], **change}
    with pytest.raises(InvalidInput, match=message):
        Expectations(**fields)


def test_bands_are_one_row_an_input():
    bands = ScoreBands(np.full((2, BINS), 0.6), np.full((2, 1, BINS), 0.3))
    with pytest.raises(InvalidInput, match="bands must have one row for each of 1 inputs"):
        Expectations([0], [0.6], [0.3], kind="softmax", bands=bands)


def test_frozen():
    known = Expectations([0], [0.6], [0.3], kind="soft")
    assert known.kind == "softmax"
    with pytest.raises(ValueError, match="read-only"):
        known.e0[0] = 0.9


NOTHING = np.full(2, np.nan)


def test_a_margin_in_place_of_the_pair():
    known = Expectations([0, 1], NOTHING, NOTHING, margin=[0.5, np.nan], has_pair=False)
    assert list(known.abstained) == [False, True]
    assert "2 inputs, 1 abstained" in repr(known)
    with pytest.raises(ValueError, match="read-only"):
        known.margin[0] = 9


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"margin": [-0.1, 0.1]}, "margin must be positive or NaN, got"),
        ({"margin": [0.0, 0.1]}, "margin must be positive or NaN, got"),
        ({"margin": [np.inf, 0.1]}, "margin must be positive or NaN, got"),
        ({"margin": [0.1]}, r"margin must have shape \(2,\), got \(1,\)"),
        ({"margin": ["x", "y"]}, "margin must hold numbers"),
        (
            {"margin": [0.1, 0.1], "e0": [0.6, np.nan], "e1": [0.3, np.nan]},
            "e0 must be NaN exactly where the margin is",
        ),
    ],
)
def test_a_margin_that_is_none(change, message):
    fields = {"top": [0, 1], "e0": NOTHING, "e1": NOTHING, **change}
    with pytest.raises(InvalidInput, match=message):
        Expectations(**fields)
