"""Runs have names, and only runs on the same inputs, labels and norm may be compared."""

from dataclasses import replace

import numpy as np
import pytest

import simplicert as sc
from simplicert.cli.saying import parse_labels
from simplicert.errors import InvalidInput, MissingEvidence
from simplicert.logs import import_radii
from simplicert.metrics.comparable import require_same_inputs, require_same_norm
from simplicert.metrics.study import read_studies
from simplicert.store.manifest import Manifest
from simplicert.store.run import create_run

COUNTS = [[900, 80, 20], [500, 480, 20], [10, 990, 0]]


@pytest.fixture
def make(tmp_path):
    """Write a run of three inputs and say where."""

    def write(name, sigma=0.5, index=None, labels=(0, 1, 2), source=None, data="digits"):
        tally = sc.Tally(COUNTS, sigma, labels=labels, index=index)
        if source and "noise_scale" in source:
            tally = replace(tally, norm="scaled l2")
        manifest = Manifest(
            sigma=sigma, inputs=3, classes=3, source=source or {}, made={"data": data}
        )
        create_run(tmp_path / name, manifest, tally)
        return tmp_path / name

    return write


def test_a_run_is_named_by_its_folder_or_its_label(make):
    one, two = make("one"), make("two", 1.0)
    assert [study.name for study in read_studies([one, two])] == ["one", "two"]
    (study,) = read_studies([one], {str(one): "mine"})
    assert (study.name, study.sigma, study.data) == ("mine", 0.5, "digits")
    assert study.labels.tolist() == [0, 1, 2]


def test_a_trailing_slash_names_the_same_run(make):
    one = make("one")
    (study,) = read_studies([f"{one}/"], {f"{one}/": "mine"})
    assert study.name == "mine"
    (study,) = read_studies([one], parse_labels([f"{one}/=mine"]))
    assert study.name == "mine"


def test_names_must_differ(make):
    one, two = make("one"), make("two", 1.0)
    labels = {str(one): "x", str(two): "x"}
    with pytest.raises(InvalidInput, match="different names, got x twice: use label"):
        read_studies([one, two], labels)
    studies = read_studies([one, two], labels, one_name_per_sigma=True)
    assert [study.name for study in studies] == ["x", "x"]
    with pytest.raises(InvalidInput, match="different names at one sigma, got one twice"):
        read_studies([one, one], one_name_per_sigma=True)


def test_a_label_of_no_run_is_refused(make):
    with pytest.raises(InvalidInput, match="label must name a run that is given, got other"):
        read_studies([make("one")], {"other": "x"})
    with pytest.raises(InvalidInput, match="at least one run folder"):
        read_studies([])


@pytest.mark.parametrize(
    ("text", "runs", "folder", "name"),
    [
        ("a=b", (), "a", "b"),
        ("a=b=c", (), "a=b", "c"),
        ("a=b=c", ("a",), "a", "b=c"),
        ("a=b=c", ("a=b",), "a=b", "c"),
        ("a=b=c", ("a", "a=b"), "a=b", "c"),
        ("a/= b ", ("a",), "a/", "b"),
    ],
)
def test_a_label_is_split_where_a_run_ends(text, runs, folder, name):
    assert parse_labels([text], runs) == {folder: name}


@pytest.mark.parametrize("text", ["a", "=b", "a=", "", "a= "])
def test_what_is_no_label(text):
    with pytest.raises(InvalidInput, match="label must be RUN=name"):
        parse_labels([text])


def test_runs_on_the_same_inputs_may_be_compared(make):
    """The inputs may be in any order, with or without labels."""
    turned = make("turned", index=[2, 1, 0], labels=[2, 1, 0])
    studies = read_studies([make("one"), make("two", labels=None), turned])
    require_same_inputs(studies)
    require_same_norm(studies)


def test_missing_inputs_are_named(make):
    studies = read_studies([make("one"), make("two", index=[2, 4, 1])])
    with pytest.raises(InvalidInput, match="one lacks 1 of 4: 4"):
        require_same_inputs(studies)
    far = make("far", index=[7, 8, 9])
    with pytest.raises(InvalidInput, match="far lacks 3 of 6: 0, 1, 2"):
        require_same_inputs(read_studies([far, make("three")]))


def test_many_missing_inputs_are_counted(tmp_path):
    for name, rows in (("long", 40), ("short", 2)):
        tally = sc.Tally([[9, 1]] * rows, 0.5)
        create_run(tmp_path / name, Manifest(sigma=0.5, inputs=rows, classes=2), tally)
    studies = read_studies([tmp_path / "long", tmp_path / "short"])
    with pytest.raises(InvalidInput, match=r"short lacks 38 of 40: 2, 3, .*, 11 and 28 more"):
        require_same_inputs(studies)


def test_other_data_under_the_same_numbers_is_recognised(make):
    prints = [{"data_fingerprint": letter} for letter in "xy"]
    studies = read_studies([make("one", source=prints[0]), make("two", source=prints[1])])
    with pytest.raises(InvalidInput, match="different data: one from digits, two from digits"):
        require_same_inputs(studies)


def test_other_labels_under_the_same_numbers_are_recognised(make):
    """Two count tables are both numbered from 0; if their labels differ they are other inputs."""
    studies = read_studies([make("one"), make("two", labels=(0, 2, 2))])
    with pytest.raises(InvalidInput, match="one and two give 1 of them different labels: 1"):
        require_same_inputs(studies)
    moved = make("moved", index=[2, 0, 1], labels=(0, 1, 2))
    with pytest.raises(InvalidInput, match="give 3 of them different labels: 0, 1, 2"):
        require_same_inputs(read_studies([make("three"), moved]))


def test_an_input_in_several_rows_cannot_be_compared(make, tmp_path):
    log = tmp_path / "log.tsv"
    log.write_text("idx\tlabel\tpredict\tradius\n0\t0\t0\t0.5\n1\t1\t1\t0.5\n1\t1\t1\t0.4\n")
    columns = "index=idx,label=label,predict=predict,radius=radius"
    import_radii(log, columns, 0.5, tmp_path / "log")
    studies = read_studies([tmp_path / "log"])
    require_same_inputs(studies)  # a single run is not compared with anything
    tally = sc.Tally(COUNTS[:2], 0.5, labels=[0, 1])
    create_run(tmp_path / "two", Manifest(sigma=0.5, inputs=2, classes=3), tally)
    with pytest.raises(InvalidInput, match="log holds 3 rows for 2 inputs"):
        require_same_inputs(read_studies([tmp_path / "log", tmp_path / "two"]))


def test_radii_in_different_norms_are_not_compared(make):
    plain, scaled = make("plain"), make("scaled", source={"noise_scale": "x"})
    with pytest.raises(InvalidInput, match="plain not at all, scaled by feature"):
        require_same_norm(read_studies([plain, scaled]))
    other = make("other", source={"noise_scale": "y"})
    with pytest.raises(InvalidInput, match="one norm"):
        require_same_norm(read_studies([scaled, other]))
    require_same_norm(read_studies([scaled]))


def test_certificates_are_made_once_and_by_the_declared_settings(make):
    (study,) = read_studies([make("one")])
    assert study.certificates() is study.certificates("hard")
    assert study.certificates().exploratory is False
    assert study.kinds == ("multinomial",)
    assert np.array_equal(study.index, [0, 1, 2])


def test_what_a_run_cannot_give_is_said_with_its_name(make):
    (study,) = read_studies([make("one", labels=None)])
    with pytest.raises(MissingEvidence, match=r"run one: .*softmax_sums"):
        study.certificates("softmax")
    with pytest.raises(InvalidInput, match="labels are needed for tea, and the run one has none"):
        study.require_labels("tea")
