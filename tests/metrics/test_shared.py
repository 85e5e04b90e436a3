"""Inputs are matched by number, confirmed by fingerprint or labels; never by the row of a file."""

import numpy as np
import pytest

import simplicert as sc
from simplicert.errors import InvalidInput
from simplicert.logs import import_counts, import_radii
from simplicert.metrics import Study, relate_inputs, share_inputs
from simplicert.metrics.shared import describe_inputs
from simplicert.store import Manifest


@pytest.fixture
def make(tmp_path):
    """A study of a run: index and labels are stated, counts say how sure each input is."""

    def write(name, index, labels="own", source=None, data="digits"):
        index = np.asarray(index)
        own = index % 3 if isinstance(labels, str) else labels
        counts = np.full((len(index), 3), 20)
        counts[np.arange(len(index)), index % 3] = 100 + index
        tally = sc.Tally(counts, 0.5, labels=own, index=index)
        manifest = Manifest(0.5, len(index), 3, source=source or {}, made={"data": data})
        return Study(name, sc.create_run(tmp_path / name, manifest, tally))

    return write


def test_the_same_inputs_in_another_order_are_the_same(make):
    found = relate_inputs([make("a", [0, 20, 40]), make("b", [40, 0, 20])])
    assert found.same and not found.apart and found.common.tolist() == [0, 20, 40]


def test_common_inputs_keep_their_own_certificates_and_tallies(make):
    """Also where rows stand in another order: an input's numbers never move to another one."""
    whole = make("whole", [50, 0, 30, 20, 10, 40])
    part = make("part", [20, 0, 50, 60])
    one, other = share_inputs([whole, part])
    assert one.index.tolist() == other.index.tolist() == [0, 20, 50]
    assert one.held == 6 and other.held == 4
    own = dict(zip(whole.index.tolist(), whole.certificates().radius.tolist(), strict=True))
    assert one.certificates().radius.tolist() == [own[0], own[20], own[50]]
    assert one.tally.counts.max(axis=1).tolist() == [100, 120, 150]
    assert one.labels.tolist() == other.labels.tolist() == [0, 2, 2]
    assert one.certificates() is one.certificates()  # made once
    change = sc.compare(one, other)
    assert change.index.tolist() == [0, 20, 50] and change.average_radius.difference == 0
    assert describe_inputs([one, other]) == [
        "common: the 3 inputs that all 2 runs hold, of whole (6), part (4)"
    ]


def test_runs_on_the_same_inputs_are_left_as_they_are(make):
    studies = [make("a", [0, 1]), make("b", [1, 0])]
    assert share_inputs(studies) == studies and describe_inputs(studies) == []


def test_no_common_input_is_refused(make):
    studies = [make("a", [0, 1]), make("b", [1, 2]), make("c", [2, 3])]
    with pytest.raises(InvalidInput, match="no input is in all of them: a has 2 inputs from 0 to"):
        share_inputs(studies)
    assert "no input is in all of them" in describe_inputs(studies)[0]


def test_the_same_number_with_another_label_is_another_input(make):
    """Also where only the third run contradicts, on an input that the first does not hold."""
    studies = [make("a", [0, 1]), make("b", [1, 2]), make("c", [2, 3], labels=[0, 0])]
    with pytest.raises(InvalidInput, match="b and c give 1 of them different labels: 2"):
        share_inputs(studies)
    (said,) = describe_inputs(studies)
    assert said.startswith("unpaired: inputs of the runs cannot be matched, as b and c give 1")


def test_numbers_in_other_data_are_no_numbers(make):
    one = make("a", [0, 1], source={"data_fingerprint": "1" * 32})
    other = make("b", [0, 1], source={"data_fingerprint": "2" * 32}, data="cifar10")
    assert not relate_inputs([one, other]).same
    with pytest.raises(InvalidInput, match="different data: a from digits, b from cifar10"):
        share_inputs([one, other])


def test_an_input_that_stands_twice_is_refused(tmp_path):
    log = tmp_path / "twice.csv"
    log.write_text("i,y,p,r\n0,1,1,0.2\n0,1,1,0.3\n")
    columns = "index=i,label=y,predict=p,radius=r"
    twice = Study("twice", import_radii(log, columns, 0.5, tmp_path / "run"))
    with pytest.raises(InvalidInput, match="twice holds 2 rows for 1 inputs"):
        relate_inputs([twice, twice])


def test_rows_of_a_file_are_no_numbers(make, tmp_path):
    table = tmp_path / "counts.txt"
    table.write_text("120 20 20 0\n20 20 140 2\n")
    rows = Study("rows", import_counts(table, 0.5, tmp_path / "rows"))
    known = Study("known", import_counts(table, 0.5, tmp_path / "known", start=0, step=20))
    whole = make("whole", [0, 20, 30])
    with pytest.raises(InvalidInput, match="rows has the rows of a file for numbers of inputs"):
        share_inputs([rows, whole])
    assert share_inputs([known, whole])[0].index.tolist() == [0, 20]
    again = Study("again", import_counts(table, 0.5, tmp_path / "again"))
    assert relate_inputs([rows, again]).same  # as many rows, with the same labels
    bare = make("bare", [0, 1], labels=None)
    assert "rows of a file" in relate_inputs([rows, bare]).apart  # no label confirms it


def test_a_match_that_nothing_confirms_is_said_to_be_one(make):
    studies = [make("a", [0, 1]), make("b", [0, 1], labels=None)]
    (said,) = describe_inputs(studies)
    assert said.startswith("inputs are matched by their number alone: b has no labels")
    source = {"data_fingerprint": "1" * 32}
    same = [make("c", [0], source=source), make("d", [0], labels=None, source=source)]
    assert describe_inputs(same) == []
