"""Predictions: how often they are wrong, how many draws they take, when they abstain."""

import numpy as np
import pytest
import torch
from linear import Line, bands, line_array, point

import simplicert as sc
from simplicert.smoothed import ABSTAIN
from simplicert.smoothed.prediction import predict_exactly

SIGMA = 0.5


pytestmark = pytest.mark.usefixtures("one_thread")


def many(x, count):
    return np.repeat(x, count, axis=0)


@pytest.mark.parametrize("kind", ["multinomial", "softmax"])
@pytest.mark.parametrize("classifier", [Line(), line_array], ids=["torch", "numpy"])
def test_a_clear_input(classifier, kind):
    """At p = .999 every one of 50 inputs is decided (each fails with less than 1e-20)."""
    smooth = sc.Smoothed(classifier, SIGMA, 2, kind=kind)
    found = smooth.predict(many(point(0.999, SIGMA), 50), seed=0)
    assert (found.classes == 0).all() and not found.abstained.any() and len(found) == 50
    assert (found.p_value <= 0.001).all() and (found.draws < 1000).all()
    assert (found.votes.sum(axis=1) == found.draws).all()


def test_forty_draws_are_enough_at_nine_tenths():
    """Mean draws at p_A = .9, alpha .001: over 1,000 inputs its standard error is about .4."""
    found = sc.Smoothed(line_array, SIGMA).predict(many(point(0.9, SIGMA), 1000), seed=0)
    assert found.draws.mean() < 37 and not found.abstained.any()


def test_a_tie_takes_the_thousand_draws_that_are_allowed_and_abstains():
    """It would be decided with probability .001 at most; this seed does not."""
    found = sc.Smoothed(line_array, SIGMA).predict(point(0.5, SIGMA), seed=0)
    assert found.draws.tolist() == [1000] and found.abstained.all()


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_wrong_at_most_alpha(alpha):
    """A hair on the other side of a tie, the worst case: the rate of wrong classes.

    4,000 inputs: the rate's standard error is below .0064, and the test allows four of them.
    """
    inputs = many(point(0.499, SIGMA), 4000)
    found = sc.Smoothed(line_array, SIGMA).predict(inputs, alpha=alpha, draws=300, seed=1)
    wrong = (found.classes == 0).mean()
    assert wrong <= alpha + 4 * np.sqrt(alpha * (1 - alpha) / 4000)
    assert wrong > 0.1 * alpha  # the point is a hard one, or the test says nothing
    assert (found.classes[found.abstained] == ABSTAIN).all()
    assert (found.p_value[found.abstained] > alpha).all()


def test_softmax_follows_the_mean_score():
    """Votes by scores: of a classifier sure of itself on one side, and hardly so on the other."""

    def lopsided(x):  # class 0 on 40 % of the noise with score 1, else class 1 by a hair
        first = x.reshape(len(x), -1)[:, 0]
        strong = first > SIGMA * 0.2533  # P(N > .2533) = .4
        return np.where(strong[:, None], [[1.0, 0.0]], [[0.49, 0.51]])

    inputs = np.zeros((5, 3), np.float32)
    hard = sc.Smoothed(lopsided, SIGMA, outputs="probabilities").predict(inputs, seed=0)
    soft = sc.Smoothed(lopsided, SIGMA, kind="softmax", outputs="probabilities")
    assert (hard.classes == 1).all()  # 60 % of the answers
    assert (soft.predict(inputs, seed=0).classes == 0).all()  # mean score .4 + .6 * .49


def test_seeded_or_not():
    smooth, x = sc.Smoothed(Line(), SIGMA), many(point(0.8, SIGMA), 20)
    one, same, other = (smooth.predict(x, seed=s) for s in (3, 3, None))
    assert (one.votes == same.votes).all()
    assert (other.votes.shape == one.votes.shape) and (other.votes != one.votes).any()


def test_three_classes_and_batches():
    """The middle class has P(|N(0, .25)| < 1) = .954, whatever the size of a batch."""
    x = np.zeros((3, 2), np.float32)
    for size in (1, 7, 1000):
        found = sc.Smoothed(bands, SIGMA, batch_size=size).predict(x, seed=0)
        assert (found.classes == 1).all() and found.votes.shape == (3, 3)


def test_a_module_is_left_as_it_was():
    net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Dropout(0.5), Line()).train()
    sc.Smoothed(net, SIGMA).predict(point(0.9, SIGMA), seed=0)
    assert net.training and net[1].training


def test_answers_that_are_none():
    """A draw without an answer votes for no class: nothing is decided."""
    found = sc.Smoothed(lambda x: np.full((len(x), 3), np.nan), SIGMA).predict(
        np.zeros((2, 2), np.float32), draws=50, seed=0
    )
    assert found.abstained.all() and not found.votes.any() and (found.p_value == 1).all()


def test_labels_only():
    smooth = sc.Smoothed(lambda x: (x[:, 0] > 0).astype(int), SIGMA, 2, outputs="labels")
    assert smooth.predict(point(0.99, SIGMA), seed=0).classes.tolist() == [1]


class _Counted:
    """Votes that are already known: one column per class, then draws without an answer."""

    def __init__(self, votes):
        self.votes = np.array(votes)

    def __len__(self):
        return len(self.votes)

    def draw(self, going, span):
        return self.votes[:, :-1]


def test_where_every_draw_is_made_as_many_without_an_answer_as_for_a_class_abstain():
    found = predict_exactly(_Counted([[5, 0, 4], [4, 1, 4], [2, 3, 4], [3, 3, 2]]), 9)
    assert found.classes.tolist() == [0, ABSTAIN, ABSTAIN, 0]
    assert found.p_value.tolist() == [0.0, 1.0, 1.0, 0.0] and found.draws.tolist() == [9] * 4


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (np.zeros(3, np.float32), r"inputs must be a batch of shape \(N, features...\)"),
        (np.zeros((0, 3), np.float32), r"inputs must be a batch"),
        (np.full((1, 3), np.nan, np.float32), "inputs must be finite"),
    ],
)
def test_refused(inputs, message):
    with pytest.raises(sc.InvalidInput, match=message):
        sc.Smoothed(line_array, SIGMA).predict(inputs)


def test_another_number_of_classes():
    with pytest.raises(sc.InvalidInput, match="num_classes = 3 outputs"):
        sc.Smoothed(line_array, SIGMA, 3).predict(point(0.9, SIGMA))
