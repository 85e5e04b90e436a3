"""Pictures come from the run's own data or not at all."""

import re

import numpy as np
import pytest
from PIL import Image

from simplicert.data import load_data
from simplicert.drawing import origin
from simplicert.errors import InvalidInput
from simplicert.report import pictures
from simplicert.report.page import report_page
from simplicert.report.pictures import find_pictures
from simplicert.report.views import make_views

pytest.importorskip("PIL", reason="pillow draws the sheet")


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    images = random.integers(0, 256, (60, 4, 4), dtype=np.uint8)
    np.savez("mine.npz", images=images)
    np.savez("other.npz", images=images[::-1])
    np.savez("table.npz", inputs=random.random((60, 5)))
    return images


@pytest.fixture
def recorded(data, make_study):
    """A run that says which data it was drawn from."""

    def made(name="mine.npz", **more):
        source = {"data_fingerprint": load_data(name).fingerprint}
        return make_views([make_study(source=source, made={"data": name}, **more)])

    return made


def test_the_runs_own_data_is_found(recorded, data):
    found = find_pictures(recorded(index=np.arange(40) + 20), None)
    assert set(found.sheet.slots) == set(range(20, 60))
    assert found.note == ""


def test_data_that_is_gone_is_a_note(recorded, tmp_path):
    views = recorded()
    (tmp_path / "mine.npz").unlink()
    found = find_pictures(views, None)
    assert found.sheet is None
    assert "No thumbnails: the run's data were not found here; give --data" in found.note


def test_other_data_under_the_same_name_is_a_note(recorded, tmp_path):
    views = recorded()
    (tmp_path / "other.npz").replace(tmp_path / "mine.npz")
    found = find_pictures(views, None)
    assert found.sheet is None
    assert "No thumbnails: the run's data were not found here" in found.note


@pytest.fixture
def private(data, tmp_path):
    """Somebody's pictures, which no run has to do with."""
    folder = tmp_path / "somebody" / "private"
    folder.mkdir(parents=True)
    for number, pixels in enumerate(data):
        Image.fromarray(pixels).save(folder / f"secret{number:02d}.png")
    return f"folder:{folder}"


@pytest.mark.parametrize("source", [{}, {"data_fingerprint": "0" * 32}, {"data_fingerprint": 7}])
def test_a_run_shows_no_private_files(private, make_study, source):
    """Whoever wrote run.toml sees nothing of what lies at the place that it names."""
    study = make_study(source=source, made={"data": private})
    found = find_pictures(make_views([study]), None)
    assert found.sheet is None and "give --data" in found.note
    assert not re.search("secret|private|60|4 x 4|[0-9a-f]{32}", found.note)
    assert "secret" not in report_page([study])


def test_without_a_fingerprint_nothing_is_opened(private, make_study, monkeypatch):
    study = make_study(made={"data": private})
    monkeypatch.setattr(origin, "load_data", lambda name: pytest.fail("it was opened"))
    assert "keeps no fingerprint of its data" in find_pictures(make_views([study]), None).note


def test_private_files_that_are_the_run_s_or_the_user_s_are_shown(private, make_study):
    known = {"data_fingerprint": load_data(private).fingerprint}
    mine = make_study(source=known, made={"data": private})
    assert find_pictures(make_views([mine]), None).sheet is not None
    asked = make_study(made={"data": private})
    assert find_pictures(make_views([asked]), private).sheet is not None


def test_other_data_that_was_asked_for_is_refused(recorded):
    with pytest.raises(InvalidInput, match="data must be what run was drawn from"):
        find_pictures(recorded(), "other.npz")
    with pytest.raises(InvalidInput, match=r"got nowhere\.npz"):
        find_pictures(recorded(), "nowhere.npz")


def test_a_run_that_names_no_data(data, make_study):
    views = make_views([make_study()])
    assert "does not name its data" in find_pictures(views, None).note
    assert find_pictures(views, "mine.npz").sheet is not None
    outside = make_views([make_study(index=np.arange(40) + 30)])
    with pytest.raises(InvalidInput, match="must hold input 69 of run"):
        find_pictures(outside, "mine.npz")


def test_labels_that_contradict_the_run_are_refused(data, make_study):
    views = make_views([make_study()])
    labels = np.zeros(60, np.int64)
    labels[:40] = views[0].labels
    np.savez("labelled.npz", images=data, labels=labels)
    assert find_pictures(views, "labelled.npz").sheet is not None
    labels[7] += 1
    np.savez("labelled.npz", images=data, labels=labels)
    with pytest.raises(InvalidInput, match="differs at input 7"):
        find_pictures(views, "labelled.npz")


def test_what_is_no_image_is_a_note(recorded):
    assert "shape 5 are no images" in find_pictures(recorded("table.npz"), None).note


def test_without_pillow_a_note(recorded, monkeypatch):
    views = recorded()
    monkeypatch.setattr(pictures, "find_spec", lambda name: None)
    assert "pillow is not installed" in find_pictures(views, None).note


def test_of_many_inputs_some(recorded, monkeypatch):
    views = recorded()
    monkeypatch.setattr(pictures, "MOST", 10)
    found = find_pictures(views, None)
    assert len(found.sheet.slots) == 10
    assert found.note.startswith("Thumbnails of 10 inputs")
