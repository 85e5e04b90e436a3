"""A sensitivity is a constant of distances in l2: it divides no radius of another norm."""

import numpy as np
import pytest

import simplicert as sc
from simplicert.populations.design import RadiusDesign
from simplicert.store.settings import parse_settings

OTHERS = [
    ("laplace", {"scale": 1.0}),
    ("uniform", {"scale": 1.0}),
    ("exponential-linf", {"scale": 1.0}),
    ("brightness", {"sigma": 1.0}),
    ("contrast", {"sigma": 1.0}),
    ("shift", {"sigma": 1.0}),
    ("ablation", {"keep": 2, "absent": -1.0}),
    ("deletion", {"rate": 0.9}),
]


def answer(batch):
    return np.column_stack([batch.sum(axis=1), -batch.sum(axis=1)])


@pytest.mark.parametrize(("noise", "numbers"), OTHERS)
def test_other_noises_take_no_sensitivity(noise, numbers):
    says = f"sensitivity must be 1 for {noise} noise"
    with pytest.raises(sc.InvalidInput, match=says):
        sc.Smoothed(answer, noise=noise, sensitivity=0.5, **numbers)
    run = {"model": "m", "data": "d", "draws": 9, "out": "run", "sensitivity": 0.5, "noise": noise}
    with pytest.raises(sc.InvalidInput, match=says):
        parse_settings({"sigma": None, **run, **numbers})
    model = sc.NoiseModel(
        noise, **{k: v for k, v in numbers.items() if k not in ("scale", "sigma")}
    )
    model = model.sized(9) if noise == "ablation" else model
    known = sc.Expectations([0], [0.9], [0.05], noise=model)
    with pytest.raises(sc.InvalidInput, match=says):
        sc.certify(known, sensitivity=0.5)
    assert sc.certify(known).sensitivity == 1


def test_a_box_before_the_stage_is_not_the_box_behind_it():
    """The mean of 400 features times 20 has sensitivity 1, and a box of .1 moves it by 2.

    Behind the stage there is one feature, so that its radius in linf is that in l2: about 1.9 at an
    input that a change of .1 in every feature takes to a tie.
    """
    known = sc.bound(sc.Tally([[977, 23]], 1.0))  # Phi(2) = .977
    (radius,) = sc.certify(known, sensitivity=1.01).radius
    assert 1 < radius < 2  # in l2, where the distance to the tie is 2
    assert sc.certify(known, sensitivity=1.01, norm="l1").radius == radius
    with pytest.raises(sc.InvalidInput, match="for gaussian noise and norm linf"):
        sc.certify(known, sensitivity=1.01, norm="linf", size=1)  # it was 1.8, and .1 is true
    assert sc.certify(known, norm="linf", size=1).radius > 1  # of what the noise was added to


def test_a_scaled_norm_takes_none_either():
    """Shares of .1 make scaled distances ten times those in l2."""
    with pytest.raises(sc.InvalidInput, match="norm scaled l2, whose radii are in scaled l2"):
        sc.Smoothed(answer, 1.0, noise_scale=[0.1, 0.1], sensitivity=2.0)
    nothing = RadiusDesign(0.1, np.full(5, -1.0), np.full(3, 0.1))
    design = sc.PopulationDesign(0.5, 4, 9, (nothing,), sensitivity=2.0)
    tally = sc.Tally([[4, 0]] * 9, 0.5, labels=[0] * 9, norm="scaled l2")
    with pytest.raises(sc.InvalidInput, match="sensitivity must be 1"):
        sc.population(tally, design)


def test_the_formulas_take_none():
    point = (0.9, 0.05)
    assert sc.radius("two_sided", *point, 1.0, 2.0, norm="l1") < sc.radius("two_sided", *point)
    for settings in ({"noise": "laplace"}, {"noise": "uniform"}, {"norm": "linf", "size": 9}):
        with pytest.raises(sc.InvalidInput, match="sensitivity must be 1"):
            sc.radius("two_sided", *point, sensitivity=2.0, **settings)
