"""A radius that was bounded alone has one column, and the analysis says so elsewhere."""

import numpy as np
import pytest

import simplicert as sc
from simplicert.metrics import averages, comparison
from simplicert.tables import summary_table

ONLY = "scheme joint, method buehler, bounds that radius alone"


@pytest.fixture(scope="module")
def alone():
    random = np.random.default_rng(0)
    counts = random.multinomial(500, [0.5, 0.3, 0.1, 0.1], size=20)
    counts[:5] = [480, 10, 5, 5]
    tally = sc.Tally(counts, sigma=0.5, labels=np.zeros(20, int))
    return sc.certify(sc.bound(tally, scheme="joint", method="buehler"))


def test_metrics_of_the_one_radius(alone):
    assert averages.certified_accuracy(alone, 0.0).value > 0.2
    assert averages.abstention_rate(alone).value < 1
    assert averages.median_radius(alone, "two_sided") == averages.median_radius(alone)
    assert averages.average_radius(alone).value > 0


@pytest.mark.parametrize("measure", [averages.share_largest, averages.share_by_region])
def test_no_regions_without_an_ensemble(alone, measure):
    with pytest.raises(sc.InvalidInput, match=ONLY):
        measure(alone)


def test_no_mean_of_expectations_that_are_not_known(alone):
    with pytest.raises(sc.InvalidInput, match="no certified input with E_0 and E_1"):
        averages.mean_expectations(alone)


@pytest.mark.parametrize("name", ["measure_improvement", "wilcoxon_test"])
def test_no_comparison_with_what_was_not_computed(alone, name):
    with pytest.raises(sc.InvalidInput, match=ONLY):
        getattr(comparison, name)(alone)


def test_the_summary_has_one_row_and_says_why(alone):
    grid = summary_table(alone)
    assert [row[0] for row in grid.rows] == ["two_sided"]
    assert any("scheme joint bounds this radius alone" in note for note in grid.notes)
    assert not any("nan" in cell for row in grid.rows for cell in row)
