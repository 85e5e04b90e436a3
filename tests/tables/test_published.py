"""The literature's rows: whole, with their sources, below ours, and never of other norms."""

import csv
import io
import re

import pytest
from certified import stated

from simplicert.errors import InvalidInput
from simplicert.tables import FORMATS, TableOptions, field_table, make_table
from simplicert.tables.published import read_published

NAMES = ("cifar10-l2", "imagenet-l2", "cifar10-l1", "imagenet-l1")
RIGHT = [True, True, False]


@pytest.fixture
def ours(held):
    return [held("ours", stated(RIGHT, two_sided=[0.3125, 0.75, 0.9]), data="cifar10:here")]


@pytest.mark.parametrize("name", NAMES)
def test_every_row_has_its_source_and_possible_numbers(name):
    benchmark = read_published(name)
    assert benchmark.name == name and benchmark.norm == name[-2:] and benchmark.rows
    for row in benchmark.rows:
        assert re.fullmatch(r"\d{4}\.\d{5}", row.arxiv)
        assert 0 <= row.year - 2000 - int(row.arxiv[:2]) <= 1
        file = re.fullmatch("[0-9a-f]{40}", row.commit) and "/" in row.repository and row.path
        assert file or (row.text and not row.repository)
        assert row.table and row.row and row.title and row.name.startswith("claimed: ")
        radii, values = list(row.percent), list(row.percent.values())
        assert radii == sorted(radii) and values == sorted(values, reverse=True)
        assert all(0 <= value <= 100 for value in values)


@pytest.mark.parametrize("name", NAMES)
def test_no_row_is_there_twice(name):
    rows = read_published(name).rows
    assert len({(row.arxiv, row.table, row.row) for row in rows}) == len(rows)


def test_numbers_that_were_read_in_the_sources():
    """A few cells, typed a second time from the same files."""
    found = {(r.arxiv, r.row): r.percent for n in NAMES for r in read_published(n).rows}
    assert found["1906.04584", "+ Semi-supervision (%)"][1.0] == 40
    assert found["2001.02378", "MACER-0.50"][1.75] == 12
    assert found["2002.08118", "ImageNet: + Stability Training"][4.0] == 39
    assert found["2410.06895", "sigma 0.5: SmoothMix"][1.25] == 32.1
    assert found["2410.06895", "sigma 1: CAT-RS"][2.5] == 14.2
    assert found["2003.01908", "Ours (White-box) (%)"][1.5] in (6, 13)  # ImageNet, CIFAR-10
    assert found["2006.04062", "Jeong et al, ResNet-110"] == {
        0.25: 67.5,
        0.5: 57.7,
        1.0: 37.8,
        1.5: 27,
    }


def test_rows_stand_below_ours_at_common_radii_and_are_never_bold(held, ours):
    more = held("more", stated(RIGHT, two_sided=[0.1, 0.1, 0.1]), sigma=0.25)
    grid = field_table([*ours, more], TableOptions(published="cifar10-l2", intervals=False))
    assert [float(text) for text in grid.headings[2:-2]] == [i / 4 for i in range(11)]
    first = next(place for place, row in enumerate(grid.rows) if row[0].startswith("claimed"))
    assert first in grid.rules and {row for row, _ in grid.bold} and first == 3
    assert all(row < first for row, _ in grid.bold)
    assert all(row[0].startswith("claimed: ") for row in grid.rows[first:])
    macer = next(row for row in grid.rows if row[:2] == ("claimed: MACER", "0.25"))
    assert macer[2:] == ("81", "71", "59", "43", *["0"] * 6, "-", "-", "-")
    adv = next(row for row in grid.rows if row[0] == "claimed: SmoothAdv")
    assert adv[1:4] == ("-", "-", "73")
    notes = "\n".join(grid.notes)
    assert "claimed, not audited" in notes and "among the runs" in notes
    assert "arXiv 1906.04584), Table 2, read in Hadisalman/smoothing-adversarial" in notes


def test_asked_radii_that_nobody_printed_are_dashes(ours):
    grid = field_table(ours, TableOptions(published="cifar10-l2", radii=(0.3,), intervals=False))
    assert {row[2] for row in grid.rows[1:]} == {"-"}


def test_the_csv_marks_every_claimed_row(ours):
    grid = field_table(ours, TableOptions(published="cifar10-l2"))
    mine, *others = csv.DictReader(io.StringIO(FORMATS["csv"](grid)))
    assert mine["status"] == "" and {row["status"] for row in others} == {"claimed"}
    macer = next(row for row in others if row["row"] == "MACER-0.25")
    assert float(macer["accuracy_at_0.5"]) == 0.59 and macer["arxiv"] == "2001.02378"
    assert macer["alpha"] == "" and macer["accuracy_at_0.5_low"] == ""


@pytest.mark.parametrize("name", ["cifar10-l1", "imagenet-l1"])
def test_norms_are_not_mixed(ours, name):
    with pytest.raises(InvalidInput, match=r"radii in l1, and those of run ours are in l2"):
        field_table(ours, TableOptions(published=name))


def test_a_scaled_norm_is_another_norm(held):
    study = held("ours", stated(RIGHT, two_sided=[0.1] * 3), noise_scale="abc")
    with pytest.raises(InvalidInput, match="norms are not mixed"):
        field_table([study], TableOptions(published="cifar10-l2"))


def test_other_classes_other_styles_and_other_populations_are_refused(held, ours):
    drawn = held("drawn", stated(RIGHT, two_sided=[0.1] * 3), format="sample")
    with pytest.raises(InvalidInput, match="is about 1000 classes, and run drawn has 10"):
        field_table([drawn], TableOptions(published="imagenet-l2"))
    with pytest.raises(InvalidInput, match="published has no place in style paper1"):
        make_table(ours, "paper1", TableOptions(published="cifar10-l2"))
    with pytest.raises(InvalidInput, match="population must be all beside published rows"):
        field_table(ours, TableOptions(published="cifar10-l2", population="correct"))
    with pytest.raises(InvalidInput, match="published must be one of"):
        field_table(ours, TableOptions(published="mnist-l2"))


def test_without_it_nothing_changes(ours):
    grid = field_table(ours)
    assert "claimed" not in FORMATS["markdown"](grid) and "status" not in FORMATS["csv"](grid)
