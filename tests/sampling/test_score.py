"""What one row of outputs says, and when it says nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simplicert import InvalidInput
from simplicert.sampling.outputs import (
    label_reader,
    output_reader,
    read_logits,
    read_probabilities,
    score_reader,
)
from simplicert.types.smoothing import OUTPUTS, Smoothing

NAN, INF = np.nan, np.inf


@pytest.mark.parametrize(
    ("row", "hard", "soft"),
    [
        ([1.0, 2.0, 0.0], 1, True),
        ([NAN, 2.0, 0.0], 3, False),
        ([INF, 2.0, 0.0], 3, False),
        ([-INF, -INF, -INF], 3, False),
        ([-INF, 2.0, 0.0], 1, True),
        ([2.0, 2.0, 0.0], 3, True),  # a tie counts for no class, and its scores are kept
        ([1e30, -1e30, 0.0], 0, True),
    ],
)
def test_logits(row, hard, soft):
    scores = read_logits(np.array([row], np.float32))
    assert scores.hard[0] == hard
    assert scores.soft[0].sum() == pytest.approx(1.0 if soft else 0.0)
    assert not np.isnan(scores.soft).any()


def test_softmax_is_double_precision():
    logits = np.array([[0.1, 0.2, 0.7]], np.float32)
    exact = np.exp(logits.astype(float)) / np.exp(logits.astype(float)).sum()
    np.testing.assert_allclose(read_logits(logits).soft, exact, rtol=1e-14)


def test_probabilities():
    scores = read_probabilities(np.array([[0.2, 0.8], [NAN, 0.5], [0.5, 0.5]], np.float32))
    np.testing.assert_array_equal(scores.hard, [1, 2, 2])
    assert (scores.soft.sum(axis=1) <= 1).all()
    assert scores.soft[1].sum() == 0
    with pytest.raises(InvalidInput, match="probabilities that sum to 1, got a sum of 5"):
        read_probabilities(np.array([[2.0, 3.0]]))
    with pytest.raises(InvalidInput, match="probabilities"):
        read_probabilities(np.array([[-0.5, 1.5]]))


def test_labels():
    scores = label_reader(3)(np.array([0, 2, 3, -1]))
    np.testing.assert_array_equal(scores.hard, [0, 2, 3, 3])
    assert scores.soft is None
    with pytest.raises(InvalidInput, match=r"class numbers, from 0, .* got .*'cat'"):
        label_reader(3)(np.array(["cat", "dog"]))
    np.testing.assert_array_equal(label_reader(3)(np.array([0.5, NAN])).hard, [3, 3])


def test_scores_are_shares_of_their_limit():
    """Sums 1.2, 2 and 0 of a limit of 2; what is missing goes to no class."""
    rows = np.array([[0.2, 1.0, 0.0], [0.5, 0.5, 1.0], [0.0, 0.0, 0.0]])
    scores = score_reader(2.0)(rows)
    np.testing.assert_array_equal(scores.hard, [1, 2, 3])
    np.testing.assert_array_equal(scores.soft, rows / 2)


@pytest.mark.parametrize(
    "row",
    [
        [1.0, 1.01, 0.0],
        [-1e-30, 1.0, 0.5],
        [NAN, 0.1, 0.1],
        [INF, 0.1, 0.1],
        [-INF, 0.1, 0.1],
        [1.0, 1.0, 3e-6],
        [1e300, 1e300, 1e300],
    ],
)
def test_a_draw_beyond_the_limit_is_invalid(row):
    """Whatever stands beside it: the limit is a property of the function, not of the draws seen."""
    sound = [0.5, 1.0, 0.25]
    scores = score_reader(2.0)(np.array([sound, row, sound]))
    np.testing.assert_array_equal(scores.hard, [1, 3, 1])
    np.testing.assert_array_equal(scores.soft[1], 0.0)
    np.testing.assert_array_equal(scores.soft[0], score_reader(2.0)(np.array([sound])).soft[0])


@given(st.integers(0, 2**32 - 1), st.integers(2, 1000), st.floats(1e-3, 1e3))
def test_rounding_in_single_precision_breaks_no_limit(seed, classes, limit):
    """Scores scaled to the limit in float32: never invalid, in [0, 1], their sum at most 1."""
    raw = np.random.default_rng(seed).random((3, classes), dtype=np.float32)
    scaled = raw / raw.sum(axis=1, keepdims=True) * np.float32(limit)
    soft = score_reader(float(np.float32(limit)))(scaled).soft
    assert (soft >= 0).all() and (soft.sum(axis=1) <= 1 + 1e-12).all()
    assert (soft.sum(axis=1) > 0.999).all()


def test_every_kind_of_outputs_has_a_reader():
    for outputs in OUTPUTS:
        limit = 1.0 if outputs == "scores" else None
        read = output_reader(Smoothing(1.0, outputs, 2, limit))
        rows = np.array([1, 0]) if outputs == "labels" else np.array([[0.0, 1.0], [1.0, 0.0]])
        np.testing.assert_array_equal(read(rows).hard, [1, 0])
