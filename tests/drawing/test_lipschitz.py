"""A Lipschitz constant is proved before the draws, kept by the run, and proved again by verify."""

import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import simplicert as sc
from simplicert.stopping import Until
from simplicert.store.manifest import NAME, read_manifest, write_manifest
from simplicert.types.smoothing import Reading
from simplicert.types.tally import select_inputs
from simplicert.verification import Replay, verify_run

pytestmark = pytest.mark.usefixtures("one_thread")

MODULE = """
import torch
from torch import nn

def make():
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 3)).eval()
    network[2].weight.data *= 20
    return network

def fold():
    return nn.Sequential(nn.Linear(3, 3), nn.LayerNorm(3)).eval()
"""
QUIET = {"warn": lambda sentence: None, "device": "cpu", "batch_size": 64, "kind": "softmax"}
COUNTS = {"counts": [[9, 1]], "softmax_sums": [[9 << 40, 1 << 40]], "votes": [[9, 1]]}


@pytest.fixture
def name(tmp_path, monkeypatch):
    """The name of a module with two networks, in a folder with inputs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "flat_nets.py").write_text(MODULE)
    inputs = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)
    np.savez(tmp_path / "data.npz", inputs=inputs, labels=np.arange(4) % 3)
    yield "flat_nets"
    sys.modules.pop("flat_nets", None)


def drawn(name, out="run", draws=150, **more):
    arguments = {**QUIET, "lipschitz": True, **more}
    return sc.draw(f"{name}:make", "data.npz", 0.1, draws, out, **arguments).run


def test_a_run_records_and_shows_it(name):
    run = drawn(name)
    model = sc.models.load_model(f"{name}:make")
    constant = sc.models.lipschitz_constant(model, (3,))
    content = tomllib.loads((run.folder / NAME).read_text())
    assert content["source"]["lipschitz"] == constant == run.tally().lipschitz
    assert run.settings.lipschitz == constant
    assert content["format"] == 2  # an addition that earlier runs lack
    assert "of the logits" in content["made"]["lipschitz_proof"]
    certificates = run.certify()
    gap = certificates.known.e0 - np.minimum(certificates.known.e1, 1 - certificates.known.e0)
    found = certificates.radii["lipschitz"]
    np.testing.assert_allclose(found, np.nan_to_num(gap) / (2 * constant), rtol=1e-12)
    assert found.max() > 0 and not certificates.exploratory
    np.testing.assert_array_equal(run.certify(sensitivity=4.0).radii["lipschitz"], found / 4)
    same = sc.sample(model.classifier, *memory(), lipschitz=True, batch_size=64, device="cpu")
    assert same.lipschitz == constant


def memory():
    data = np.load("data.npz")
    return data["inputs"], 0.1, 150


def test_it_is_resumed_and_extended_with_what_was_proved(name):
    whole = drawn(name, "whole", 300)
    begun = drawn(name, "begun", 150, reserve=0.1)
    again = drawn(name, "begun", 150, reserve=0.1, lipschitz=False)  # the run knows it
    assert again.manifest.lipschitz == begun.manifest.lipschitz == whole.manifest.lipschitz
    more = drawn(name, "begun", 300, reserve=0.1, extend=True)
    assert more.tally().counts.sum() == whole.tally().counts.sum()
    drawn(name, "without", lipschitz=False)
    with pytest.raises(
        sc.InvalidInput, match=r"when a run begins, and .*without was begun without"
    ):
        drawn(name, "without")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"grid": 1 / 255}, "left out on a grid"),
        ({"outputs": "probabilities"}, "returns logits in single precision"),
        ({"autocast": True}, "returns logits in single precision"),
        ({"noise_scale": np.ones(3)}, "Gaussian noise of one sigma"),
        ({"noise": "laplace", "scale": 0.1}, "Gaussian noise of one sigma"),
    ],
)
def test_scores_that_have_no_constant_are_refused(name, more, words):
    sigma = None if "noise" in more else 0.1
    with pytest.raises(sc.InvalidInput, match=words):
        sc.draw(f"{name}:make", "data.npz", sigma, 50, "run", lipschitz=True, **QUIET, **more)


def test_a_network_without_a_proof_is_refused_before_anything_is_written(name, command):
    words = ("--data", "data.npz", "--sigma", 0.1, "--draws", 50, "--out", "run", "--lipschitz")
    code, _, said = command("sample", "--model", f"{name}:fold", *words)
    assert code == 2 and "1 (LayerNorm) is none of" in " ".join(said.split())
    assert not Path("run").exists()


@pytest.mark.parametrize(("kind", "warned"), [("multinomial", True), ("softmax", False)])
def test_a_constant_that_the_declared_kind_does_not_use_is_warned_of(name, command, kind, warned):
    words = ("--data", "data.npz", "--sigma", 0.1, "--draws", 50, "--out", "run", "--lipschitz")
    code, _, said = command("sample", "--model", f"{name}:make", *words, "--kind", kind, "--quiet")
    assert code == 0 and ("begin it with --kind softmax" in " ".join(said.split())) is warned


def checks(run, replay=None):
    return {c.about: c for c in verify_run(run.folder, replay=replay) if c.about == "lipschitz"}


def forge(run, **source):
    manifest = read_manifest(run.folder)
    write_manifest(run.folder, replace(manifest, source=manifest.source | source))
    return sc.open_run(run.folder)


def test_verify_proves_it_again_and_fails_a_smaller_one(name):
    run, replay = drawn(name), Replay(1, 0, f"{name}:make", "data.npz")
    assert "is taken as given" in checks(run)["lipschitz"].says
    assert checks(run)["lipschitz"].holds is None
    assert checks(run, replay)["lipschitz"].holds is True
    honest = run.certify().radii["lipschitz"]
    forged = forge(run, lipschitz=run.manifest.lipschitz * 0.999)
    assert (forged.certify().radii["lipschitz"] > honest).all()  # the file is believed
    assert checks(forged, replay)["lipschitz"].holds is False
    assert checks(forge(run, lipschitz=100.0), replay)["lipschitz"].holds is True


@pytest.mark.parametrize("stated", [-1.0, 0.0, float("nan"), float("inf"), "2", True, [1.0]])
def test_a_run_that_states_no_number_is_damaged(name, stated):
    run = drawn(name, draws=20)
    text = (run.folder / NAME).read_text().splitlines()
    said = {"nan": "nan", "inf": "inf"}.get(str(stated), repr(stated).replace("'", '"').lower())
    changed = [f"lipschitz = {said}" if line.startswith("lipschitz = ") else line for line in text]
    (run.folder / NAME).write_text("\n".join(changed) + "\n")
    with pytest.raises(sc.DamagedRun, match="lipschitz"):
        sc.open_run(run.folder).tally()


def test_tallies_of_different_constants_do_not_add():
    one, two = (sc.Tally(**COUNTS, sigma=0.1, lipschitz=value) for value in (1.0, 2.0))
    none = sc.Tally(**COUNTS, sigma=0.1)
    for other in (two, none):
        with pytest.raises(sc.IncompatibleTallies, match="another Lipschitz constant"):
            one + other
    assert (one + one).lipschitz == 1.0 == select_inputs(one, np.array([0])).lipschitz
    assert sc.bound(one, 0.3, "softmax").lipschitz == 1.0


@pytest.mark.parametrize(
    "more",
    [
        {"lipschitz": -1.0},
        {"lipschitz": float("nan")},
        {"grid": 0.1},
        {"norm": "scaled l2"},
        {"noise": "laplace"},
        {"reading": Reading("probabilities")},
        {"reading": Reading("logits", autocast=True)},
    ],
)
def test_a_tally_refuses_a_constant_that_nothing_proves(more):
    with pytest.raises(sc.InvalidInput, match="lipschitz must be"):
        sc.Tally(**COUNTS, **{"sigma": 0.1, "lipschitz": 1.0, **more})


def test_a_tally_becomes_a_run_with_its_constant(tmp_path):
    tally = sc.Tally(**COUNTS, sigma=0.1, lipschitz=1.5)
    run = sc.create_run(tmp_path / "run", sc.Manifest(0.1, 1, 2), tally)
    assert sc.open_run(run.folder).tally().lipschitz == 1.5
    with pytest.raises(sc.InvalidInput, match="the tally's lipschitz"):
        sc.create_run(tmp_path / "b", sc.Manifest(0.1, 1, 2, source={"lipschitz": 1.0}), tally)


def test_stopping_looks_at_the_best_radius():
    """A target that only the constant reaches stops the drawing."""
    many = {name: np.array(values) * 100 for name, values in COUNTS.items()}
    plan = sc.Plan((1000, 2000), (0.5, 0.5), "radius=1")
    for constant in (0.3, None):
        tally = sc.Tally(**many, sigma=0.01, plan=plan, lipschitz=constant)
        reason = Until("radius=1", kind="softmax", scheme="gated")(tally)[0]
        assert (reason == "certified") is (constant is not None)


def test_the_summary_says_which_constant(name, command):
    run = drawn(name)
    code, said, _ = command("certify", run.folder)
    assert code == 0 and f"by the constant {run.manifest.lipschitz!r} of the scores" in said
