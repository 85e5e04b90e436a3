"""What is certified, what predicts, what is saved, replayed and attacked is one function."""

import tempfile
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from one_function_nets import NETS
from uses import INPUTS, SHAPE, all_uses

import simplicert as sc
from simplicert.sampling import Smoothing
from simplicert.sampling.noise import is_on_grid

pytestmark = pytest.mark.usefixtures("one_thread", "plain_kernels")

STEP = 1 / 255
SCALE = np.linspace(0.25, 1.5, 12).reshape(SHAPE)

# For each setting a network, other settings that it needs, and two values that must differ.
CHANGES = {
    "sigma": ("logits", {}, 0.25, 0.5),
    "outputs": ("probabilities", {}, "logits", "probabilities"),
    "num_classes": ("labels", {"outputs": "labels"}, 3, 2),
    "score_limit": ("scores", {"outputs": "scores"}, 0.75, 1.5),
    "noise_scale": ("logits", {}, None, SCALE),
    "grid": ("logits", {}, None, 1 / 16),
    "autocast": ("logits", {}, False, True),
    "noise": ("logits", {}, "gaussian", "brightness"),
}


@pytest.fixture(scope="module")
def plain_kernels():
    """Half precision by torch's own kernels: oneDNN's stop the process on some processors."""
    before = torch.backends.mkldnn.enabled
    torch.backends.mkldnn.set_flags(False)
    yield
    torch.backends.mkldnn.set_flags(before)


def test_every_setting_is_walked_over():
    assert set(CHANGES) == {field.name for field in fields(Smoothing)}


def odd_ones(found):
    """Uses that evaluate something else than certify does, and in what."""
    parts, wanted = ("rows", "outputs", "classes", "scores"), found["certify"]
    return {
        use: [part for part, one, other in zip(parts, its, wanted, strict=True) if one != other]
        for use, its in found.items()
        if its != wanted
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", CHANGES)
def test_each_use_obeys_the_setting(tmp_path, name):
    """All agree at both values, and each of them changes with the value."""
    net, needed, *values = CHANGES[name]
    found = []
    for number, value in enumerate(values):
        folder = tmp_path / str(number)
        folder.mkdir()
        found.append(all_uses(folder, net, {"sigma": 0.25, **needed, name: value}))
        assert not odd_ones(found[-1])
    for use in found[0]:
        assert found[0][use] != found[1][use], use


NOISES = {
    "laplace": {"noise": "laplace", "scale": 0.25},
    "uniform": {"noise": "uniform", "scale": 0.25, "grid": 1 / 64},
    "exponential-linf": {"noise": "exponential-linf", "scale": 0.1},
    "ablation": {"noise": "ablation", "keep": 3, "absent": -9.0},
    "contrast": {"noise": "contrast", "sigma": 0.5},
    "shift": {"noise": "shift", "sigma": 1.0},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", NOISES)
def test_each_use_obeys_the_noise(tmp_path, name):
    """Certified, predicted, saved and loaded, drawn again, attacked: the same noisy copies."""
    found = all_uses(tmp_path, "logits", NOISES[name])
    assert not odd_ones(found)
    rows = np.frombuffer(found["predict"][0], np.float32).reshape(-1, *SHAPE[1:], SHAPE[0])
    if name == "ablation":  # pixels are absent in all channels or in none
        absent = rows == -9
        assert (absent.any(axis=-1) == absent.all(axis=-1)).all()
        assert (absent.all(axis=-1).sum(axis=(1, 2)) == 1).all()
    if name == "shift":
        assert (np.sort(rows.reshape(len(rows), -1)) == np.sort(INPUTS[0].ravel())).all()
    text = (tmp_path / "kept" / "smoothed.toml").read_text()
    assert "format = 3" in text and f'name = "{name}"' in text


@st.composite
def any_settings(draw):
    """A network and settings that fit it."""
    net = draw(st.sampled_from(["logits", "probabilities", "labels", "scores"]))
    shares = st.lists(st.floats(0.1, 2.0), min_size=12, max_size=12)
    asked = {
        "sigma": draw(st.floats(0.05, 2.0)),
        "outputs": net,
        "num_classes": 3 if net == "labels" else draw(st.sampled_from([None, 3])),
        "score_limit": draw(st.floats(0.1, 3.0)) if net == "scores" else None,
        "noise_scale": draw(st.none() | shares.map(lambda s: np.reshape(s, SHAPE))),
        "grid": draw(st.sampled_from([None, 1 / 16, 1 / 64])),
        "autocast": draw(st.booleans()),
    }
    assert {*asked, "noise"} == set(CHANGES)
    kind = "multinomial" if net == "labels" else draw(st.sampled_from(["multinomial", "softmax"]))
    return net, asked, kind


@pytest.mark.slow
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(any_settings())
def test_all_uses_evaluate_the_same_bits(one):
    """On the same noise: the same rows, the same outputs, the same classes and scores."""
    net, asked, kind = one
    with tempfile.TemporaryDirectory() as folder:
        found = all_uses(Path(folder), net, asked, kind)
    assert not odd_ones(found)
    rows = np.frombuffer(found["predict"][0], np.float32).reshape(-1, 12)
    assert asked["grid"] is None or is_on_grid(rows, asked["grid"]).all()


def grid_reader(batch):
    """Class 0 where all values lie on the grid, 1 elsewhere."""
    on = is_on_grid(batch.reshape(len(batch), -1), STEP)
    return np.stack([on, ~on], axis=1).astype(float)


@pytest.mark.parametrize(("grid", "answer"), [(STEP, 0), (None, 1)])
def test_the_grid_is_certified_and_predicted_or_neither(grid, answer):
    x = (np.arange(12) / 255).astype(np.float32).reshape(1, 12)
    smooth = sc.Smoothed(grid_reader, 0.5, grid=grid)
    certificates = smooth.certify(x, draws=2000, seed=0)
    assert certificates.predicted.tolist() == [answer]
    assert smooth.predict(x, seed=0).classes.tolist() == [answer]
    assert smooth.operational_radius(certificates)[0] > 0


def test_inputs_off_the_grid_are_refused():
    x = np.full((2, 12), 0.5 / 255, np.float32)
    smooth = sc.Smoothed(grid_reader, 0.5, grid=STEP)
    for use in (smooth.predict, smooth.certify):
        with pytest.raises(sc.InvalidInput, match="inputs must lie on the grid"):
            use(x)


@pytest.mark.parametrize("name", CHANGES)
def test_certify_takes_no_setting_that_predict_would_not_know(name):
    with pytest.raises(sc.InvalidInput, match=f"{name} must be given to Smoothed and not to cert"):
        sc.Smoothed(grid_reader, 0.5).certify(INPUTS, draws=100, **{name: CHANGES[name][3]})


@pytest.mark.parametrize(("name", "value"), [("kind", "softmax"), ("sensitivity", 2.0)])
def test_certify_takes_no_kind_and_no_sensitivity_of_its_own(name, value):
    with pytest.raises(sc.InvalidInput, match=f"{name} must be given to Smoothed and not to cert"):
        sc.Smoothed(grid_reader, 0.5).certify(INPUTS, draws=100, **{name: value})


@pytest.mark.parametrize("name", [name for name in CHANGES if name != "num_classes"])
def test_certificates_of_another_function_have_no_operational_radius(name):
    """And its tallies cannot be added; those made by hand know less, and are taken at a word."""
    net, needed, one, other = CHANGES[name]
    sides = [
        sc.Smoothed(NETS[net](), **{"sigma": 0.25, **needed, name: value}) for value in (one, other)
    ]
    found = [smooth.certify(INPUTS, draws=200, seed=0) for smooth in sides]
    assert len(sides[0].operational_radius(found[0])) == 2
    for smooth, its in zip(sides, found[::-1], strict=True):
        with pytest.raises(sc.InvalidInput, match=rf"certificates must be .*({name}|norm)"):
            smooth.operational_radius(its)
    tallies = [
        sc.sample(
            NETS[net](), INPUTS, draws=64, seed=seed, **{"sigma": 0.25, **needed, name: value}
        )
        for seed, value in enumerate((one, other))
    ]
    with pytest.raises(sc.IncompatibleTallies, match=f"another ({name}|norm)"):
        tallies[0] + tallies[1]


def test_a_tally_made_by_hand_is_added_at_its_makers_word():
    drawn = sc.sample(NETS["logits"](), INPUTS, 0.25, 64, histograms=False)
    parts = {name: getattr(drawn, name) for name in ("softmax_sums", "softmax_squares", "votes")}
    known = {"plan": drawn.plan, "votes_invalid": drawn.votes_invalid, **parts}
    by_hand = sc.Tally(drawn.counts, 0.25, **known)
    for both in (drawn + by_hand, by_hand + drawn):
        assert both.reading == drawn.reading and (both.counts == 2 * drawn.counts).all()


def test_a_folder_of_the_first_format_is_read(tmp_path):
    """It knew no grid, no autocast and no limit of scores: there were none."""
    before = sc.Smoothed(NETS["logits"](), 0.25, 3, noise_scale=SCALE)
    before.save(tmp_path, INPUTS)
    path = tmp_path / "smoothed.toml"
    lines = path.read_text().splitlines()
    new = ("format", "autocast", "sensitivity")
    path.write_text("\n".join(["format = 1", *(x for x in lines if not x.startswith(new))]))
    after = sc.Smoothed.load(tmp_path)
    assert after.smoothing == before.smoothing
    path.write_text(path.read_text().replace("sigma = 0.25", 'sigma = "much"'))
    with pytest.raises(sc.InvalidInput, match="sigma must be a positive finite number"):
        sc.Smoothed.load(tmp_path)
