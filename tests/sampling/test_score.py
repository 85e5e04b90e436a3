"""What one row of outputs says, and when it says nothing."""

import numpy as np
import pytest

from simplicert import InvalidInput
from simplicert.sampling.score import from_labels, from_logits, from_probabilities, reader

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
    scores = from_logits(np.array([row], np.float32))
    assert scores.hard[0] == hard
    assert scores.soft[0].sum() == pytest.approx(1.0 if soft else 0.0)
    assert not np.isnan(scores.soft).any()


def test_softmax_is_double_precision():
    logits = np.array([[0.1, 0.2, 0.7]], np.float32)
    exact = np.exp(logits.astype(float)) / np.exp(logits.astype(float)).sum()
    np.testing.assert_allclose(from_logits(logits).soft, exact, rtol=1e-14)


def test_probabilities():
    scores = from_probabilities(np.array([[0.2, 0.8], [NAN, 0.5], [0.5, 0.5]], np.float32))
    np.testing.assert_array_equal(scores.hard, [1, 2, 2])
    assert (scores.soft.sum(axis=1) <= 1).all()
    assert scores.soft[1].sum() == 0
    with pytest.raises(InvalidInput, match="probabilities that sum to 1, got a sum of 5"):
        from_probabilities(np.array([[2.0, 3.0]]))
    with pytest.raises(InvalidInput, match="probabilities"):
        from_probabilities(np.array([[-0.5, 1.5]]))


def test_labels():
    scores = from_labels(3)(np.array([0, 2, 3, -1]))
    np.testing.assert_array_equal(scores.hard, [0, 2, 3, 3])
    assert scores.soft is None
    with pytest.raises(InvalidInput, match=r"class numbers, from 0, .* got .*'cat'"):
        from_labels(3)(np.array(["cat", "dog"]))
    np.testing.assert_array_equal(from_labels(3)(np.array([0.5, NAN])).hard, [3, 3])


def test_readers_by_name():
    with pytest.raises(InvalidInput, match="outputs must be one of logits, probabilities, labels"):
        reader("scores", None)
    with pytest.raises(InvalidInput, match="num_classes must be given"):
        reader("labels", None)
