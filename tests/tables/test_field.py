"""The field's table: every cell against the metrics, by hand and by definition."""

from dataclasses import replace

import numpy as np
import pytest
from certified import drawn, stated

from simplicert.errors import InvalidInput
from simplicert.metrics import averages
from simplicert.metrics.shared import share_inputs
from simplicert.noises.model import NoiseModel
from simplicert.tables import TableOptions, field_table

RIGHT = [True, True, True, False]
SMALL = [0.3125, 0.3125, 0.125, 0.9]  # accurate near, nothing far
LARGE = [0.0, 0.75, 0.625, 0.0]


@pytest.fixture
def two(held):
    """One method at two sigmas, given in the wrong order."""
    return [
        held("ours", stated(RIGHT, two_sided=LARGE), sigma=1.0),
        held("ours", stated(RIGHT, two_sided=SMALL), sigma=0.25),
    ]


PLAIN = TableOptions(radii=(0.0, 0.25, 0.5, 2.0), intervals=False)


def test_every_cell_by_hand(two):
    grid = field_table(two, PLAIN)
    assert grid.headings == ("run", "sigma", "0", "0.25", "0.5", "2", "ACR", "abstain")
    assert grid.rows == [
        ("ours", "0.25", "75.0", "50.0", "0.0", "0.0", "0.187", "0.0"),  # 0.75 / 4, rounded down
        ("ours", "1", "50.0", "50.0", "50.0", "0.0", "0.343", "50.0"),
        ("best sigma", "", "0.25", "0.25/1", "1", "-", "1", "0.25"),
    ]


def test_the_best_of_each_column_is_bold_unless_all_are_the_same(two):
    grid = field_table(two, PLAIN)
    assert grid.bold == {(0, 2), (1, 4), (1, 6), (0, 7)}


def test_one_run_has_no_best(held):
    grid = field_table([held("a", drawn())])
    assert grid.bold == frozenset()
    assert not any("bold" in note or "best" in note for note in grid.notes)
    assert len(grid.rows) == 2


@pytest.mark.parametrize("population", ["all", "correct"])
@pytest.mark.parametrize("column", ["radius", "ensemble", "cohen"])
@pytest.mark.parametrize("inclusive", [False, True])
def test_records_are_the_metrics_at_full_precision(held, population, column, inclusive):
    certs = drawn()
    radii = tuple(np.arange(9) / 4)
    asked = TableOptions(column=column, population=population, inclusive=inclusive, radii=radii)
    (record,) = field_table([held("a", certs)], asked).records
    for radius in radii:
        rate = averages.certified_accuracy(
            certs, radius, column, inclusive=inclusive, population=population
        )
        name = f"accuracy_at_{radius:g}"
        assert record[name] == rate.value
        assert (record[f"{name}_low"], record[f"{name}_high"]) == (rate.low, rate.high)
        assert record["inputs"] == rate.total
    average = averages.average_radius(certs, column, population=population)
    assert record["average_radius"] == average.value
    assert record["average_radius_standard_error"] == average.standard_error
    assert record["abstention"] == averages.abstention_rate(certs, population=population).value
    assert (record["run"], record["column"], record["population"]) == ("a", column, population)
    assert (record["sigma"], record["alpha"], record["proved_level"]) == (0.5, 0.001, 0.001)
    assert record["inclusive"] is inclusive


def test_no_accuracy_or_radius_is_rounded_up_and_no_abstention_down(held):
    studies = [held("a", drawn()), held("b", drawn(seed=0), sigma=1.0)]
    grid = field_table(studies, TableOptions(radii=tuple(np.arange(9) / 4)))
    for place, record in zip((0, 2), grid.records, strict=True):
        row = dict(zip(grid.headings, grid.rows[place], strict=True))
        below = dict(zip(grid.headings, grid.rows[place + 1], strict=True))
        assert place + 1 in grid.faint
        for radius in np.arange(9) / 4:
            value = record[f"accuracy_at_{radius:g}"]
            assert 0 <= 100 * value - float(row[f"{radius:g}"]) < 0.1
            low, high = map(int, below[f"{radius:g}"].split("-"))
            assert low <= 100 * record[f"accuracy_at_{radius:g}_low"]
            assert high >= 100 * record[f"accuracy_at_{radius:g}_high"]
        assert 0 <= record["average_radius"] - float(row["ACR"]) < 0.001
        assert 0 <= float(row["abstain"]) - 100 * record["abstention"] < 0.1
        error = 1.96 * record["average_radius_standard_error"]
        assert 0 <= float(below["ACR"].removeprefix("+-")) - error < 0.001


def test_methods_stand_together_in_the_order_they_were_given(held):
    names = [("b", 0.5), ("a", 1.0), ("b", 0.25), ("a", 0.25)]
    studies = [held(name, drawn(), sigma) for name, sigma in names]
    grid = field_table(studies, TableOptions(intervals=False))
    assert [row[:2] for row in grid.rows] == [
        ("b", "0.25"),
        ("b", "0.5"),
        ("best sigma", ""),
        ("a", "0.25"),
        ("a", "1"),
        ("best sigma", ""),
    ]
    assert grid.rules == {3}


def test_runs_with_names_of_their_own_are_one_group(held):
    studies = [held("x", drawn(), 1.0), held("y", drawn(), 0.5)]
    grid = field_table(studies, TableOptions(intervals=False))
    assert [row[0] for row in grid.rows] == ["y", "x", "best sigma"]
    assert not any("share a label" in note for note in grid.notes)
    studies.append(held("z", drawn(), 0.5))
    assert any("share a label" in note for note in field_table(studies).notes)


def test_one_sigma_has_no_best_sigma(held):
    grid = field_table([held("x", drawn()), held("y", drawn())])
    assert not any(row[0] == "best sigma" for row in grid.rows)
    assert not any("best sigma" in note for note in grid.notes)


def test_a_radius_that_occurs_counts_only_when_inclusive(held):
    study = held("a", stated(RIGHT, two_sided=[0.5, 0.5, 0.75, 0.0]))
    for inclusive, shown in ((False, "25.0"), (True, "75.0")):
        asked = TableOptions(radii=(0.5,), inclusive=inclusive, intervals=False)
        assert field_table([study], asked).rows[0][2] == shown


def test_a_run_without_labels_is_refused_by_name(held):
    studies = [held("seen", drawn()), held("unseen", drawn(), labelled=False)]
    with pytest.raises(InvalidInput, match=r"labels are needed .* the run unseen has none"):
        field_table(studies)


def test_runs_on_other_inputs_stand_unpaired(held):
    """Each with its number of inputs; nothing is marked best, and no sigma is."""
    shifted = held("b", drawn(), 1.0, index=np.arange(100, 160))
    grid = field_table([held("a", drawn()), shifted], PLAIN)
    assert grid.headings[:3] == ("run", "sigma", "inputs")
    assert [row[:3] for row in grid.rows] == [("a", "0.5", "60"), ("b", "1", "60")]
    assert not grid.bold and not any("bold" in note for note in grid.notes)
    assert any(note.startswith("unpaired: the runs are on different inputs") for note in grid.notes)
    assert any("no input is in all of them" in note for note in grid.notes)
    assert {len(row) for row in grid.rows} == {len(grid.headings)}


def test_common_inputs_alone_are_named_in_the_title(held):
    few, more = (stated([True] * n, two_sided=[0.6] * n) for n in (40, 60))
    grid = field_table(share_inputs([held("a", few), held("b", more, 1.0)]), PLAIN)
    assert grid.headings[:3] == ("run", "sigma", "0")
    assert grid.title.endswith(", 40 common inputs alone")
    assert "common: the 40 inputs that all 2 runs hold, of a (40), b (60)" in grid.notes


def test_a_column_that_a_run_lacks_is_named_with_it(held):
    with pytest.raises(InvalidInput, match="column lecuyer is not among those of run a"):
        field_table([held("a", stated(RIGHT, two_sided=SMALL))], TableOptions(column="lecuyer"))


def test_notes_say_what_the_numbers_are(held):
    notes = "\n".join(field_table([held("a", drawn())], TableOptions(column="cohen")).notes)
    for words in (
        "over all 60 inputs",
        "radius > r",
        "column cohen",
        "alpha 0.001",
        "scheme gated",
        "the chance of a wrong certificate is at most 0.1 %",
        "95 % intervals over the choice of inputs",
    ):
        assert words in notes
    notes = "\n".join(
        field_table([held("a", drawn())], TableOptions(inclusive=True, population="correct")).notes
    )
    correct = int(drawn().correct.sum())
    assert f"over the {correct} inputs certified as their label" in notes
    assert "radius >= r" in notes


def test_notes_name_what_is_doubtful(held):
    studies = [
        held("a", drawn()),
        held("b", drawn(), 1.0, exploratory=True, missing=4),
        held("c", drawn(), 2.0, alpha=0.01, audit=("negative radius",)),
    ]
    notes = field_table(studies).notes
    assert any(note.startswith("settings differ") for note in notes)
    (line,) = (note for note in notes if "exploratory" in note)
    assert line.startswith("b (sigma 1): ")
    assert "incomplete: b (sigma 1): 4 of 64 inputs are missing" in notes
    assert any(note.startswith("c (sigma 2): ") and "alpha 0.01" in note for note in notes)
    assert "doubt, by the audit of the log: negative radius: c (sigma 2)" in notes


def test_the_average_of_whole_numbers_is_rounded_by_whole_numbers(held):
    """Seven over five inputs is 1.4, and the float nearest to it is smaller."""
    found = stated([True] * 5, two_sided=[1, 1, 1, 2, 2])
    noise = NoiseModel("ablation", size=784, keep=45, absent=-1.0)
    counted = replace(found, known=replace(found.known, noise=noise, norm="l0"))
    assert field_table([held("a", counted, sigma=1.0)], PLAIN).rows[0][-2] == "1.400"
    assert field_table([held("b", found)], PLAIN).rows[0][-2] == "1.399"
