"""Drawing again: what is found, what cannot be drawn again, what another machine may differ in."""

from dataclasses import replace

import numpy as np
import pytest
from verified import checks, forged, fresh, moved, wrong

import simplicert as sc
from simplicert.runs.logs import import_counts, import_log
from simplicert.runs.manifest import read_manifest, write_manifest
from simplicert.runs.verification import Replay, verify
from simplicert.sampling import Sampler


def rewritten(run, **changes):
    """The run with other settings in run.toml, sealed anew."""
    manifest = read_manifest(run.folder)
    made = manifest.made | changes.pop("made", {})
    source = manifest.source | changes.pop("source", {})
    write_manifest(run.folder, replace(manifest, made=made, source=source, **changes))
    return run


def test_a_forged_tally_does_not_come_again(place):
    run = forged(fresh(place), moved)
    said = wrong(run, count=40)
    assert "input 0: 1 of its 150 draws fall on other classes when drawn again" in said
    assert said.count("these differ: counts") == 40


@pytest.mark.parametrize("name", ["softmax_sums", "votes", "histograms", "labels"])
def test_every_kind_of_sum_is_compared(place, name):
    def change(tally):
        values = np.array(getattr(tally, name))
        if name == "labels":
            values = (values + 1) % 4
        elif name == "softmax_sums":
            values[:, 0] += 1
        else:
            flat = values.reshape(len(values), -1)
            rows, top = np.arange(len(flat)), flat.argmax(axis=1)
            width = values.shape[-1]
            flat[rows, top] -= 1
            flat[rows, top // width * width + (top + 1) % width] += 1
        return {name: values}

    said = wrong(forged(fresh(place), change), count=3)
    assert said.count(f"these differ: {name}") == 3


def test_the_inputs_are_chosen_by_the_seed(place):
    run = fresh(place)

    def chosen(seed):
        return [c.says for c in checks(run, count=4, seed=seed) if c.about == "replay"]

    assert chosen(0) == chosen(0) != chosen(1)


def test_another_model_or_other_data_are_told_by_their_fingerprints(place):
    run = fresh(place)
    assert "the model is not the run's" in wrong(run, count=2, model=f"{place[1]}:other")
    data = np.load("data.npz")
    np.savez("data.npz", inputs=data["inputs"] + 1, labels=data["labels"])
    assert "the data is not the run's" in wrong(run, count=2)


def test_a_model_that_changed_under_its_name(place):
    """The fingerprint of a function is of its source; what it reads elsewhere shows in outputs."""
    run = rewritten(fresh(place), answers=[100.0] * 16)
    assert "does not give the outputs that run.toml keeps" in wrong(run, count=1)


def test_another_kind_of_machine_is_said_and_a_few_draws_allowed(place):
    run = fresh(place, draws=1000, stop=5)
    rewritten(run, made={"numpy": "0.0"})
    found = checks(run, count=5)
    assert "another kind of machine (numpy 0.0 there" in str(found)
    assert not wrong(run, count=5)
    run = forged(run, moved)
    assert not wrong(run, count=5)
    assert "1 of its 1000 draws fall on other classes" in str(checks(run, count=5))
    run = forged(run, moved)
    assert "2 of its 1000 draws fall on other classes" in wrong(run, count=5)
    rewritten(run, package="9.9")
    assert "simplicert 9.9 there" in str(checks(run, count=1))


def cannot(run, **replay):
    (last,) = [c for c in checks(run, **{"count": 2} | replay) if c.about == "replay"]
    assert last.holds is None
    return last.says


def test_what_cannot_be_drawn_again_is_said(place):
    assert "random by itself" in cannot(fresh(place, model=f"{place[1]}:noisy"))
    run = fresh(place, "other")
    assert "--model and --data say where they are" in cannot(run, model="lost.pt2")
    assert "mean must be numbers" in cannot(run, mean="x")
    rewritten(run, source={"device": "cuda:7"})
    assert "device must be cpu or a device that torch has here" in cannot(run)


def test_normalisation_is_given_as_it_was_to_sample(place):
    run = fresh(place, mean="0.5", std="0.2")
    assert "the model is not the run's" in wrong(run, count=1)
    assert not wrong(run, count=3, mean="0.5", std="0.2")


def test_a_model_that_fails_is_one_finding(place, monkeypatch):
    run = fresh(place)

    def fails(*args, **more):
        raise RuntimeError("out of memory\nand more")

    monkeypatch.setattr(Sampler, "tally", fails)
    assert "input 2: the model failed (RuntimeError: out of memory" in wrong(run, count=40)


def test_imported_counts_hold_what_they_can(tmp_path):
    table = tmp_path / "counts.txt"
    table.write_text("900 80 20 0\n500 480 20 1\n10 990 0 2\n")
    run = import_counts(table, 0.5, tmp_path / "run")
    found = list(verify(run.folder, replay=Replay(2)))
    assert [c.says for c in found if c.holds is False] == []
    assert "at the word of the imported counts" in str(found)
    assert "it was imported" in found[-1].says


def test_an_imported_log(tmp_path):
    log = tmp_path / "log.tsv"
    log.write_text("idx\tlabel\tpredict\tradius\tcorrect\ttime\n0\t1\t1\t0.5\t1\t0:00:01\n")
    run = import_log("cohen", log, 0.5, tmp_path / "run", draws=1000)
    path = tmp_path / "run.csv"
    sc.write_certificates(run.certify(), path)
    found = list(verify(run.folder, replay=Replay(2)))
    assert all(c.holds for c in found[:-1]), found
    assert found[-1].holds is None
    (table,) = run.folder.glob("known-*")
    table.write_bytes(table.read_bytes()[:-1])
    assert table.name in str([c for c in verify(run.folder) if c.holds is False])
