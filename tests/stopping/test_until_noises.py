"""Stopping early under other noises: radii in their own unit, whole numbers included."""

import numpy as np
import pytest

import simplicert as sc
from simplicert.noises import NoiseModel
from simplicert.stopping import Until

PLAN = sc.Plan((1000, 2000), (0.5, 0.5))
COUNTS = [[995, 5], [900, 100], [700, 300], [520, 480], [150, 850]]
ABLATION = NoiseModel("ablation", size=100, keep=5, absent=-1.0)
LARGE = NoiseModel("ablation", size=1000, keep=5, absent=-1.0)


def tally(model, scale=1.0, counts=COUNTS, plan=PLAN):
    return sc.Tally(counts, scale, plan=plan, noise=model)


def radii(model, scale=1.0, counts=COUNTS, plan=PLAN):
    return sc.certify(sc.bound(tally(model, scale, counts, plan)), ["two_sided"]).radius


@pytest.mark.parametrize("name", ["laplace", "uniform", "exponential-linf", "brightness", "shift"])
@pytest.mark.parametrize("scale", [2.0])
def test_a_wanted_radius_is_in_the_noises_own_unit(name, scale):
    """The rule stops exactly where the certificate of the same counts reaches the radius."""
    model = NoiseModel(name)
    found = radii(model, scale)
    for target in (0.2 * scale, 0.6 * scale, 1.5 * scale):
        reasons = Until(f"radius={target}")(tally(model, scale))
        np.testing.assert_array_equal(reasons == "certified", found >= target)
    assert Until("decided")(tally(model, scale)).tolist()[3] in ("", "hopeless")


def test_another_noise_stops_elsewhere():
    """At the same counts: Laplace's radius reaches 1, that of uniform noise cannot."""
    one, other = (
        Until("radius=1")(tally(NoiseModel(name)))[1].item() for name in ("laplace", "uniform")
    )
    assert (one, other) == ("certified", "below target")


def test_a_wanted_number_of_features_is_reached_by_that_number():
    found = radii(ABLATION)
    assert found[0] > found[1] > found[2] == 3 > found[3] == 0
    for target in (2, 3, found[0], found[0] + 1):
        reasons = Until(f"radius={target}")(tally(ABLATION))
        np.testing.assert_array_equal(reasons == "certified", found >= target)
    assert Until(f"radius={found[0] - 0.5}")(tally(ABLATION))[0] == "certified"


def test_a_certificate_of_no_feature_is_decided():
    """It says that the class is the smoothed one: more draws would only raise the radius."""
    counts = [[580, 420], [505, 495]]
    plan = sc.Plan((1000, 1100), (0.5, 0.5))
    made = sc.certify(sc.bound(tally(ABLATION, counts=counts, plan=plan)))
    assert made.abstained.tolist() == [False, True] and made.radius.tolist() == [0, 0]
    reasons = Until("decided")(tally(ABLATION, counts=counts, plan=plan))
    assert reasons.tolist() == ["certified", "hopeless"]
    near = Until("atol=1")(tally(ABLATION, counts=counts, plan=plan))
    assert near.tolist() == ["certified", "below target"]


def test_tolerances_are_in_features():
    """Many more draws raise the first input's radius by one feature or more."""
    last = sc.Plan((1000, 200_000), (0.5, 0.5))
    now = radii(LARGE, plan=last)[0]
    grown = radii(LARGE, counts=[[199_000, 1000]], plan=sc.Plan((200_000,), (0.5,)))[0]
    assert grown >= now + 1
    for more, reason in ((0.5, ""), (grown - now, "certified")):
        assert Until(f"atol={more}")(tally(LARGE, plan=last))[0] == reason
    assert Until("rtol=0.5")(tally(LARGE, plan=last))[0] == "certified"


def test_an_error_in_the_norm_would_show():
    """Ablation of another size certifies other numbers of features from the same counts."""
    assert Until("radius=20")(tally(LARGE))[0] == "certified"
    assert Until("radius=20")(tally(ABLATION))[0] == "below target"
