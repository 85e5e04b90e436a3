"""One column over another, against plain loops, scipy's own test and every choice of signs."""

import itertools
import math
import statistics

import numpy as np
import pytest
import scipy.stats
from certified import certificates, drawn, stated
from hypothesis import given, settings
from hypothesis import strategies as st

from simplicert import InvalidInput
from simplicert.metrics.comparison import (
    Wilcoxon,
    improvement_curve,
    measure_improvement,
    percent_gain,
    wilcoxon_test,
)
from simplicert.metrics.intervals import rate_limits

PAIRS = [("ensemble", "cohen"), ("improved_dp", "li"), ("two_sided", "ensemble")]

each_pair = pytest.mark.parametrize(("column", "over"), PAIRS)
each_population = pytest.mark.parametrize("population", ["all", "correct"])


def pairs_of(certs, column, over, population):
    """(new, base) of each input of a population, by the words of its definition."""
    table = certs.to_frame().to_dict("records")
    pairs = [(r[column], r[over]) for r in table if population == "all" or r["correct"]]
    # Two radii that differ by rounding are the same radius.
    return [(base if abs(new - base) <= 1e-12 * base else new, base) for new, base in pairs]


@each_population
@each_pair
def test_improvement_against_plain_loops(column, over, population):
    certs = drawn()
    pairs = pairs_of(certs, column, over, population)
    based = [(new, base) for new, base in pairs if base > 0]
    found = measure_improvement(certs, column, over, population=population)
    assert found.improved.hits == sum(new > base for new, base in pairs)
    assert found.improved.total == len(pairs)
    assert found.with_base == len(based)
    assert found.from_nothing == sum(base == 0 and new > 0 for new, base in pairs)
    gains, gains_with_base = ([new - base for new, base in some] for some in (pairs, based))
    percents = [(new - base) / base * 100 for new, base in based]
    for values, names in (
        (gains, ("median", "mean")),
        (gains_with_base, ("median_with_base", "mean_with_base")),
        (percents, ("median_percent", "mean_percent")),
    ):
        expected = statistics.median(values), statistics.fmean(values)
        assert [getattr(found, name) for name in names] == pytest.approx(expected, rel=1e-9)


def test_improvement_by_hand():
    """Bases 0, 0, 1, 2, 4 and gains 0, 3, 1, 0, -1: from nothing, 100 %, 0 and -25 %."""
    certs = stated([True] * 5, cohen=[0, 0, 1, 2, 4], two_sided=[0, 3, 2, 2, 3])
    found = measure_improvement(certs, "two_sided", "cohen")
    assert (found.improved.hits, found.improved.total) == (2, 5)
    assert (found.median, found.mean) == (0, 3 / 5)
    assert (found.with_base, found.from_nothing) == (3, 1)
    assert (found.median_with_base, found.mean_with_base) == (0, 0)
    assert (found.median_percent, found.mean_percent) == (0, 25)


def test_without_a_base_there_is_no_percentage():
    found = measure_improvement(stated([True, True], cohen=[0, 0], two_sided=[1, 0]), "two_sided")
    assert (found.with_base, found.from_nothing, found.mean) == (0, 1, 0.5)
    assert found.median_percent is found.mean_percent is None
    assert found.median_with_base is found.mean_with_base is None


def test_the_defaults_are_the_paper_s_comparison():
    certs = drawn()
    assert measure_improvement(certs) == measure_improvement(
        certs, "ensemble", "cohen", population="all"
    )
    assert wilcoxon_test(certs) == wilcoxon_test(certs, "ensemble", "cohen", population="all")


@pytest.mark.slow
@settings(deadline=None)
@given(certificates(), st.sampled_from(["all", "correct"]))
def test_share_improved_by_counts_the_inputs_above_each_percentage(certs, population):
    percents = [-100, -50, 0, 20, 100, 250, 1e300]
    curve = improvement_curve(certs, percents, "li", "cohen", population=population)
    pairs = pairs_of(certs, "li", "cohen", population)
    for percent, hits in zip(percents, curve.hits, strict=True):
        expected = 0
        for new, base in pairs:
            gain = (new / base - 1) * 100 if base > 0 else math.inf if new > 0 else 0
            expected += gain > percent
        assert hits == expected
    assert curve.total == len(pairs)
    assert curve.value.tolist() == [hits / len(pairs) for hits in curve.hits]


@each_population
@each_pair
def test_improved_by_more_than_nothing_is_improved(column, over, population):
    curve = improvement_curve(drawn(), [0.0], column, over, population=population)
    improved = measure_improvement(drawn(), column, over, population=population).improved
    assert (curve.hits[0], curve.low[0], curve.high[0]) == (
        improved.hits,
        improved.low,
        improved.high,
    )


def test_a_comparison_has_the_intervals_asked_for():
    for confidence, how in ((0.95, {}), (0.8, {"confidence": 0.8})):
        improved = measure_improvement(drawn(), **how).improved
        curve = improvement_curve(drawn(), [0.0], **how)
        expected = rate_limits(np.array(improved.hits), improved.total, confidence)
        assert (improved.low, improved.high) == expected
        assert (curve.low[0], curve.high[0]) == expected


def test_a_base_too_small_to_divide_by_is_an_infinite_improvement():
    assert percent_gain(np.array([1.0]), np.array([5e-324])).tolist() == [math.inf]


@pytest.mark.parametrize("percents", [[float("nan")], [math.inf], 10.0, ["ten"]])
def test_percentages_are_a_row_of_finite_numbers(percents):
    with pytest.raises(InvalidInput, match="percents must"):
        improvement_curve(drawn(), percents)


@each_population
@each_pair
@pytest.mark.parametrize("inputs", [10, 40, 300])
def test_wilcoxon_is_scipy_s_on_the_raw_radii(column, over, population, inputs):
    certs = drawn(inputs)
    new, base = np.array(pairs_of(certs, column, over, population)).T
    expected = scipy.stats.wilcoxon(new, base, zero_method="pratt", alternative="greater")
    found = wilcoxon_test(certs, column, over, population=population)
    assert (found.statistic, found.p) == (expected.statistic, expected.pvalue)
    assert (found.pairs, found.zeros) == (len(new), sum(new == base))


GAINS = [0.0, 0.0, 0.25, -0.5, 0.5, 1.0, 1.5, -0.125, 2.0]


def rank_sum(gains: list[float]) -> float:
    """W+ with Pratt's zeros: they take part in the ranking, and are then left out."""
    sizes = sorted(abs(gain) for gain in gains)
    middle = {size: sizes.index(size) + (sizes.count(size) + 1) / 2 for size in sizes}
    return math.fsum(middle[abs(gain)] for gain in gains if gain > 0)


def test_wilcoxon_against_every_choice_of_signs():
    """Under the null each nonzero difference has either sign: W+ and p by counting all of them."""
    base = [4.0] * len(GAINS)
    new = [4.0 + gain for gain in GAINS]
    found = wilcoxon_test(stated([True] * len(GAINS), cohen=base, two_sided=new), "two_sided")
    signs = itertools.product([-1, 1], repeat=len(GAINS))
    sums = [rank_sum([s * g for s, g in zip(some, GAINS, strict=True)]) for some in signs]
    assert found.statistic == rank_sum(GAINS)
    assert found.p == pytest.approx(statistics.fmean(w >= rank_sum(GAINS) for w in sums))
    assert (found.pairs, found.zeros) == (9, 2)


def test_wilcoxon_asks_whether_the_first_column_is_larger():
    certs = drawn(300)
    assert wilcoxon_test(certs, "ensemble", "cohen").p < 1e-5
    assert wilcoxon_test(certs, "ensemble", "cohen").statistic > 1e4
    assert wilcoxon_test(certs, "cohen", "ensemble").p > 0.999
    assert wilcoxon_test(certs, "cohen", "ensemble").statistic == 0


def test_wilcoxon_of_no_difference_at_all():
    certs = stated([True] * 3, cohen=[0, 1, 2], two_sided=[0, 1, 2])
    assert wilcoxon_test(certs, "two_sided", "cohen") == Wilcoxon(0.0, 1.0, 3, 3)


@pytest.mark.parametrize("compare", [measure_improvement, wilcoxon_test])
def test_a_comparison_needs_inputs_and_two_columns(compare):
    certs = stated([False], cohen=[1.0])
    with pytest.raises(InvalidInput, match="population 'correct' is empty"):
        compare(certs, population="correct")
    with pytest.raises(InvalidInput, match="column must be one of"):
        compare(certs, "ensemble", "li")
