"""The inequality holds between all points: against exact arithmetic that shares no code."""

from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from sturm import is_negative, power_basis, value_at

from simplicert.errors import InvalidInput
from simplicert.populations.coefficients import binomial_table, fit_coefficients
from simplicert.populations.proof import (
    UNIT,
    RandomisedTarget,
    SmoothedTarget,
    bound_excess,
    halve_intervals,
    radius_in_sigmas,
)

PILOT = np.random.default_rng(0).beta(0.5, 0.5, 200)


def fitted(target, draws):
    chance = binomial_table(draws, PILOT).mean(axis=0)
    return fit_coefficients(target, chance, 1.0, 1000, 0.001)[0]


def test_the_reference_counts_roots():
    # (p - 1/4)^2 + 1/1000 in Bernstein form, and the same lowered so that it has two roots
    bumps = np.array([1 / 16 + 1e-3, 1 / 16 - 1 / 4 + 1e-3, 9 / 16 + 1e-3])
    assert is_negative(-bumps, 0.9)
    assert not is_negative(-(bumps - 2e-3), 0.9)


@pytest.mark.parametrize(("draws", "shift"), [(4, 0.5), (16, 0.0), (16, 1.0), (24, 2.0)])
def test_sturm_agrees_that_fitted_coefficients_promise_nothing_false(draws, shift):
    target = SmoothedTarget(shift)
    found = fitted(target, draws)
    assert bound_excess(found, target) == 0
    assert found.max() <= 1
    assert is_negative(found, target.threshold)


@pytest.mark.slow
def test_sturm_agrees_at_64_draws():
    target = SmoothedTarget(0.5)
    assert is_negative(fitted(target, 64), target.threshold)


@pytest.mark.parametrize("lift", [1e-3, 1e-6])
def test_forged_coefficients_are_not_proved(lift):
    """Raised by little more than what they were lowered by, they are false somewhere."""
    target = SmoothedTarget(0.5)
    forged = fitted(target, 16) + lift
    assert not is_negative(forged, target.threshold)
    excess = bound_excess(forged, target)
    assert 0 < excess <= 1.1 * lift


def test_the_bound_is_at_least_every_value_and_near_the_largest():
    rng = np.random.default_rng(1)
    target = SmoothedTarget(0.3)
    for _ in range(20):
        values = np.round(rng.uniform(-1, 1, 9), 6)
        powers = power_basis(values)
        scale = Fraction(float(values[0])) / powers[0]
        end = Fraction(target.threshold)
        grid = [Fraction(i, 500) * end for i in range(501)]
        largest = max(scale * value_at(powers, at) for at in grid)
        bound = bound_excess(values, target, 1e-7)
        beyond = values.max() - 1  # where the target is 1
        assert bound >= largest
        assert bound <= max(float(largest) + 1e-3, beyond + 1e-3, 1e-7)


def test_halves_are_never_below_exact_arithmetic():
    rng = np.random.default_rng(2)
    rows = rng.integers(-(2**50), 2**50, (3, 12))
    for row, (left, right) in zip(rows, halve_intervals(rows).reshape(3, 2, 12), strict=True):
        level, first, last = [Fraction(int(v)) for v in row], [], []
        while level:
            first.append(level[0])
            last.append(level[-1])
            level = [(a + b) / 2 for a, b in pairwise(level)]
        for kept, exact in ((left, first), (right, last[::-1])):
            assert all(0 <= int(k) - e <= 12 for k, e in zip(kept, exact, strict=True))
        assert any(int(k) > e for k, e in zip(left, first, strict=True))


def test_a_polynomial_that_touches_its_target_is_decided():
    """-(p - 1/4)^2 touches 0: it may be proved or not, and the bound is tiny."""
    values = -np.array([1 / 16, 1 / 16 - 1 / 4, 9 / 16])
    assert bound_excess(values, SmoothedTarget(0.0)) < 1e-9


def test_thresholds_and_shifts_are_rounded_up():
    mpmath.mp.dps = 40
    for radius, sigma in ((0.1, 0.12), (0.5, 1.0), (1.5, 0.3), (0.7, 0.25), (0.0, 1.0)):
        shift = radius_in_sigmas(radius, sigma, 1.0)
        drawn = min(Fraction(sigma), Fraction(float(np.float32(sigma))))
        assert Fraction(shift) >= Fraction(radius) / drawn
        exact = mpmath.ncdf(mpmath.mpf(radius) / mpmath.mpf(drawn.numerator) * drawn.denominator)
        assert mpmath.mpf(SmoothedTarget(shift).threshold) >= exact


def test_tangents_lie_below_the_randomised_target():
    mpmath.mp.dps = 40
    rng = np.random.default_rng(3)
    for shift in (0.0, 0.3, 2.0, 6.5):
        target = RandomisedTarget(shift)
        for depth in (0, 1, 3, 10, 30, 50):
            place = rng.integers(0, 2 ** min(depth, 40), 3) if depth else np.zeros(1, int)
            place = np.append(place, 2**depth - 1)
            left, right = place * 2.0**-depth, (place + 1) * 2.0**-depth
            for low, high, a, b in zip(*target.line(left, right), left, right, strict=True):
                for share in (0.0, 0.1, 0.5, 1.0):
                    at = mpmath.mpf(a) + share * (mpmath.mpf(b) - a)
                    if 0 < at < 1:
                        z = mpmath.sqrt(2) * mpmath.erfinv(2 * at - 1)
                        exact = mpmath.ncdf(z - shift)
                    else:
                        exact = at
                    assert low + share * (high - low) <= exact


@pytest.mark.parametrize("draws", [1, 4, 16])
def test_randomised_coefficients_stay_below_the_target(draws):
    """On many points by 40 digits; between them by the proof."""
    mpmath.mp.dps = 40
    target = RandomisedTarget(0.5)
    found = fitted(target, draws)
    assert bound_excess(found, target) == 0
    powers = power_basis(found)
    scale = Fraction(float(found[-1])) / value_at(powers, Fraction(1))
    for i in range(1, 400):
        at = Fraction(i, 400)
        exact = mpmath.ncdf(mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.mpf(i) / 400 - 1) - 0.5)
        value = scale * value_at(powers, at)
        assert mpmath.mpf(value.numerator) / value.denominator <= exact


def test_a_forged_randomised_design_is_not_proved():
    target = RandomisedTarget(0.5)
    assert bound_excess(fitted(target, 8) + 1e-4, target) > 0


def test_radii_out_of_reach_are_refused():
    for radius, words in ((-0.1, "negative"), (float("nan"), "negative"), (8.0, "at most 7 sigma")):
        with pytest.raises(InvalidInput, match=words):
            radius_in_sigmas(radius, 1.0, 1.0)


def test_coefficients_too_large_for_the_integers_are_refused():
    with pytest.raises(InvalidInput, match="at most 1000"):
        bound_excess(np.array([-2000.0, 0.0]), SmoothedTarget(0.5))
    assert 2 * 1000 * UNIT < 2**63
