"""Table 2 of the paper: Wilcoxon, proportion, median and mean, against scipy and by hand."""

from dataclasses import replace

import numpy as np
import pytest
from certified import drawn, stated
from scipy import stats

import simplicert as sc
from simplicert.errors import InvalidInput
from simplicert.tables import TableOptions, paper2_table


def test_every_cell_by_hand(held):
    """Gains 0, 0.25, 0.5 over a base above 0 and 1.75 over nothing; one input has no radius."""
    certs = stated(
        [True, False, True, True, True],
        cohen=[1.0, 0.5, 0.5, 0.0, 0.0],
        li=[0.5, 0.75, 1.0, 1.75, 0.0],
        improved_dp=[0.0, 0.0, 0.0, 0.0, 0.0],
        two_sided=[1.0, 0.75, 1.0, 1.75, 0.0],
    )
    grid = paper2_table([held("a", certs)])
    assert [row[3] for row in grid.rows] == ["ensemble", "two_sided"]
    row = grid.rows[0]
    assert row[:3] == ("a", "digits", "0.5")
    # Pratt: two zeros take ranks 1 and 2, so W+ = 3 + 4 + 5
    assert row[5:7] == ("12", "60.0")
    assert row[7:12] == ("3", "0.2500", "50.0", "0.2500", "50.0")
    assert row[12:] == ("5", "0.2500", "0.5000")


def test_numbers_against_scipy_and_numpy(held):
    certs = drawn()
    grid = paper2_table([held("a", certs)])
    assert len(grid.records) == 2
    for record in grid.records:
        new, base = certs.column(record["column"]), certs.radii["cohen"]
        gain = np.where(np.abs(new - base) < 1e-12 * base, 0, new - base)
        test = stats.wilcoxon(gain, zero_method="pratt", alternative="greater")
        assert record["wilcoxon_p"] == test.pvalue
        assert record["wilcoxon_statistic"] == test.statistic
        assert record["improved"] == (gain > 0).mean()
        assert record["mean"] == pytest.approx(gain.mean(), rel=1e-12)
        assert record["median"] == np.median(gain)
        some = base > 0
        assert record["with_base"] == some.sum()
        assert record["mean_with_base"] == pytest.approx(gain[some].mean(), rel=1e-12)
        percent = 100 * gain[some] / base[some]
        assert record["mean_percent"] == pytest.approx(percent.mean(), rel=1e-12)
        assert record["median_percent"] == pytest.approx(np.median(percent), rel=1e-12)
        assert record["from_nothing"] == ((base == 0) & (new > 0)).sum()
        assert (record["over"], record["population"]) == ("cohen", "all")


def test_no_gain_is_rounded_up_and_no_p_down(held):
    grid = paper2_table([held("a", drawn())])
    for row, record in zip(grid.rows, grid.records, strict=True):
        assert float(row[4]) >= record["wilcoxon_p"]
        assert float(row[6]) <= 100 * record["improved"]
        shown = (8, 9, 10, 11, 13, 14)
        names = (
            "median_with_base",
            "median_percent",
            "mean_with_base",
            "mean_percent",
            "median",
            "mean",
        )
        for place, name in zip(shown, names, strict=True):
            assert 0 <= record[name] - float(row[place]) < 0.11


def test_two_sided_improves_at_least_as_much(held):
    ensemble, two_sided = paper2_table([held("a", drawn())]).records
    for name in ("improved", "mean", "median", "mean_percent", "from_nothing"):
        assert two_sided[name] >= ensemble[name]


def test_labels_are_not_needed(held):
    bare, labelled = (
        paper2_table([held("a", drawn(), labelled=labelled)]) for labelled in (False, True)
    )
    assert bare.rows == labelled.rows
    with pytest.raises(InvalidInput, match="population correct, and the run a has none"):
        paper2_table([held("a", drawn(), labelled=False)], TableOptions(population="correct"))


def test_the_correct_population(held):
    certs = drawn()
    grid = paper2_table([held("a", certs)], TableOptions(population="correct"))
    assert grid.records[0]["inputs"] == certs.correct.sum()
    assert "each run's own" in grid.notes[0]


def test_where_nothing_has_a_base_there_are_no_percentages(held):
    certs = stated([True], cohen=[0.0], li=[0.5], improved_dp=[0.0], two_sided=[0.5])
    row = paper2_table([held("a", certs)]).rows[0]
    assert row[7:12] == ("0", "-", "-", "-", "-")


def test_data_sets_stand_apart_by_sigma(held):
    other = drawn(inputs=30)
    studies = [
        held("a", drawn(), 1.0, data="digits"),
        held("b", other, 0.5, data="cifar10"),
        held("c", drawn(), 0.25, data="digits"),
    ]
    grid = paper2_table(studies)
    assert [row[1:3] for row in grid.rows[::2]] == [
        ("digits", "0.25"),
        ("digits", "1"),
        ("cifar10", "0.5"),
    ]
    assert grid.rules == {4}
    assert grid.notes[0].startswith("over all inputs of each run, 30 to 60 of them")


def test_runs_of_one_data_set_may_cover_other_inputs_and_say_so(held):
    studies = [held("a", drawn()), held("b", drawn(), 1.0, index=np.arange(1, 61))]
    assert any(note.startswith("unpaired: ") for note in paper2_table(studies).notes)


def test_another_column(held):
    grid = paper2_table([held("a", drawn())], TableOptions(column="li"))
    assert [row[3] for row in grid.rows] == ["li"]
    assert not any("by construction" in note for note in grid.notes)
    with pytest.raises(InvalidInput, match="column ours is not among"):
        paper2_table([held("a", drawn())], TableOptions(column="ours"))


def test_softmax_is_compared_with_lecuyer(held):
    known = replace(drawn().known, kind="softmax", draws=None, reason=None)
    grid = paper2_table([held("a", sc.certify(known))])
    assert {record["over"] for record in grid.records} == {"lecuyer"}
    assert any("no such table" in note for note in grid.notes)


def test_both_kinds_side_by_side_name_both_bases(held):
    known = replace(drawn().known, kind="softmax", draws=None, reason=None)
    grid = paper2_table([held("a", sc.certify(known)), held("b", drawn(), 1.0)])
    assert "lecuyer or cohen" in grid.title
