"""Scores in [0, c]: mean scores of any classifier, certified and predicted as shares of c."""

import numpy as np
import pytest
from linear import point
from scipy.special import ndtr, ndtri

import simplicert as sc

SIGMA, LIMIT = 0.5, 5.0


def scored(batch):
    """Class 0 scores 4 above 0 and 1 below it, class 1 scores 0 and 2: sums of 4 and 3.

    The third class never scores: of two classes only the first would be bounded.
    """
    above = batch.reshape(len(batch), -1)[:, :1] > 0
    return np.where(above, [[4.0, 0.0, 0.0]], [[1.0, 2.0, 0.0]])


def mean_score(x):
    """Of class 0, over the limit."""
    p = ndtr(x / SIGMA)
    return (4 * p + 1 * (1 - p)) / LIMIT


def test_the_expectation_is_the_mean_score_over_the_limit():
    """Bounds at alpha .001 hold but once in a thousand; 20,000 draws bring them within .02."""
    x = point(0.9, SIGMA)
    smooth = sc.Smoothed(scored, SIGMA, kind="softmax", outputs="scores", score_limit=LIMIT)
    known = smooth.certify(x, draws=20_000, seed=0).known
    truth = mean_score(x[0, 0].astype(float))
    assert truth - 0.02 < known.e0[0] <= truth
    missing = 1 - truth - 2 * (1 - ndtr(x[0, 0] / SIGMA)) / LIMIT  # a rival, though no class
    assert missing <= known.e1[0] < missing + 0.02
    assert known.reading.score_limit == LIMIT


def test_the_radius_is_true():
    """Where the mean scores meet: 4p + (1 - p) = 2 (1 - p), p = 1/5, the smoothed class changes."""
    x = point(0.9, SIGMA)
    smooth = sc.Smoothed(scored, SIGMA, kind="softmax", outputs="scores", score_limit=LIMIT)
    found = smooth.certify(x, draws=20_000, seed=0)
    boundary = SIGMA * (ndtri(0.9) - ndtri(0.2))
    assert 0 < found.radius[0] < boundary
    # A hair on this side of it predict says 0, on the other 1, or abstains.
    for shift, answer in ((-0.2, 0), (0.2, 1)):
        moved = x.copy()
        moved[0, 0] -= boundary + shift
        given = smooth.predict(np.repeat(moved, 20, axis=0), draws=5000, seed=1).classes
        assert set(given.tolist()) <= {answer, sc.smoothed.ABSTAIN} and (given == answer).any()


def test_counts_go_by_the_largest_score():
    smooth = sc.Smoothed(scored, SIGMA, outputs="scores", score_limit=LIMIT)
    x = point(0.3, SIGMA)  # class 1 is the largest on 70 % of the noise
    assert smooth.predict(x, seed=0).classes.tolist() == [1]
    assert smooth.certify(x, draws=2000, seed=0).predicted.tolist() == [1]
    soft = sc.Smoothed(scored, SIGMA, kind="softmax", outputs="scores", score_limit=LIMIT)
    assert soft.predict(x, draws=5000, seed=0).classes.tolist() == [0]  # .38 against .28


@pytest.mark.parametrize("bad", [np.nan, -0.5, 9.0])
@pytest.mark.parametrize("kind", ["multinomial", "softmax"])
def test_a_draw_beyond_the_limit_counts_for_no_class(bad, kind):
    """A quarter of the draws is invalid, for the certificate and for the prediction alike.

    Four standard errors of the share are .03 at 4,000 draws, and .1 at 300.
    """

    def sometimes(batch):
        wrong = batch.reshape(len(batch), -1)[:, 1] > SIGMA * ndtri(0.75)
        return np.where(wrong[:, None], [[bad, 0.1]], [[LIMIT, 0.0]])

    x = np.zeros((1, 4), np.float32)
    smooth = sc.Smoothed(sometimes, SIGMA, kind=kind, outputs="scores", score_limit=LIMIT)
    known = smooth.certify(x, draws=4000, seed=0).known
    assert 0.69 < known.e0[0] < 0.75  # the rest is of no class
    given = smooth.predict(np.repeat(x, 20, axis=0), draws=400, seed=0)
    assert given.draws.sum() > 300
    assert abs(given.votes.sum() / given.draws.sum() - 0.75) < 0.1
    assert (given.votes[:, 1] == 0).all()


def test_probabilities_are_scores_of_limit_one():
    def shares(batch):
        p = 1 / (1 + np.exp(-batch.reshape(len(batch), -1)[:, 0].astype(float)))
        return np.stack([p, 1 - p], axis=1)

    x = point(0.8, SIGMA)
    one = sc.sample(shares, x, SIGMA, 500, outputs="probabilities")
    other = sc.sample(shares, x, SIGMA, 500, outputs="scores", score_limit=1.0)
    np.testing.assert_array_equal(one.softmax_sums, other.softmax_sums)
    np.testing.assert_array_equal(one.counts, other.counts)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"outputs": "scores"}, "score_limit must be given with outputs="),
        ({"outputs": "scores", "score_limit": 0.0}, "score_limit must be a positive finite number"),
        ({"outputs": "scores", "score_limit": np.inf}, "score_limit must be a positive finite"),
        ({"score_limit": 2.0}, 'score_limit must come with outputs="scores", got 2.0 with logits'),
    ],
)
def test_refused(options, message):
    for use in (sc.Smoothed, lambda *words, **more: sc.sample(*words, draws=9, **more)):
        words = (scored, SIGMA) if use is sc.Smoothed else (scored, point(0.9, SIGMA), SIGMA)
        with pytest.raises(sc.InvalidInput, match=message):
            use(*words, **options)
