"""Each metric against a plain loop over the inputs, and the decisions its docstring states."""

import math
import statistics
import subprocess
import sys

import numpy as np
import pytest
from certified import RADII, certificates, drawn, stated
from hypothesis import given, settings
from hypothesis import strategies as st

import simplicert as sc
from simplicert.metrics import averages
from simplicert.metrics.intervals import rate_limits

COLUMNS = ("cohen", "li", "lecuyer", "improved_dp", "two_sided", "ensemble", "radius")
POPULATIONS = ("all", "correct")

each_population = pytest.mark.parametrize("population", POPULATIONS)
each_column = pytest.mark.parametrize("column", COLUMNS)


def rows(certs: sc.Certificates, population: str) -> list[dict[str, object]]:
    """The table's rows of a population, by the words of its definition."""
    table = certs.to_frame().to_dict("records")
    return [row for row in table if population == "all" or row["correct"]]


def parts(rate: averages.Rate) -> tuple[int, int, float]:
    return rate.hits, rate.total, rate.value


def test_the_example_has_inputs_of_every_sort():
    """Otherwise the agreements below would prove little."""
    table = drawn().to_frame()
    certified, right = ~table["abstained"], table["top"].eq(table["label"])
    for sort in (certified & right, certified & ~right, ~certified & right, ~certified & ~right):
        assert sort.sum() >= 2
    assert (certified & table["cohen"].eq(0)).sum() >= 2
    assert set(table["winner"].dropna()) == {"cohen", "li", "improved_dp"}


@each_population
@each_column
@pytest.mark.parametrize("inclusive", [False, True])
def test_certified_accuracy_is_the_paper_s_sum(column, inclusive, population):
    certs = drawn()
    present = sorted(certs.column(column))[40]
    for radius in (0.0, 0.05, 0.4, present, 3.0):
        table = rows(certs, population)
        hits = 0
        for row in table:
            reached = row[column] >= radius > 0 if inclusive else False
            hits += bool(row["correct"]) and (row[column] > radius or reached)
        found = averages.certified_accuracy(
            certs, radius, column, inclusive=inclusive, population=population
        )
        assert parts(found) == (hits, len(table), hits / len(table))


def test_strict_and_inclusive_differ_at_a_radius_that_occurs():
    certs = stated([True, True, True, False], two_sided=[0.25, 0.5, 0.75, 0.5])
    assert averages.certified_accuracy(certs, 0.5).value == 1 / 4
    assert averages.certified_accuracy(certs, 0.5, inclusive=True).value == 2 / 4
    assert averages.accuracy_curve(certs, [0.5]).value == 1 / 4
    assert averages.accuracy_curve(certs, [0.5], inclusive=True).value == 2 / 4


def test_a_radius_of_zero_is_no_certificate_even_when_inclusive():
    certs = stated([True, True], cohen=[0, 1], two_sided=[1, 1])
    assert averages.certified_accuracy(certs, 0, "cohen", inclusive=True).hits == 1
    assert averages.accuracy_curve(certs, [0], "cohen", inclusive=True).hits == 1


@pytest.mark.slow
@settings(deadline=None)
@given(certificates(), st.booleans(), st.sampled_from(POPULATIONS))
def test_certified_accuracy_never_rises_and_the_curve_is_its_points(certs, inclusive, population):
    radii = [*RADII, 0.3, 5.0, 0.0]
    how = {"inclusive": inclusive, "population": population}
    for column in ("cohen", "ensemble"):
        points = [averages.certified_accuracy(certs, r, column, **how) for r in radii]
        curve = averages.accuracy_curve(certs, radii, column, **how)
        for name in ("value", "low", "high", "hits"):
            assert getattr(curve, name).tolist() == [getattr(point, name) for point in points]
        assert {point.total for point in points} == {curve.total}
        in_order = sorted(zip(radii, points, strict=True), key=lambda pair: pair[0])
        values = [point.value for _, point in in_order]
        assert values == sorted(values, reverse=True)


def test_a_curve_keeps_the_radii_it_was_given():
    curve = averages.accuracy_curve(drawn(), [1.0, 0.0, 0.5])
    assert curve.at.tolist() == [1.0, 0.0, 0.5]


@each_population
def test_top1_counts_the_most_frequent_class_certified_or_not(population):
    certs = drawn()
    table = rows(certs, population)
    hits = sum(row["top"] == row["label"] for row in table)
    found = averages.top1_accuracy(certs, population=population)
    assert parts(found) == (hits, len(table), hits / len(table))
    if population == "all":
        assert found.hits > averages.certified_accuracy(certs, 0).hits


@each_population
def test_abstention_rate(population):
    certs = drawn()
    table = rows(certs, population)
    hits = sum(row["radius"] == 0 for row in table)
    found = averages.abstention_rate(certs, population=population)
    assert parts(found) == (hits, len(table), hits / len(table))


@each_population
@each_column
def test_share_above_is_strict_and_asks_for_no_correctness(column, population):
    certs = drawn()
    for radius in (0.0, 0.05, sorted(certs.column(column))[40]):
        table = rows(certs, population)
        hits = sum(row[column] > radius for row in table)
        found = averages.share_above(certs, radius, column, population=population)
        assert parts(found) == (hits, len(table), hits / len(table))


@each_column
def test_average_radius_counts_wrong_inputs_as_zero(column):
    certs = drawn()
    counted = [row[column] if row["correct"] else 0.0 for row in rows(certs, "all")]
    found = averages.average_radius(certs, column)
    assert found.total == 60
    assert found.value == pytest.approx(statistics.fmean(counted), rel=1e-12)
    error = statistics.stdev(counted) / math.sqrt(60)
    assert found.standard_error == pytest.approx(error, rel=1e-12)


def test_average_radius_of_the_correct_inputs():
    certs = stated([True, True, False, True], two_sided=[1, 2, 9, 0])
    assert averages.average_radius(certs).value == 3 / 4
    correct = averages.average_radius(certs, population="correct")
    assert (correct.value, correct.total) == (3 / 2, 2)
    assert correct.standard_error == pytest.approx(1 / 2)


def test_a_single_input_has_no_standard_error():
    assert averages.average_radius(stated([True], two_sided=[2])) == averages.Mean(2.0, None, 1)


@each_population
@each_column
def test_median_radius(column, population):
    certs = drawn()
    expected = statistics.median(row[column] for row in rows(certs, population))
    assert averages.median_radius(certs, column, population=population) == expected


def test_the_median_is_over_wrong_and_refused_inputs_too():
    certs = stated([True, False, True], two_sided=[3, 1, 0])
    assert averages.median_radius(certs) == 1
    assert averages.median_radius(certs, population="correct") == 3


@each_population
def test_share_largest_against_the_radii_themselves(population):
    certs = drawn()
    table, order = rows(certs, population), ("cohen", "li", "improved_dp")
    hits = dict.fromkeys((*order, "none"), 0)
    for row in table:
        best = max(row[name] for name in order)
        largest = [name for name in order if row[name] == best]
        hits[largest[0] if best > 0 else "none"] += 1
    regions = averages.share_by_region(certs, population=population)
    expected = {name: (count, len(table), count / len(table)) for name, count in hits.items()}
    assert {name: parts(rate) for name, rate in regions.items()} == expected
    del regions["none"]
    assert averages.share_largest(certs, population=population) == regions


def test_a_tie_goes_to_the_first_of_the_paper_s_order_and_nothing_to_nobody():
    columns = {"improved_dp": [1, 1, 1, 0], "li": [1, 1, 0, 0], "cohen": [1, 0, 0, 0]}
    regions = averages.share_by_region(stated([True] * 4, **columns))
    assert list(regions) == ["cohen", "li", "improved_dp", "none"]
    assert [rate.hits for rate in regions.values()] == [1, 1, 1, 1]


@pytest.mark.slow
@settings(deadline=None)
@given(certificates(), st.sampled_from(POPULATIONS))
def test_the_shares_of_all_regions_sum_to_one(certs, population):
    regions = averages.share_by_region(certs, population=population)
    assert sum(rate.hits for rate in regions.values()) == regions["none"].total
    assert math.fsum(rate.value for rate in regions.values()) == pytest.approx(1, abs=1e-12)


def test_softmax_has_its_own_regions():
    known = sc.Expectations(
        top=[0, 0, 0], e0=[0.7, 0.6, 0.3], e1=[0.1, 0.3, 0.4], kind="softmax", labels=[0, 1, 0]
    )
    regions = averages.share_by_region(sc.certify(known))
    hits = {name: rate.hits for name, rate in regions.items()}
    assert hits == {"lecuyer": 0, "improved_dp": 2, "none": 1}


@each_population
def test_mean_expectations_are_over_the_certified(population):
    certs = drawn()
    table = rows(certs, population)
    certified = [row for row in table if row["radius"] > 0]
    found = averages.mean_expectations(certs, population=population)
    assert (found.total, found.left_out) == (len(certified), len(table) - len(certified))
    for name in ("e0", "e1"):
        mean = statistics.fmean(row[name] for row in certified)
        assert getattr(found, name) == pytest.approx(mean, rel=1e-12)


def test_an_expectation_without_a_certificate_is_left_out():
    known = sc.Expectations(top=[0, 0], e0=[0.8, 0.3], e1=[0.1, 0.3])
    found = averages.mean_expectations(sc.certify(known))
    assert found == averages.MeanExpectations(0.8, 0.1, 1, 1)


def test_a_certificate_without_expectations_is_left_out():
    certs = stated([True, True], two_sided=[1, 1])
    for name in ("e0", "e1"):
        hidden = np.array([getattr(certs.known, name)[0], np.nan])
        object.__setattr__(certs.known, name, hidden)
    assert averages.mean_expectations(certs) == averages.MeanExpectations(0.9, 0.05, 1, 1)


def test_mean_expectations_of_nothing_certified_are_refused():
    with pytest.raises(sc.InvalidInput, match="none of its 2 inputs is one"):
        averages.mean_expectations(stated([True, True], two_sided=[0, 0]))


EVERY = {
    "top1": averages.top1_accuracy,
    "abstention_rate": averages.abstention_rate,
    "certified_accuracy": lambda certs, **how: averages.certified_accuracy(certs, 0.1, **how),
    "accuracy_curve": lambda certs, **how: averages.accuracy_curve(certs, [0.1], **how),
    "share_above": lambda certs, **how: averages.share_above(certs, 0.1, **how),
    "average_radius": averages.average_radius,
    "median_radius": averages.median_radius,
    "share_largest": averages.share_largest,
    "share_by_region": averages.share_by_region,
    "mean_expectations": averages.mean_expectations,
}

RATES = ("top1", "abstention_rate", "certified_accuracy", "share_above")
LABELLED = ("top1", "certified_accuracy", "accuracy_curve", "average_radius")


@pytest.mark.parametrize("name", RATES)
def test_every_rate_has_the_interval_asked_for(name):
    for confidence, how in ((0.95, {}), (0.8, {"confidence": 0.8})):
        found = EVERY[name](drawn(), **how)
        expected = rate_limits(np.array(found.hits), found.total, confidence)
        assert (found.low, found.high) == expected


@pytest.mark.parametrize("name", ["share_largest", "share_by_region"])
def test_every_share_has_the_interval_asked_for(name):
    for confidence, how in ((0.95, {}), (0.8, {"confidence": 0.8})):
        for found in EVERY[name](drawn(), **how).values():
            expected = rate_limits(np.array(found.hits), found.total, confidence)
            assert (found.low, found.high) == expected


def test_a_curve_has_the_intervals_asked_for():
    wide = averages.accuracy_curve(drawn(), [0.1, 0.5])
    narrow = averages.accuracy_curve(drawn(), [0.1, 0.5], confidence=0.8)
    for found, confidence in ((wide, 0.95), (narrow, 0.8)):
        low, high = rate_limits(found.hits, found.total, confidence)
        assert found.low.tolist() == low.tolist() and found.high.tolist() == high.tolist()


@pytest.mark.parametrize("name", EVERY)
def test_every_metric_refuses_an_empty_population(name):
    with pytest.raises(sc.InvalidInput, match="population 'correct' is empty"):
        EVERY[name](stated([False], two_sided=[1.0]), population="correct")


@pytest.mark.parametrize("name", EVERY)
def test_labels_are_needed_only_where_correctness_is(name):
    certs = sc.certify(sc.Expectations(top=[0], e0=[0.8], e1=[0.1]))
    with pytest.raises(sc.InvalidInput, match="labels are needed"):
        EVERY[name](certs, population="correct")
    if name in LABELLED:
        with pytest.raises(sc.InvalidInput, match="labels are needed"):
            EVERY[name](certs)
    else:
        EVERY[name](certs)


@pytest.mark.parametrize("radius", [-0.1, float("nan"), float("inf"), None, [0.1]])
def test_a_radius_is_one_finite_number(radius):
    for metric in (averages.certified_accuracy, averages.share_above):
        with pytest.raises(sc.InvalidInput, match="radius must"):
            metric(drawn(), radius)


@pytest.mark.parametrize("radii", [[0.1, -0.1], [float("nan")], 0.5, [[0.5]]])
def test_radii_are_a_row_of_finite_numbers(radii):
    with pytest.raises(sc.InvalidInput, match="radii must"):
        averages.accuracy_curve(drawn(), radii)


def test_an_unknown_column_lists_the_known_ones():
    with pytest.raises(sc.InvalidInput, match=r"column must be one of cohen, .*, got 'ours'"):
        averages.median_radius(drawn(), "ours")


@pytest.mark.slow
def test_importing_the_metrics_does_not_import_scipy_stats():
    code = (
        "import sys, simplicert.metrics.averages, simplicert.metrics.comparison; "
        "sys.exit('scipy.stats' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
