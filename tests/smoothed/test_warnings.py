"""`Smoothed.certify` warns of what was probably not meant, and of nothing else."""

import warnings

import numpy as np
import pytest

import simplicert as sc
from simplicert.plan import DeclaredSettings, smallest_draws
from simplicert.smoothed.few_draws import warn_of_few_draws

INPUTS = np.random.default_rng(0).standard_normal((30, 3)).astype(np.float32)


def agree(batch):
    """The same class whatever the noise does."""
    return np.tile(np.float32([60, 0, 0]), (len(batch), 1))


@pytest.mark.parametrize("kind", ["multinomial", "softmax"])
@pytest.mark.parametrize("scheme", ["gated", "paper"])
@pytest.mark.parametrize("alpha", [0.001, 0.05])
def test_draws_that_certify_nothing_are_warned_of(kind, scheme, alpha):
    """From the fewest that certify draws which agree, `plan`'s own number, there is no warning."""
    declared = DeclaredSettings(alpha=alpha, classes=3, kind=kind, scheme=scheme, histograms=True)
    fewest = smallest_draws(declared)
    smooth = sc.Smoothed(agree, 0.5, kind=kind)
    said = rf"{fewest - 1} draws certify nothing at alpha {alpha:g}, kind {kind}, scheme {scheme} "
    with pytest.warns(
        sc.SimplicertWarning, match=said + "with (3|any number of) classes"
    ) as caught:
        certificates = smooth.certify(
            INPUTS[:2], draws=fewest - 1, alpha=alpha, scheme=scheme, seed=0
        )
    assert certificates.abstained.all() and caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        certificates = smooth.certify(INPUTS[:2], draws=fewest, alpha=alpha, scheme=scheme, seed=0)
    assert not certificates.abstained.any()


def test_the_warning_comes_before_the_first_call():
    """A paid model is not asked in vain by somebody whose warnings are errors."""
    asked = []
    smooth = sc.Smoothed(lambda batch: asked.append(1) or agree(batch), 0.5, num_classes=3)
    with pytest.raises(sc.SimplicertWarning, match=r"5 draws certify nothing .* with 3 classes"):
        smooth.certify(INPUTS[:2], draws=5, seed=0)
    assert asked == []


def test_inputs_that_abstain_for_another_reason_are_not_warned_of():
    smooth = sc.Smoothed(lambda batch: batch, 5.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert smooth.certify(np.zeros((2, 3), np.float32), draws=200, seed=0).abstained.all()


def test_a_plan_is_warned_of_only_if_no_look_certifies():
    smooth = sc.Smoothed(agree, 0.5)
    plan = sc.Plan((8, 14), (0.5, 0.5))
    with pytest.warns(sc.SimplicertWarning, match="14 draws certify nothing"):
        smooth.certify(INPUTS[:1], draws=14, plan=plan, seed=0)


def test_features_in_units_of_their_own():
    inputs = INPUTS * np.float32([1, 300, 1])
    with pytest.warns(sc.SimplicertWarning, match="feature 1 varies .* noise_scale gives each"):
        sc.Smoothed(agree, 0.5).certify(inputs, draws=50, seed=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sc.Smoothed(agree, 0.5, noise_scale=[1, 300, 1]).certify(inputs, draws=50, seed=0)
        sc.Smoothed(agree, 0.5).certify(INPUTS, draws=50, seed=0)


def test_a_single_draw_is_warned_of():
    with pytest.warns(sc.SimplicertWarning, match="1 draws certify nothing"):
        sc.Smoothed(agree, 0.5).certify(INPUTS[:1], draws=1, seed=0)


def test_a_single_draw_is_warned_of_before_the_first_call():
    asked = []
    smooth = sc.Smoothed(lambda batch: asked.append(1) or agree(batch), 0.5, num_classes=3)
    with pytest.raises(sc.SimplicertWarning, match="1 draws certify nothing"):
        smooth.certify(INPUTS[:1], draws=1, seed=0)
    assert asked == []


def test_two_classes_stand_for_an_unknown_number():
    """What certifies with two classes and not with three is not warned of where two may be all."""
    two, three = (
        smallest_draws(DeclaredSettings(alpha=0.001, classes=classes, scheme="gated"))
        for classes in (2, 3)
    )
    assert two < three
    smooth = sc.Smoothed(lambda batch: agree(batch)[:, :2], 0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = smooth.certify(INPUTS[:1], draws=two, scheme="gated", seed=0)
    assert not found.abstained.any()


@pytest.mark.parametrize("draws", [None, 0, 1.5, 1000, 1001])
def test_nothing_is_said_of_enough_draws_or_of_none(draws):
    assert warn_of_few_draws(sc.Smoothed(agree, 0.5), draws, 0.001, "gated") == ""
