"""The model and data of a run are opened again by their names, if they are still the same."""

import numpy as np
import pytest
from places import asked, drawn

import simplicert as sc
from simplicert.drawing import origin
from simplicert.drawing.origin import OriginOverrides, open_named_data, open_origin


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
