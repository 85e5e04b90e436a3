"""`simplicert compact`: several runs, and how far it is."""

import shutil

import pytest

import simplicert as sc
from simplicert.cli import progress
from simplicert.store.parts import write_part
from simplicert.store.run import PARTS, Run


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """Two runs of four parts each, in the current folder."""
    monkeypatch.chdir(tmp_path)
    manifest = sc.Manifest(0.5, 4, 2, source={"format": "sample", "seed": 7}, id="0123")
    sc.create_run("one", manifest, sc.Tally([[90, 10]] * 4, 0.5))
    run = Run(tmp_path / "one", manifest)
    for path in run.paths():
        path.unlink()
    for item in range(4):
        spans = [(item, 7, 0, 100)]
        tally = sc.Tally([[90, 10]], 0.5, index=[item], segments=spans)
        write_part(run.folder / PARTS, tally, manifest, 1.0)
    shutil.copytree("one", "two")
    return tmp_path


def test_it_says_how_far_it_is(runs, command, monkeypatch):
    monkeypatch.setattr(progress, "FIRST_PARTS_SECONDS", 0.0)
    monkeypatch.setattr(progress, "DRAWING_SECONDS", 0.0)
    code, out, said = command("compact", "one")
    assert (code, out) == (0, "one: 4 parts before, 1 now\n")
    assert "reading the parts of one: 1 of 4" in said and "3 of 4" in said


def test_a_sealed_run_is_left_alone_and_the_others_are_merged(runs, command):
    (runs / "one" / "seal.txt").touch()
    code, out, said = command("compact", "one", "two", "three")
    assert (code, out) == (2, "two: 4 parts before, 1 now\n")
    assert "run must not be sealed, and one is" in said and "three" in said
    assert said.count("simplicert: ") == 1
    assert len(list((runs / "one" / PARTS).iterdir())) == 4
