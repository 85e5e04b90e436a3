"""Attacks in the balls of other noises, where the truth is known: near it, and never below it.

A confirmation passes wrongly with probability at most LEVEL / 8, so a find short of the truth has
probability at most LEVEL in each attack below; there are about 25.
"""

import re
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import simplicert as sc
from simplicert.attack import Effort, certify_in_norm, open_target
from simplicert.attack.ball import Ball
from simplicert.attack.confirmer import Confirmer
from simplicert.attack.features import FeatureBall
from simplicert.attack.job import attack_input, attack_run, perturbation_path
from simplicert.attack.norms import NORMS
from simplicert.attack.parameters import ParameterBall
from simplicert.noises import NoiseModel
from simplicert.store.attacks import AttackRow, attack_path, read_attack
from simplicert.store.manifest import Manifest
from simplicert.tables.attack import attack_table

LEVEL = 1e-6
EFFORT = Effort(steps=8, restarts=1, samples=16, explore=1000, confirm=5000, level=LEVEL)

# Linear in six features; any of eight absent; a bright pixel in the left half; a mean above 1/2.
MODELS = """
import numpy as np
W = np.array([2.0, -1.0, 0.5, 0.25, -0.5, 1.0], np.float32)
def both(side):
    return np.stack([side, -side], axis=1)
def plane():
    return lambda batch: both(4 * (batch.reshape(len(batch), -1) @ W))
def axis():
    return lambda batch: both(4 * batch[:, 0])
def network():
    import torch
    line = torch.nn.Linear(6, 2, bias=False)
    with torch.no_grad():
        line.weight.copy_(torch.from_numpy(4 * np.stack([W, -W])))
    return line
def unseen():
    return lambda batch: both(0.5 - (batch == 0).any(axis=1))
def left():
    return lambda batch: both(batch[:, 0, :, :8].max((1, 2)) - batch[:, 0, :, 8:].max((1, 2)))
def bright():
    return lambda batch: both(batch.reshape(len(batch), -1).mean(axis=1) - 0.5)
"""
W = np.array([2.0, -1.0, 0.5, 0.25, -0.5, 1.0])
START = np.array([0.6, 0.1, 0.3, -0.2, 0.2, 0.1], np.float32)


@pytest.fixture(scope="module")
def truth(tmp_path_factory):
    """A folder with the models and data, importable."""
    folder = tmp_path_factory.mktemp("balls")
    (folder / "ball_truth.py").write_text(MODELS)
    pixel = np.zeros((1, 1, 4, 16), np.float32)
    pixel[0, 0, 1, 6] = 1.0
    data = {"plane": START[None], "unseen": np.ones((1, 8)), "left": pixel}
    data["bright"] = np.full((1, 1, 2, 2), 0.8)
    for name, inputs in data.items():
        both = np.concatenate([inputs, np.zeros_like(inputs)]).astype(np.float32)
        np.savez(folder / f"{name}.npz", inputs=both)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield folder


def drawn(folder, model, data, **noise):
    """A run of the first input."""
    out = folder / re.sub(r"\W", "", f"{model}{noise}")
    asked = {"draws": 4000, "batch_size": 256, "device": "cpu", "select": slice(1), **noise}
    if not out.exists():
        quiet = {"warn": lambda sentence: None}
        sc.draw(f"ball_truth:{model}", str(folder / f"{data}.npz"), out=out, **asked, **quiet)
    run = sc.open_run(out)
    return run, open_target(run, f"ball_truth:{model}", str(folder / f"{data}.npz"))


def attacked(folder, model, data, *, norm=None, radius=None, effort=EFFORT, **noise):
    """(row, hit) of an attack on the one input, with another radius where one is claimed."""
    run, target = drawn(folder, model, data, **noise)
    certificates = certify_in_norm(target, run.certify(), norm)
    if radius is not None:
        certificates = forged(certificates, radius)
    return attack_input(target, certificates, 0, 1, effort)


def forged(certificates, radius):
    """The same certificates with a radius that nothing proves."""
    radii, ensemble = {"two_sided": np.array([radius])}, np.zeros(1)
    return replace(certificates, radii=radii, ensemble=ensemble, winner=np.array([""]))


MARGIN = abs(float(START.astype(float) @ W))

# model, data, noise, norm -> true distance; what is found lies within this factor of it.
CASES = {
    "laplace, one axis": ("axis", "plane", {"noise": "laplace", "scale": 0.5}, None, 0.6, 1.3),
    "laplace, l1": ("plane", "plane", {"noise": "laplace", "scale": 0.3}, None, MARGIN / 2, 1.4),
    "laplace, network": (
        "network",
        "plane",
        {"noise": "laplace", "scale": 0.3},
        None,
        MARGIN / 2,
        1.3,
    ),
    "uniform, l1": ("plane", "plane", {"noise": "uniform", "scale": 0.8}, None, MARGIN / 2, 1.5),
    "uniform, linf": (
        "network",
        "plane",
        {"noise": "uniform", "scale": 0.8},
        "linf",
        MARGIN / abs(W).sum(),
        1.5,
    ),
    "gaussian, linf": (
        "network",
        "plane",
        {"sigma": 0.4},
        "linf",
        MARGIN / abs(W).sum(),
        1.4,
    ),
    "gaussian, l1": ("network", "plane", {"sigma": 0.4}, "l1", MARGIN / 2, 1.4),
    "exponential-linf": (
        "network",
        "plane",
        {"noise": "exponential-linf", "scale": 0.1},
        None,
        MARGIN / abs(W).sum(),
        1.5,
    ),
    "ablation": ("unseen", "unseen", {"noise": "ablation", "keep": 2, "absent": -1.0}, None, 3, 1),
    "shift": ("left", "left", {"noise": "shift", "sigma": 1.0}, None, 2, 1),
    "brightness": ("bright", "bright", {"noise": "brightness", "sigma": 0.2}, None, 0.3, 1.3),
    "contrast": (
        "bright",
        "bright",
        {"noise": "contrast", "sigma": 0.4},
        None,
        float(np.log(np.float32(0.8).astype(float) / 0.5)),
        1.3,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_boundary_is_found_and_nothing_nearer(truth, name):
    model, data, noise, norm, distance, factor = CASES[name]
    row, hit = attacked(truth, model, data, norm=norm, **noise)
    assert row.radius > 0 and not row.broken
    assert distance * (1 - 1e-6) <= row.found <= factor * distance * (1 + 1e-6)
    assert row.norm == (norm or sc.noises.NOISES[row.noise].norms[0])
    assert hit.distance == row.found and row.rival == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_forged_radius_is_broken(truth, name):
    """Twice the truth, or one feature or pixel beyond it."""
    model, data, noise, norm, distance, _ = CASES[name]
    false = distance + 1 if distance in (2, 3) else 2 * distance
    row, _ = attacked(truth, model, data, norm=norm, radius=float(false), **noise)
    assert row.broken and distance * (1 - 1e-6) <= row.found <= false


@pytest.mark.slow
def test_the_largest_honest_number_of_features_is_not_broken(truth):
    """Two of eight features, two kept: the certificate of endless draws; three break it."""
    case = ("unseen", "unseen")
    noise = {"noise": "ablation", "keep": 2, "absent": -1.0}
    row, _ = attacked(truth, *case, radius=2.0, **noise)
    assert row.found == 3 and not row.broken and row.ratio == 1.5
    row, _ = attacked(truth, *case, radius=3.0, **noise)
    assert row.found == 3 and row.broken  # closed: three features are covered by a radius of 3


def test_ablation_by_exhaustive_search(truth):
    """Every input of zeros and ones: within two changes the class stays, at three it is lost."""
    kept = list(combinations(range(8), 2))
    for word in product((0, 1), repeat=8):
        seen = Fraction(sum(any(word[i] == 0 for i in pair) for pair in kept), len(kept))
        assert (seen > Fraction(1, 2)) == (word.count(0) >= 3)
    run, _ = drawn(truth, "unseen", "unseen", noise="ablation", keep=2, absent=-1.0)
    assert run.certify().radius.tolist() == [2.0]


@pytest.mark.slow
def test_the_perturbation_that_breaks_is_kept(truth, tmp_path):
    """Of a transformation it is the parameter; else what is added to the input."""
    kept = {}
    for name in ("shift", "laplace, one axis"):
        model, data, noise, _, distance, _ = CASES[name]
        run, target = drawn(truth, model, data, **noise)
        certificates = forged(run.certify(), 2.0 * distance)
        out = tmp_path / f"{data}.csv"
        rows = attack_run(target, certificates, np.array([0]), EFFORT, out)
        assert rows[0].broken and read_attack(out) == rows
        kept[name] = np.load(perturbation_path(out, 0))
    assert kept["shift"].tolist() == [0.0, 2.0]
    moved = START + kept["laplace, one axis"]
    assert kept["laplace, one axis"].shape == (6,) and moved[0] <= 0
    table = attack_table(rows)
    assert "laplace noise, scale 0.5" in table.title and "in l1" in table.notes[0]


def test_a_broken_certificate_is_cried_out(command, truth):
    """Counts forged as if every draw agreed: exit code 1, the norm in the table."""
    honest, _ = drawn(truth, "axis", "plane", noise="laplace", scale=0.5)
    plan = sc.Plan((400_000,))
    model = NoiseModel("laplace")
    tally = sc.Tally([[400_000, 0]], 0.5, plan=plan, noise=model)
    manifest = replace(honest.manifest, plan=plan)
    assert isinstance(manifest, Manifest)
    own = sc.create_run(truth / "forged", manifest, tally)
    words = ("--model", "ball_truth:axis", "--data", str(truth / "plane.npz"), "--quiet")
    little = ("--steps", 2, "--restarts", 1, "--explore", 200, "--confirm", 2000)
    code, out, err = command("attack", own.folder, *words, *little)
    assert code == 1 and "BROKEN CERTIFICATE: input 0" in err
    assert "laplace noise, scale 0.5" in out and "certified radius, in l1" in " ".join(out.split())
    (row,) = read_attack(own.folder / "attack.csv")
    assert row.noise == "laplace" and row.norm == "l1" and row.broken
    code, _, err = command("attack", own.folder, *words, "--norm", "l2")
    assert code == 2 and "norm must be one that laplace noise certifies (l1), got 'l2'" in err


def test_noises_whose_threat_is_not_searched(command, tmp_path):
    tally = sc.Tally([[90, 5, 5]], 1.0, noise=NoiseModel("deletion", rate=0.9))
    run = sc.create_run(tmp_path / "text", Manifest(1.0, 1, 3), tally)
    source = {**run.manifest.source, "model": "m", "data": "d"}
    assert source
    code, _, err = command("attack", run.folder)
    assert code == 2 and "run must" in err and err.count("\n") == 1


# Distances, in exact arithmetic


SINGLES = st.floats(-(2.0**60), 2.0**60, width=32) | st.floats(-1, 1, width=32)


@settings(max_examples=50, deadline=None)
@given(data=st.data(), size=st.integers(1, 12), norm=st.sampled_from(["l1", "linf"]))
def test_a_distance_is_never_below_the_exact_one_and_hardly_above(data, size, norm):
    one, other = (data.draw(arrays(np.float32, size, elements=SINGLES)) for _ in range(2))
    shares = st.sampled_from([1e-3, 1 / 3, 1.0, 7.0])
    scale = data.draw(st.none() | arrays(np.float64, size, elements=shares))
    found = Ball(other, scale, measure=NORMS[norm]).norm(one)
    held = np.ones(size) if scale is None else scale
    changes = [
        abs(Fraction(float(a)) - Fraction(float(b))) / Fraction(float(share))
        for a, b, share in zip(one, other, held, strict=True)
    ]
    exact = sum(changes) if norm == "l1" else max(changes)
    assert exact <= Fraction(found) <= exact * (1 + Fraction(1, 10**14)) + Fraction(1, 10**300)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    radius=st.floats(1e-4, 5),
    norm=st.sampled_from(["l1", "linf", "l2"]),
)
def test_projections_are_the_nearest_points_of_the_ball(seed, radius, norm):
    """Optimal: no other point of the ball is nearer, by the variational inequality at corners."""
    random = np.random.default_rng(seed)
    offset, row = random.normal(size=6), NORMS[norm]
    found = row.project(offset, radius)
    assert row.length(found) <= radius * (1 + 1e-9)
    for _ in range(20):
        other = random.normal(size=6)
        other *= radius / row.length(other)
        assert (offset - found) @ (other - found) <= 1e-9
    ball = Ball(np.zeros(6, np.float32), measure=row)
    assert ball.norm(ball.within(offset, radius)) < radius
    assert row.length(ball.random_direction(random)) == pytest.approx(1)
    slope = random.normal(size=6)
    up = ball.steepest(slope)
    assert row.length(up) == pytest.approx(1)
    dual = {"l2": np.linalg.norm(slope), "l1": abs(slope).max(), "linf": abs(slope).sum()}[norm]
    assert 0.9 * dual <= up @ slope <= dual * (1 + 1e-12)


def test_a_shift_is_measured_in_whole_pixels():
    ball = ParameterBall(2, True)
    assert ball.norm(np.array([3.0, -4.0])) == 5.0
    assert Fraction(ball.norm(np.array([1.0, 1.0]))) ** 2 > 2
    for path in ball.paths():
        assert (path.at(3.7) == np.rint(path.at(3.7))).all()
        assert ball.norm(path.within(3.0)) < 3.0
    assert {ball.norm(path.within(0.7)) for path in ball.paths()} == {0.0}


def test_features_are_pixels_and_the_mark_is_avoided():
    random = np.random.default_rng(0)
    ball = FeatureBall(random.random((3, 4, 4)).astype(np.float32), 0.0, 1.0, absent=0.0)
    assert ball.size == 16
    for values in ball.corners(random):
        assert values.dtype == np.float32 and not (values == 0).any() and (values <= 1).all()
        point = ball.replaced(np.array([5, 2, 9]), values, 2)
        assert ball.norm(point) == 2
        changed = (point != ball.centre).any(axis=0).ravel()
        assert np.flatnonzero(changed).tolist() == [2, 5]


def test_a_row_of_another_noise_reads_back(tmp_path):
    shared = dict(
        draws=9, tests=1, level=0.001, inputs=1, confirm=10, explore=10, steps=2, restarts=1,
        samples=4, gradients="ablation", seed=0, kind="multinomial", alpha=0.001, scheme="gated",
        sigma=1.0, norm="l0", run="mine", noise="ablation",
    )  # fmt: skip
    row = AttackRow(index=0, certified=3, radius=2.0, rival=5, found=2.0, **shared)
    assert row.broken  # a radius of two features covers two
    assert not replace(row, noise="shift").broken
    from simplicert.store.attacks import write_attack

    write_attack(tmp_path / "attack.csv", [row])
    assert read_attack(tmp_path / "attack.csv") == [row]
    assert (tmp_path / "attack.csv").read_text().splitlines()[0].endswith(",run,noise")
    manifest = Manifest(1.0, 1, 2)
    assert attack_path(tmp_path, manifest, "multinomial", "linf").name == "attack-linf.csv"
    assert attack_path(tmp_path, manifest, "softmax", "l2").name == "attack-softmax.csv"


def test_no_more_confirmations_than_the_level_is_shared_among(truth, monkeypatch):
    """Looks that always promise and tests that never pass: no more than there are."""
    from simplicert.attack.attacked_input import AttackedInput, Lead
    from simplicert.attack.confirmation import CONFIRM
    from simplicert.attack.job import prepare_input
    from simplicert.attack.losses import TESTS
    from simplicert.attack.paths import find_smallest_change

    run, target = drawn(truth, "unseen", "unseen", noise="ablation", keep=2, absent=-1.0)
    effort = Effort(steps=1, restarts=1, samples=4, explore=64, confirm=64)
    made = prepare_input(target, run.certify(), 0, effort)
    monkeypatch.setattr(AttackedInput, "lead", lambda self, point, draws: Lead(1, 1.0, 0.0))
    monkeypatch.setitem(CONFIRM, "multinomial", lambda *_: False)
    confirmer = Confirmer(made, effort, 1e-9)
    assert find_smallest_change(confirmer) is None and 1 < confirmer.tests <= TESTS
