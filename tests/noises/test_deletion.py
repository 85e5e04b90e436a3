"""Deletion drops every token by itself, with the probability that it says."""

import itertools

import numpy as np
import pytest
from scipy.stats import chi2

from simplicert.noises.deletion import drop_tokens
from simplicert.sampling.noise import chunk_generator


def copies(tokens, rows, rate=0.7, where=(0, 5, 2, 0)):
    return drop_tokens(tokens, chunk_generator(*where), rows, rate)


def test_a_draw_does_not_depend_on_how_many_others_are_made():
    tokens = tuple(f"w{n}" for n in range(9))
    whole = copies(tokens, slice(0, 64))
    assert len(set(whole)) > 30
    for rows in (slice(0, 1), slice(0, 10), slice(7, 31), slice(63, 64)):
        assert copies(tokens, rows) == whole[rows]
    assert copies(tokens, slice(0, 64), where=(0, 5, 3, 0)) != whole


def test_order_is_kept_and_nothing_is_added():
    tokens = tuple(range(40))
    for copy in copies(tokens, slice(0, 64)):
        assert list(copy) == sorted(set(copy))
        assert set(copy) <= set(tokens)
    assert copies((), slice(0, 3)) == [(), (), ()]


def test_a_rate_next_to_one_drops_nearly_all_and_next_to_zero_nearly_nothing():
    tokens = tuple(range(100))
    assert not any(copies(tokens, slice(0, 64), 1 - 2**-40))
    assert copies(tokens, slice(0, 2), 1e-12) == [tokens, tokens]


@pytest.mark.parametrize("rate", [0.3, 0.8])
def test_every_subset_has_its_probability(rate):
    """Sixteen subsets of four tokens, chi-squared at level 1e-6."""
    draws, tokens = 12_800, "abcd"
    seen = dict.fromkeys(itertools.chain.from_iterable(
        itertools.combinations(tokens, n) for n in range(5)
    ), 0)  # fmt: skip
    for chunk in range(draws // 64):
        for copy in copies(tuple(tokens), slice(0, 64), rate, (1, 0, chunk, 0)):
            seen[copy] += 1
    wanted = np.array([draws * rate ** (4 - len(s)) * (1 - rate) ** len(s) for s in seen])
    distance = ((np.array(list(seen.values())) - wanted) ** 2 / wanted).sum()
    assert distance < chi2.isf(1e-6, 15)
