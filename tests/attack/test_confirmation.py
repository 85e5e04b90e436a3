"""The level of a confirmation: exactly for counts, by simulation for scores."""

import numpy as np
import pytest
from scipy.stats import multinomial

import simplicert as sc
from simplicert.attack.confirmation import counts_differ, scores_differ
from simplicert.attack.losses import TESTS, Effort
from simplicert.errors import InvalidInput

UNIT = 2**40


@pytest.mark.parametrize("level", [0.3, 0.05, 0.001])
@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.3, 0.3), (0.4, 0.35), (0.05, 0.05)])
def test_counts_err_at_most_as_often_as_stated(shares, level):
    """By all outcomes of 24 draws: certified and rival level or the rival behind."""
    draws, wrong = 24, 0.0
    rest = 1 - sum(shares)
    for own in range(draws + 1):
        for rival in range(draws + 1 - own):
            other = draws - own - rival
            chance = multinomial.pmf([own, rival, other], draws, [*shares, rest])
            fresh = sc.Tally([[own, rival, other + 1]], sigma=1.0)
            wrong += chance * counts_differ(fresh, 0, 1, level)
    assert wrong <= level
    assert level < 0.05 or wrong > 0  # it can err, so this test can fail


def scored(random, draws, spread, lead):
    """A tally of scores of three classes; the rival's mean is `lead` above the certified's."""
    own = np.clip(random.normal(0.4 - lead / 2, spread, draws), 0, 0.5)
    rival = np.clip(random.normal(0.4 + lead / 2, spread, draws), 0, 0.5)
    scores = np.column_stack([own, rival, 1 - own - rival])
    votes = (random.random((draws, 1)) > scores.cumsum(axis=1)[:, :-1]).sum(axis=1)
    return sc.Tally(
        [np.bincount(scores.argmax(axis=1), minlength=3)],
        sigma=1.0,
        softmax_sums=[np.floor(scores * UNIT).astype(np.int64).sum(axis=0)],
        softmax_squares=[np.floor(scores**2 * UNIT).astype(np.int64).sum(axis=0)],
        votes=[np.bincount(votes, minlength=3)],
    )


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0.02, 0.2])
def test_scores_err_at_most_as_often_as_stated(spread):
    """1,000 tallies with equal means, level 0.1: more than 145 errors have probability 3e-6."""
    random = np.random.default_rng(1)
    wrong = sum(scores_differ(scored(random, 100, spread, 0.0), 0, 1, 0.1) for _ in range(1000))
    assert wrong <= 145


@pytest.mark.parametrize(("spread", "lead"), [(0.02, 0.06), (0.2, 0.12)])
def test_scores_that_differ_are_told_apart(spread, lead):
    """Scores that hardly vary by their limits, others by their votes; each fails below 1e-6."""
    fresh = scored(np.random.default_rng(2), 4000, spread, lead)
    assert scores_differ(fresh, 0, 1, 1e-6)
    assert not scores_differ(fresh, 1, 0, 0.5)


def test_the_limits_see_what_votes_cannot():
    fresh = scored(np.random.default_rng(3), 4000, 0.02, 0.04)
    wins, losses = fresh.votes[0, [1, 0]]
    assert wins - losses < 5 * np.sqrt(wins + losses)
    assert scores_differ(fresh, 0, 1, 1e-6)


def test_all_confirmations_together_have_the_level():
    effort = Effort(level=0.001)
    for inputs in (1, 25, 10_000):
        total = effort.test_level(inputs) * inputs * TESTS
        assert 0.000999 < total <= 0.001


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"steps": 0}, "steps must be a whole number in 1..1048576, got 0"),
        ({"restarts": 1.5}, "restarts must be a whole number"),
        ({"samples": True}, "samples must be a whole number"),
        ({"confirm": 2**21}, "confirm must be a whole number in 1..1048576, got 2097152"),
        ({"seed": -1}, "seed must be a whole number from 0 on, got -1"),
        ({"level": 0.0}, "level must lie strictly between 0 and 1, got 0.0"),
        ({"level": float("nan")}, "level must lie strictly between 0 and 1, got nan"),
    ],
)
def test_an_effort_that_makes_no_sense_is_one_sentence(wrong, message):
    with pytest.raises(InvalidInput, match=message):
        Effort(**wrong)
