"""Table 1 of the paper: its columns, its bold cells, and what it does without labels."""

from dataclasses import replace

import pytest
from certified import drawn, stated
from figured import write_log

import simplicert as sc
from simplicert.errors import InvalidInput
from simplicert.metrics import averages, read_studies
from simplicert.tables import TableOptions, paper1_table


@pytest.fixture
def known():
    """Five inputs: cohen wins one, li one, improved_dp two (a tie goes to cohen), none one."""
    return stated(
        [True, True, False, True, True],
        cohen=[0.9, 0.0, 0.04, 0.5, 0.0],
        li=[0.8, 0.7, 0.03, 0.5, 0.0],
        improved_dp=[0.6, 0.2, 0.06, 0.5, 0.0],
        two_sided=[1.0, 0.8, 0.07, 0.6, 0.0],
    )


def test_every_cell_by_hand(held, known):
    grid = paper1_table([held("a", known)])
    assert grid.spans == (
        ("", 3),
        ("cohen", 3),
        ("li", 3),
        ("improved_dp", 3),
        ("ensemble", 2),
        ("two_sided", 2),
    )
    assert grid.headings == ("run", "sigma", "T1", *("M", "L", ">") * 3, *("M", ">") * 2)
    (row,) = grid.rows
    assert row[:3] == ("a", "0.5", "80.0")
    # 0.04 and 0.2 are just above the decimal, 0.5 exact: none is printed larger than it is
    assert row[3:6] == ("0.040", "40.0", "40.0")
    assert row[6:9] == ("0.500", "20.0", "60.0")
    assert row[9:12] == ("0.200", "20.0", "80.0")
    assert row[12:] == ("0.500", "80.0", "0.599", "80.0")  # 0.6 is just below the decimal


def test_bold_as_in_the_paper(held, known):
    """Sigma, the strongest of the techniques by M, L and >, all of the ensemble; not two_sided."""
    grid = paper1_table([held("a", known)])
    columns = sorted(column for _, column in grid.bold)
    assert columns == [1, 4, 6, 11, 12, 13]


def test_a_tie_is_bold_for_both_and_a_zero_for_none(held):
    certs = stated([True], cohen=[0.0], li=[0.01], improved_dp=[0.01], two_sided=[0.02])
    grid = paper1_table([held("a", certs)])
    assert sorted(column for _, column in grid.bold) == [1, 6, 7, 9, 12, 13]


@pytest.mark.parametrize("population", ["all", "correct"])
def test_records_are_the_metrics_at_full_precision(held, population):
    certs = drawn()
    (record,) = paper1_table([held("a", certs)], TableOptions(population=population)).records
    assert record["top1"] == averages.top1_accuracy(certs, population=population).value
    largest = averages.share_largest(certs, population=population)
    for name in ("cohen", "li", "improved_dp", "ensemble", "two_sided"):
        assert record[f"{name}_median"] == averages.median_radius(
            certs, name, population=population
        )
        above = averages.share_above(certs, 0.05, name, population=population)
        assert record[f"{name}_above_0.05"] == above.value
        assert record[f"{name}_above_0.05_low"] == above.low
        if name in largest:
            assert record[f"{name}_largest"] == largest[name].value
    assert "ensemble_largest" not in record
    assert record["population"] == population


def test_two_sided_is_never_below_the_ensemble(held):
    (record,) = paper1_table([held("a", drawn())]).records
    assert record["two_sided_median"] >= record["ensemble_median"]
    assert record["two_sided_above_0.05"] >= record["ensemble_above_0.05"]


def test_rows_are_by_sigma(held):
    studies = [held("b", drawn(), 1.0), held("a", drawn(), 0.25)]
    assert [row[1] for row in paper1_table(studies).rows] == ["0.25", "1"]


def test_softmax_has_its_own_techniques(held):
    known = replace(drawn().known, kind="softmax", draws=None, reason=None)
    grid = paper1_table([held("a", sc.certify(known))])
    assert [name for name, _ in grid.spans] == [
        "",
        "lecuyer",
        "improved_dp",
        "ensemble",
        "two_sided",
    ]
    with pytest.raises(InvalidInput, match=r"kind must be given .* got multinomial, softmax"):
        paper1_table([held("a", sc.certify(known)), held("b", drawn(), 1.0)])


def test_without_labels_only_t1_is_missing(held):
    with_labels, without = (
        paper1_table([held("a", drawn(), labelled=labelled)]) for labelled in (True, False)
    )
    assert without.rows[0][2] == "-"
    assert without.rows[0][3:] == with_labels.rows[0][3:]
    assert "T1 needs labels, and a has none" in without.notes
    with pytest.raises(InvalidInput, match="population correct, and the run a has none"):
        paper1_table([held("a", drawn(), labelled=False)], TableOptions(population="correct"))


def test_a_run_that_lacks_a_technique_is_refused(held):
    certs = stated([True], cohen=[1.0], two_sided=[1.0])
    with pytest.raises(InvalidInput, match="column li, improved_dp is not among those of run log"):
        paper1_table([held("log", certs)])


def bounded_alone(study):
    """The same study as if it were of a log, which bounds the top class alone."""
    kept = study.run.kept
    return replace(
        study,
        run=replace(study.run, kept=replace(kept, known=replace(kept.known, scheme="imported"))),
    )


def test_a_log_has_the_columns_that_exist(tmp_path):
    """Twelve radii from .1 to .65, all right; the log's audit and its level are said as ever."""
    grid = paper1_table(read_studies([write_log(tmp_path / "log")]))
    assert grid.headings == ("run", "sigma", "T1", "M", ">")
    assert grid.spans == (("", 3), ("cohen", 2))
    assert grid.rows == [("log", "0.5", "100.0", "0.374", "100.0")]
    assert grid.bold == {(0, 1)}
    assert "share largest" not in grid.title
    assert any(
        note.startswith("log: no columns li, improved_dp, ensemble, two_sided and no L, since")
        for note in grid.notes
    )
    (record,) = grid.records
    assert record["cohen_median"] == pytest.approx(0.375, abs=2e-3)
    assert not any(name.startswith(("li", "improved", "ensemble")) for name in record)


def test_a_log_beside_a_run_has_dashes(held, known):
    whole, log = held("run", known), bounded_alone(held("log", known, 1.0))
    grid = paper1_table([whole, log])
    assert grid.rows[0] == paper1_table([whole]).rows[0]
    assert grid.rows[1][3:6] == ("0.040", "-", "40.0") and set(grid.rows[1][6:]) == {"-"}
    assert {column for place, column in grid.bold if place == 1} == {1}
    first, second = grid.records
    assert [*first] == [*second] and second["li_median"] is None
    assert (first["cohen_median"], second["cohen_largest"]) == (second["cohen_median"], None)


def test_t1_of_a_log_counts_an_abstention_as_wrong(held):
    """The log does not name the class; its place holds class 0, which is the label of one row."""
    certs = stated([True, True, True], cohen=[0.9, 0.0, 0.4], two_sided=[0.9, 0.0, 0.4])
    grid = paper1_table([bounded_alone(held("log", certs))])
    assert certs.abstained.tolist() == [False, True, False]
    assert grid.rows[0][2] == "66.6"
    assert any(note.startswith("T1 of a log counts an abstention as wrong") for note in grid.notes)
