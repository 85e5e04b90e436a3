"""The run's own model and data, and no others."""

import numpy as np
import pytest
from known import data_of, drawn, inputs_at, model_of

import simplicert as sc
from simplicert.attack import open_target
from simplicert.errors import InvalidInput
from simplicert.store import Manifest


def test_the_noise_is_not_the_runs(run):
    target = open_target(run, model_of(run), data_of(run.folder.parent))
    again, other = (
        open_target(run, model_of(run), data_of(run.folder.parent), seed=s) for s in (0, 1)
    )
    seeds = [one.sampler.settings.seed for one in (target, again, other)]
    assert seeds[0] == seeds[1] != seeds[2]
    assert run.manifest.source["seed"] not in seeds
    np.testing.assert_array_equal(target.input(2), inputs_at([0.3, 0.5, -0.7, 0.9])[2])


def test_other_data_or_another_model_is_refused(run, place):
    np.savez(place / "other.npz", inputs=inputs_at([0.3, 0.5, -0.7, 0.8]))
    with pytest.raises(InvalidInput, match=r"data must be what .* was drawn from"):
        open_target(run, model_of(run), data_of(place, "other.npz"))
    with pytest.raises(InvalidInput, match=r"model must be what .* was drawn from"):
        open_target(run, "known_truth:function", data_of(place))
    with pytest.raises(InvalidInput, match="--model and --data say where they are: data must"):
        open_target(run, model_of(run), "nowhere.npz")


def test_a_model_that_the_run_names_runs_no_code(run, place):
    with pytest.raises(InvalidInput, match=r"run\.toml names the model known_truth:network, and a"):
        open_target(run, data=data_of(place))


def test_the_normalisation_is_the_run_s(place):
    own = drawn(place, "known_truth:function", out="normal", mean="0.5", std="2")
    assert open_target(own, model_of(own), data_of(place), mean="0.5").run is own
    with pytest.raises(InvalidInput, match=r"std must be the run's \[2\.0\], got \[3\.0\]"):
        open_target(own, model_of(own), data_of(place), std="3")


def test_a_function_that_answers_otherwise_is_refused(place, monkeypatch):
    """Its source is the same; what it reads is not."""
    own = drawn(place, "known_truth:function", out="answers")
    import known_truth

    monkeypatch.setattr(known_truth, "W", -known_truth.W)
    with pytest.raises(InvalidInput, match=r"model must give the outputs that .* keeps of it"):
        open_target(own, model_of(own), data_of(place))


def test_a_choice_of_inputs_by_a_file(place):
    """Their order is not kept, so the outputs that a run keeps are not asked for."""
    (place / "some.txt").write_text("3 1\n")
    own = drawn(place, "known_truth:network", out="listed", index_file=place / "some.txt")
    target = open_target(own, model_of(own), data_of(place))
    assert own.tally().inputs.tolist() == [1, 3]
    np.testing.assert_array_equal(target.input(3), inputs_at([0.3, 0.5, -0.7, 0.9])[3])


def test_an_imported_run_has_no_model(tmp_path):
    tally = sc.Tally([[90, 5, 5]], 0.5)
    own = sc.create_run(tmp_path / "counts", Manifest(0.5, 1, 3), tally)
    with pytest.raises(InvalidInput, match="run must have been drawn by sample to be attacked"):
        open_target(own)
