"""Looks, shares and p-values of a prediction."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from simplicert import InvalidInput
from simplicert.smoothed.prediction import (
    first_look,
    look_shares,
    p_values,
    prediction_looks,
    require_decidable,
)


@given(st.integers(20, 10**6), st.sampled_from([0.05, 0.01, 0.001, 1e-6]))
def test_looks_grow_to_the_last(draws, alpha):
    found = prediction_looks(draws, alpha)
    assert found[-1] == draws and list(found) == sorted(set(found))
    weights = look_shares(len(found))
    assert len(weights) == len(found) and weights.sum() <= 1 + 1e-12 and (weights > 0).all()
    if len(found) > 1:
        assert found[0] == first_look(alpha)


def test_p_is_twice_the_tail_over_the_share():
    """Against scipy's own test; the two-sided p of a fair coin is twice the tail."""
    votes = np.array([[30, 10, 2], [5, 20, 19], [7, 0, 0]])
    top, p = p_values(votes, 0.5)
    assert top.tolist() == [0, 1, 0]
    for row, (wins, losses) in enumerate([(30, 10), (20, 19), (7, 0)]):
        tail = binomtest(wins, wins + losses, alternative="greater").pvalue
        assert p[row] == pytest.approx(min(1.0, 2 * tail / 0.5), rel=2e-4)
        assert p[row] >= min(1.0, 2 * tail / 0.5)


def test_a_tie_is_no_winner():
    assert p_values(np.array([[9, 9, 1], [0, 0, 0]]), 1.0)[1].tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("draws", "alpha", "message"),
    [
        (5, 0.001, "draws must be a whole number of at least 11"),
        (True, 0.001, "draws must be a whole number"),
        (1000, 0.0, r"alpha must be a number in \(0, 1\), got 0.0"),
        (1000, 1.5, r"alpha must be a number in \(0, 1\)"),
    ],
)
def test_refused(draws, alpha, message):
    with pytest.raises(InvalidInput, match=message):
        require_decidable(draws, alpha)
