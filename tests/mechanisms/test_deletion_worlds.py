"""Deletion in small worlds whose truth is known exactly: attacks on all words, and drawn ends."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom
from words_world import WORDS, distances, find_flips, shares

import simplicert as sc
from simplicert.noises import NOISES

NORMS = NOISES["deletion"].norms
RATE = Fraction(4, 5)  # of the exact shares; 0.8 of the draws differs by 4e-17


def random_table(seed):
    """A class of its own for every word, drawn once."""
    table = dict(zip(WORDS, np.random.default_rng(seed).integers(0, 2, len(WORDS)), strict=True))
    return lambda word: int(table[word])


CLASSIFIERS = {
    "more a than b": lambda word: int(word.count("a") > word.count("b")),
    "holds b": lambda word: int("b" in word),
    "holds ab in a row": lambda word: int("ab" in "".join(word)),
    "begins with a": lambda word: int(word[:1] == ("a",)),
    "even length": lambda word: int(len(word) % 2 == 0),
    "a table": random_table(0),
    "another table": random_table(1),
}


def exact_radii(classify, word, rate=RATE):
    """The radii at the exact probabilities, in every norm."""
    low, high = sorted(map(float, shares(classify, word, rate)))
    return {
        norm: sc.radius("two_sided", high, low, noise="deletion", norm=norm, rate=float(rate))
        for norm in NORMS
    }


@pytest.mark.slow
@pytest.mark.parametrize("rate", [Fraction(4, 5), Fraction(9, 10), Fraction(3, 5)])
def test_no_word_inside_the_radius_has_another_class(rate):
    """Seven classifiers, all 127 words, every word of the world inside the radius."""
    tried = dict.fromkeys(NORMS, 0)
    for classify in CLASSIFIERS.values():
        for word in WORDS:
            if len(set(shares(classify, word, rate))) == 1:
                continue  # neither class is the largest, and nothing is certified
            for norm, radius in exact_radii(classify, word, rate).items():
                assert not find_flips(classify, word, rate, norm, radius), (word, norm, radius)
                inside = [steps for steps in distances(word)[norm].values() if steps <= radius]
                tried[norm] += len(inside) - 1
    assert min(tried.values()) > 0


@pytest.mark.parametrize(
    ("norm", "word", "radius", "flip"),
    [
        ("edits", "aaaa", 3, "bbbb"),  # all letters replaced
        ("insertions", "aa", 3, "bbbbaa"),
        ("deletions", "bbbbbb", 2, "bbb"),
    ],
)
def test_one_step_beyond_the_radius_a_worst_case_flips(norm, word, radius, flip):
    """The attack on all words finds it there, and nothing before."""
    classify = CLASSIFIERS["holds b"]
    word, flip = tuple(word), tuple(flip)
    assert exact_radii(classify, word)[norm] == radius
    assert not find_flips(classify, word, RATE, norm, radius)
    assert flip in find_flips(classify, word, RATE, norm, radius + 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["more a than b", "holds b", "a table"])
def test_drawn_certificates_are_wrong_at_most_alpha(name):
    """From draws to radii: 30 seeds of the 32 words of five letters, alpha .1.

    A certificate is wrong if the exact probabilities do not keep its bounds. If that happened with
    probability alpha to each, more than the limit would be wrong with probability 1e-6. Whatever
    keeps its bounds must survive the attack on all words, in every norm.
    """
    classify, alpha, seeds = CLASSIFIERS[name], 0.1, 30
    words = [word for word in WORDS if len(word) == 5]
    truth = np.array([[float(share) for share in shares(classify, w, RATE)] for w in words])
    wrong = 0
    for seed in range(seeds):
        tally = sc.sample(
            lambda batch: [classify(tuple(one)) for one in batch],
            [list(word) for word in words],
            draws=128,
            noise="deletion",
            rate=0.8,
            outputs="labels",
            num_classes=2,
            seed=seed,
            device="cpu",
        )
        known = sc.bound(tally, alpha)
        top = truth[np.arange(len(words)), known.top]
        holds = known.abstained | ((top >= known.e0) & (1 - top <= known.e1))
        wrong += int((~holds).sum())
        for norm in NORMS:
            certified = sc.certify(known, norm=norm).radius
            for row in np.flatnonzero(holds & ~known.abstained):
                assert not find_flips(classify, words[row], RATE, norm, certified[row])
    assert wrong <= binom.isf(1e-6, seeds * len(words), alpha)
