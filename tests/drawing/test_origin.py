"""The model and data of a run are opened again by their names, if they are still the same."""

from dataclasses import replace

import numpy as np
import pytest
from places import asked, drawn

import simplicert as sc
from simplicert.drawing import origin
from simplicert.drawing.origin import Origin, OriginOverrides, open_named_data, open_origin
from simplicert.store.run import Run


def test_the_data_that_a_run_names_are_opened_if_they_are_unchanged(place):
    _, run = drawn(asked(place, "run", draws=20))
    data = open_named_data(run)
    assert data.fingerprint == run.manifest.data_fingerprint and len(data) == 40
    arrays = dict(np.load("data.npz"))
    arrays["inputs"][0] += 1
    np.savez("data.npz", **arrays)
    with pytest.raises(sc.InvalidInput, match=r"data\.npz has another fingerprint than the data"):
        open_named_data(run)


def test_the_model_is_the_one_that_the_run_names(place, monkeypatch):
    """Opened by its name, its fingerprint and the run's file; code is never named by a run."""
    _, run = drawn(asked(place, "run", draws=20))
    with pytest.raises(sc.InvalidInput, match="--model and --data say where they are"):
        open_origin(run, "an attack", OriginOverrides())
    asked_for = []
    monkeypatch.setattr(
        origin, "load_named_model", lambda *names, **more: asked_for.append(names) or "the model"
    )
    found = open_origin(run, "an attack", OriginOverrides())
    assert found.model == "the model" and found.data.fingerprint == run.manifest.data_fingerprint
    ((name, file, fingerprint),) = asked_for
    assert name == run.manifest.made["model"] and file == str(run.folder / "run.toml")
    assert fingerprint == str(run.manifest.model_fingerprint)


@pytest.mark.parametrize("name", [5, ["data.npz"], True])
@pytest.mark.parametrize("what", ["model", "data"])
def test_a_name_that_is_no_text_is_refused_with_the_run(place, what, name):
    _, run = drawn(asked(place, "run", draws=20))
    made = run.manifest.made | {what: name}
    with pytest.raises(sc.InvalidInput, match=f"{what} in the table made must be a text, got"):
        replace(run.manifest, made=made)


@pytest.mark.parametrize("name", [None, ""])
def test_a_name_that_is_no_name_is_a_sentence(place, name):
    _, run = drawn(asked(place, "run", draws=20))
    held = run.manifest
    nameless = Run(run.folder, replace(held, made=held.made | {"model": name}))
    with pytest.raises(sc.InvalidInput, match=r"run\.toml does not name the model"):
        open_origin(nameless, "an attack", OriginOverrides(data="data.npz"))
    nameless = Run(run.folder, replace(held, made=held.made | {"data": name}))
    with pytest.raises(sc.InvalidInput, match=r"run\.toml does not name its data"):
        open_named_data(nameless)


def test_a_model_is_trusted_only_if_the_user_says_so(place, monkeypatch):
    _, run = drawn(asked(place, "run", draws=20))
    trusted = []
    monkeypatch.setattr(
        origin, "load_model", lambda name, *, trust, **more: trusted.append(trust) or name
    )
    for given in ({}, {"trust": True}):
        open_origin(run, "an attack", OriginOverrides("mine:net", "data.npz", **given))
    assert trusted == [False, True]


def test_what_differs_from_the_run_is_named(place):
    _, run = drawn(asked(place, "run", draws=20))
    data = open_named_data(run)
    held = run.manifest

    class Stranger:
        fingerprint = "other"

    found = Origin(Stranger(), data).mismatches(held)
    assert found == [("model", "other", held.model_fingerprint)]
