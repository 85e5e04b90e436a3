"""Intervals of what a gate measures, and the radii that it may be asked about."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from simplicert.errors import InvalidInput
from simplicert.metrics.measures import (
    INTERVALS,
    MEASURES,
    CertificateRows,
    find_interval,
    parse_measure,
)


def rows(radius, correct=None):
    radius = np.asarray(radius, float)
    right = np.ones(len(radius), bool) if correct is None else np.asarray(correct)
    return CertificateRows(right, radius, radius == 0, 0.001, "l2")


def test_every_measure_has_an_interval():
    assert set(INTERVALS) == set(MEASURES)


def test_a_median_s_interval_covers_by_enumeration():
    """P(low <= median <= high) for a continuous distribution, summed exactly: 95 % at least."""
    for total in (6, 9, 20, 57):
        values = np.arange(1.0, total + 1)
        low, high = find_interval("median_radius", rows(values), None)
        below = int(low)  # the median lies above the value of this rank if so many are below it
        misses = 2 * sum(comb(total, k) for k in range(below))
        assert high == total + 1 - low and Fraction(misses, 2**total) <= Fraction(1, 20)
        wider = misses + 2 * comb(total, below)
        assert Fraction(wider, 2**total) > Fraction(1, 20)  # the next rank would be too few
    assert find_interval("median_radius", rows([1.0] * 5), None) == (None, None)


def test_a_share_s_interval_is_clopper_and_pearson_s():
    from scipy.stats import binomtest

    low, high = find_interval("accuracy", rows([0.5] * 30 + [0.1] * 70), 0.25)
    wanted = binomtest(30, 100).proportion_ci(0.95, "exact")
    assert low == pytest.approx(wanted.low, rel=1e-4) and low <= wanted.low
    assert high == pytest.approx(wanted.high, rel=1e-4) and high >= wanted.high


def test_a_mean_s_interval_is_the_normal_one():
    low, high = find_interval(
        "average_radius", rows([3.0, 4.0, 5.0, 9.0], [True] * 3 + [False]), None
    )
    error = np.std([3, 4, 5, 0], ddof=1) / 2
    assert (low, high) == (pytest.approx(3 - 1.96 * error), pytest.approx(3 + 1.96 * error))
    assert find_interval("average_radius", rows([1.0]), None) == (None, None)
    assert find_interval("average_radius", rows([0.0, 0.0, 9.0]), None)[0] == 0


@pytest.mark.parametrize(
    "text", ["accuracy", "abstained@1", "accuracy@-1", "accuracy@1e999", "x@1"]
)
def test_measures_that_are_none(text):
    with pytest.raises(InvalidInput, match="measure must"):
        parse_measure(text)
