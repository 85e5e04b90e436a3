"""The band around a difference: its parts by hand, and how often it holds; the swaps exactly."""

from itertools import product

import numpy as np
import pytest

from simplicert.errors import InvalidInput
from simplicert.metrics import differences
from simplicert.metrics.pairing import mcnemar_p_value


def hits(radii, at):
    return np.asarray(radii)[:, None] > np.asarray(at)


def test_gained_lost_and_p_by_hand():
    at = np.array([0.0, 0.5])
    curve = differences.difference_curve(
        at, hits([0.2, 0.9, 0.0, 0.9], at), hits([0.7, 0.9, 0.6, 0.1], at)
    )
    assert curve.gained.tolist() == [1, 2] and curve.lost.tolist() == [0, 1]
    assert curve.value.tolist() == [0.25, 0.25] and curve.total == 4
    assert curve.p.tolist() == [mcnemar_p_value(1, 0), mcnemar_p_value(2, 1)]


def test_the_interval_at_one_radius_is_that_of_agresti_and_min():
    """Cells (30, 12, 5, 53) of 100, half an input added to each, by its formula."""
    first = np.repeat([True, False, True, False], [30, 12, 5, 53])[:, None]
    second = np.repeat([True, True, False, False], [30, 12, 5, 53])[:, None]
    curve = differences.difference_curve(np.array([0.0]), first, second)
    b, c, n = 12.5, 5.5, 102
    middle, error = (b - c) / n, np.sqrt(b + c - (b - c) ** 2 / n) / n
    # one radius: the largest deviation over all is that of one normal variable
    assert curve.errors == pytest.approx(1.96, abs=0.05)
    np.testing.assert_allclose(curve.low, middle - curve.errors * error, rtol=1e-12)
    np.testing.assert_allclose(curve.high, middle + curve.errors * error, rtol=1e-12)


def test_more_radii_widen_the_band_and_copies_of_one_do_not():
    random = np.random.default_rng(0)
    first, second = random.random((2, 200, 30)) < 0.5
    one = differences.difference_curve(np.zeros(1), first[:, :1], second[:, :1])
    copies = differences.difference_curve(
        np.zeros(30), np.repeat(first[:, :1], 30, axis=1), np.repeat(second[:, :1], 30, axis=1)
    )
    apart = differences.difference_curve(np.zeros(30), first, second)
    assert copies.errors == pytest.approx(one.errors, abs=0.06)
    assert apart.errors > one.errors + 0.8  # 30 independent normal variables: about 3.1
    assert apart.errors == pytest.approx(3.14, abs=0.1)


def test_runs_that_never_differ_have_a_width_and_hold_zero():
    same = np.ones((50, 3), bool)
    curve = differences.difference_curve(np.arange(3.0), same, same)
    assert (curve.value == 0).all() and (curve.p == 1).all()
    np.testing.assert_allclose(curve.high, 1.959964 / 52, rtol=1e-6)
    np.testing.assert_allclose(curve.low, -curve.high)


def test_the_band_stays_inside_what_a_difference_can_be_and_holds_the_value():
    none, every = np.zeros((3, 2), bool), np.ones((3, 2), bool)
    for first, second in product((none, every), repeat=2):
        curve = differences.difference_curve(np.arange(2.0), first, second)
        assert (curve.low >= -1).all() and (curve.high <= 1).all()
        assert (curve.low <= curve.value).all() and (curve.value <= curve.high).all()


def test_a_confidence_outside_its_range_is_refused():
    some = np.ones((3, 2), bool)
    with pytest.raises(InvalidInput, match="confidence must lie strictly between 0 and 1, got 1"):
        differences.difference_curve(np.arange(2.0), some, some, 1)


def test_swaps_come_near_the_exact_share_of_all_swaps():
    changes = np.random.default_rng(1).normal(0.4, 1, size=10)
    sums = np.array(list(product((-1, 1), repeat=10))) @ changes
    exact = (np.abs(sums) >= abs(changes.sum()) - 1e-9).mean()
    # 9,999 swaps: six standard errors are 0.03
    assert differences.swap_means_p_value(changes) == pytest.approx(exact, abs=0.03)
    assert differences.swap_means_p_value(-changes) == differences.swap_means_p_value(changes)


def test_swaps_of_no_change_and_of_one_sided_changes():
    assert differences.swap_means_p_value(np.zeros(5)) == 1
    assert differences.swap_means_p_value(np.ones(40)) == 1 / (1 + differences.SWAPS)
    # the rounding of a sum is no difference: one input has two swaps, both as far from 0
    assert differences.swap_means_p_value(np.array([0.1])) == 1


CASES = [
    pytest.param(100, 1.0, marks=pytest.mark.slow),
    pytest.param(30, 0.3, marks=pytest.mark.long),
]


@pytest.mark.parametrize(("inputs", "spread"), CASES)
def test_the_band_holds_at_all_radii_together(inputs, spread, monkeypatch):
    """400 pairs of simulated runs. Stated 95 %; 91 % is 3.6 standard errors below that."""
    monkeypatch.setattr(differences, "GAUSSIAN_DRAWS", 2000)
    at = np.linspace(0, 2.2, 45)
    random = np.random.default_rng(inputs)

    def draw_pair(size):
        quality = random.normal(size=size)
        first, second = quality + spread * random.normal(size=(2, size))
        return np.clip(0.6 * first + 0.1, 0, 2), np.clip(0.7 * second + 0.1, 0, 2)

    first, second = draw_pair(1_000_000)
    truth = np.array([(second > r).mean() - (first > r).mean() for r in at])
    held = alone = 0
    for seed in range(400):
        first, second = (hits(radii, at) for radii in draw_pair(inputs))
        curve = differences.difference_curve(at, first, second, seed=seed)
        held += bool(((curve.low <= truth) & (truth <= curve.high)).all())
        shrink = 1.96 / curve.errors  # what an interval at one radius by itself would have
        middle = (curve.low + curve.high) / 2
        alone += bool((np.abs(truth - middle) <= shrink * (curve.high - middle)).all())
    assert held / 400 >= 0.91
    assert alone / 400 < 0.91  # intervals one at a time are no band
