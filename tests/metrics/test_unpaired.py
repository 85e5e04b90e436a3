"""Unpaired comparisons hold whatever inputs two runs share, and Holm's correction is Holm's."""

from itertools import combinations

import numpy as np
import pytest
from certified import stated
from scipy.stats import binom

from simplicert.errors import InvalidInput
from simplicert.metrics import holm_adjust, unpaired_average, unpaired_test
from simplicert.metrics.intervals import Rate, rate_limits
from simplicert.metrics.unpaired import fisher_p_value, unpaired_p_value

FIRST, SECOND = 7, 9  # inputs of two small runs, of which every outcome is enumerated
LEVEL = 0.05


def rate(hits, total):
    return Rate(hits / total, 0.0, 1.0, hits, total)


def couple(share):
    """Joint distributions with these margins: independent, together, and against each other."""
    one, two = (binom.pmf(np.arange(n + 1), n, share) for n in (FIRST, SECOND))
    yield np.outer(one, two)
    for side in (two, two[::-1]):
        ends = [np.concatenate([[0.0], np.cumsum(p)]) for p in (one, side)]
        low = np.maximum(ends[0][:-1, None], ends[1][None, :-1])
        high = np.minimum(ends[0][1:, None], ends[1][None, 1:])
        joint = np.maximum(high - low, 0.0)
        yield joint if side is two else joint[:, ::-1]


def test_the_test_keeps_its_level_however_the_runs_depend():
    """Exact, over all outcomes and three couplings of the two runs."""
    p = np.array(
        [[unpaired_p_value(rate(a, FIRST), rate(b, SECOND)) for b in range(SECOND + 1)]
         for a in range(FIRST + 1)]
    )  # fmt: skip
    for level in (0.05, 0.2, 0.5):
        for share in np.linspace(0.02, 0.98, 25):
            for joint in couple(share):
                assert joint.sum() == pytest.approx(1)
                assert joint[p <= level].sum() <= level + 1e-12
    assert p.min() < LEVEL  # it can reject at all


def test_test_and_interval_agree():
    """The interval of the difference leaves out 0 exactly where p is below the error."""
    half = 1 - LEVEL / 2
    for a in range(FIRST + 1):
        for b in range(SECOND + 1):
            (low, high), (low_too, high_too) = (
                rate_limits(np.array(k), n, half) for k, n in ((a, FIRST), (b, SECOND))
            )
            apart = low_too - high > 0 or high_too - low < 0
            assert apart == (unpaired_p_value(rate(a, FIRST), rate(b, SECOND)) < LEVEL)


def test_equal_shares_have_p_one_and_order_does_not_matter():
    assert unpaired_p_value(rate(0, 5), rate(0, 9)) == unpaired_p_value(rate(2, 4), rate(3, 6)) == 1
    one, two = rate(10, 100), rate(60, 200)
    assert unpaired_p_value(one, two) == unpaired_p_value(two, one) < 0.01
    assert fisher_p_value(one, two) < unpaired_p_value(one, two)


def test_fisher_by_hand():
    """0 of 6 against 8 of 8: one of the C(14, 6) = 3003 tables, and its mirror does not exist."""
    assert fisher_p_value(rate(0, 6), rate(8, 8)) == pytest.approx(1 / 3003)


def test_runs_of_other_sizes_are_compared_each_over_its_own_inputs():
    few = stated([True] * 4, two_sided=[0.6, 0.6, 0.0, 0.0])
    more = stated([True] * 10, two_sided=[0.9] * 8 + [0.0] * 2)
    change = unpaired_test(few, more, 0.5)
    assert (change.first.value, change.second.value) == (0.5, 0.8)
    assert change.difference == pytest.approx(0.3) and change.low < 0 < change.high
    assert unpaired_test(few, more, 0.5, disjoint=True).test.startswith("Fisher")
    mean = unpaired_average(few, more, resamples=200)
    assert mean.difference == pytest.approx(0.72 - 0.3) and mean.low < 0.42 < mean.high


def test_holm_is_closed_testing_with_bonferroni():
    """By definition: the largest over all sets that hold a p-value of its size times its least."""
    values = np.random.default_rng(0).random(6) ** 3
    wanted = [
        max(
            min(1.0, size * min(values[list(held)]))
            for size in range(1, 7)
            for held in combinations(range(6), size)
            if place in held
        )
        for place in range(6)
    ]
    assert holm_adjust(values) == pytest.approx(wanted)
    assert holm_adjust([]).size == 0 and holm_adjust([0.9, 0.8]).tolist() == [1.0, 1.0]
    with pytest.raises(InvalidInput, match=r"p must lie in \[0, 1\]"):
        holm_adjust([1.5])
