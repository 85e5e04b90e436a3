"""Where the truth is known: never below it, close above it, and a false certificate is broken."""

import numpy as np
import pytest
from known import attacked_input, drawn, true_distance

from simplicert.attack import Effort
from simplicert.attack.attacked_input import Lead
from simplicert.attack.losses import TESTS
from simplicert.attack.search import Confirmer, find_smallest_perturbation

# A confirmation passes wrongly with probability at most LEVEL / 8, so a find short of the truth has
# probability at most LEVEL in each attack below; there are about 15.
LEVEL = 1e-6
EFFORT = Effort(steps=10, restarts=2, samples=16, explore=4000, confirm=50_000, level=LEVEL)
QUICK = Effort(steps=8, restarts=1, samples=16, explore=1000, confirm=5000, level=LEVEL)


def attack_input(made, effort=EFFORT):
    confirmer = Confirmer(made, effort, effort.test_level(1))
    return find_smallest_perturbation(confirmer), confirmer


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["multinomial", "softmax"])
@pytest.mark.parametrize("item", [1, 2])
def test_a_hyperplane_is_found_and_nothing_nearer(run, item, kind):
    """At 50,000 draws a confirmation needs a lead of 0.023, 0.015 beyond the truth at sigma 0.5.

    The aim is 1.3 times as far, and the looks that aim are off by 0.01 (one deviation).
    """
    made = attacked_input(run, item, EFFORT, kind=kind)
    truth = true_distance(made.ball.centre)
    assert made.radius < truth
    hit, confirmer = attack_input(made)
    assert truth <= hit.distance <= 1.02 * truth + 0.05
    assert hit.distance == made.ball.norm(hit.point)
    assert hit.rival == 1 - made.certified
    assert true_distance(hit.point) < 0.1 and confirmer.tests <= 8


@pytest.mark.parametrize("model", ["function", "labels"])
def test_without_gradients_the_noise_shows_the_way(place, model):
    more = {"outputs": "labels", "num_classes": 2} if model == "labels" else {}
    own = drawn(place, f"known_truth:{model}", out=f"run-{model}", **more)
    made = attacked_input(own, 1, QUICK)
    assert made.slope.name == "noise"
    truth = true_distance(made.ball.centre)
    hit, _ = attack_input(made, QUICK)
    assert truth <= hit.distance <= 1.1 * truth + 0.1


@pytest.mark.parametrize("kind", ["multinomial", "softmax"])
@pytest.mark.parametrize("model", ["network", "function"])
def test_a_certificate_inflated_by_half_is_broken(run, place, model, kind):
    own = (
        run if model == "network" else drawn(place, "known_truth:function", out=f"inflated-{kind}")
    )
    truth = true_distance(attacked_input(own, 1, QUICK).ball.centre)
    inflated = attacked_input(own, 1, QUICK, radius=1.5 * truth, kind=kind)
    hit, _ = attack_input(inflated, QUICK)
    assert truth <= hit.distance < inflated.radius


def test_even_the_largest_honest_radius_is_not_broken(run):
    """The truth itself, the largest radius that is not false."""
    made = attacked_input(run, 2, QUICK)
    made = attacked_input(run, 2, QUICK, radius=true_distance(made.ball.centre))
    hit, _ = attack_input(made, QUICK)
    assert hit is None or hit.distance >= made.radius


def test_noise_of_another_scale_for_each_feature(place):
    """The norm is the scaled one, and what has no noise does not move."""
    scale = np.linspace(0.0, 2.0, 12).reshape(3, 4)
    np.save(place / "scale.npy", scale)
    own = drawn(place, "known_truth:network", out="scaled", noise_scale=place / "scale.npy")
    made = attacked_input(own, 3, QUICK)
    truth = true_distance(made.ball.centre, scale.ravel())
    hit, _ = attack_input(made, QUICK)
    assert truth <= hit.distance <= 1.1 * truth + 0.1
    assert hit.point[0, 0] == made.ball.centre[0, 0]
    changed = (hit.point.astype(float) - made.ball.centre.astype(float)).ravel()[1:]
    scaled = np.linalg.norm(changed / scale.ravel()[1:])
    assert scaled <= hit.distance <= scaled * (1 + 1e-9)


def test_on_a_grid_every_point_is_on_it(place):
    """Rounded noise is still symmetric, so on the grid the boundary is the same hyperplane."""
    inputs = np.rint(np.load(place / "data.npz")["inputs"] * 16) / 16
    np.savez(place / "steps.npz", inputs=inputs.astype(np.float32))
    own = drawn(place, "known_truth:network", out="gridded", data="steps.npz", grid="1/16")
    made = attacked_input(own, 1, QUICK, data="steps.npz")
    hit, _ = attack_input(made, QUICK)
    whole = hit.point.astype(float) * 16
    np.testing.assert_array_equal(whole, np.rint(whole))
    truth = true_distance(made.ball.centre)
    assert truth <= hit.distance < 1.2 * truth + 0.1


def test_looks_that_mislead_near_the_boundary_cost_a_little_distance_only(run):
    """With few draws looks are off by a fifth of sigma; the input is close to the boundary."""
    effort = Effort(steps=4, restarts=1, samples=16, explore=16, confirm=5000, level=LEVEL)
    made = attacked_input(run, 0, effort, radius=0.01)
    hit, _ = attack_input(made, effort)
    truth = true_distance(made.ball.centre)
    assert truth <= hit.distance < truth + 0.8 * made.unit


def test_nothing_is_found_where_nothing_is(place):
    """A constant classifier has no other class at any distance."""
    own = drawn(place, "known_truth:constant", out="constant")
    effort = Effort(steps=2, restarts=1, samples=4, explore=64, confirm=64)
    hit, confirmer = attack_input(attacked_input(own, 0, effort), effort)
    assert hit is None and confirmer.tests == 0


def test_an_input_asks_for_no_more_confirmations_than_its_level_is_shared_among(run, monkeypatch):
    """Looks that are always wrong: every test is asked for, none passes, none is left over."""
    effort = Effort(steps=1, restarts=1, samples=4, explore=64, confirm=64)
    made = attacked_input(run, 3, effort)
    wrong = Lead(1 - made.certified, 1.0, 0.0)
    monkeypatch.setattr(type(made), "lead", lambda self, point, draws: wrong)
    confirmer = Confirmer(made, effort, 1e-9)
    assert find_smallest_perturbation(confirmer) is None
    assert confirmer.tests == TESTS
