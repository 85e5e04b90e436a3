"""Every mechanism of (e0, e1) passes every test here: a new one adds a reference, no test code."""

import json
from pathlib import Path

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tiers import some_slow

from simplicert import MECHANISMS, PAPER_ENSEMBLE
from simplicert.search import evaluate_in_blocks

# 60 points, 40-digit arithmetic; what we call two_sided is `tight` there.
GOLDEN = json.loads((Path(__file__).parent.parent / "golden_radii.json").read_text())
GOLDEN_NAME = {"two_sided": "tight"}

# A radius may be below the reference by this much, and above it by nothing at all.
RELATIVE, ABSOLUTE = 1e-8, 1e-11

PAIR = sorted(name for name, row in MECHANISMS.items() if row.needs == "pair")
each = pytest.mark.parametrize("name", PAIR)


def allowance(radius):
    return np.maximum(RELATIVE * radius, ABSOLUTE)


def check_against(name, e0, e1, exact):
    """Never above the reference, taken as a number of 100 digits; hardly below it."""
    ours = evaluate_in_blocks(MECHANISMS[name].radius, e0, e1)
    above = [i for i, value in enumerate(exact) if value < float(ours[i])]
    assert not above, (name, e0[above[0]], e1[above[0]], ours[above[0]], exact[above[0]])
    rounded = np.array([float(value) for value in exact])
    below = rounded - ours > allowance(rounded)
    assert not below.any(), (name, e0[below][0], e1[below][0], ours[below][0], rounded[below][0])


@each
def test_golden_radii(name):
    e0, e1 = (np.array([row[key] for row in GOLDEN]) for key in ("E0", "E1"))
    check_against(name, e0, e1, [row[GOLDEN_NAME.get(name, name)] for row in GOLDEN])


@each
@pytest.mark.parametrize("seed", some_slow(range(4), 1))
def test_ten_thousand_points_of_reference_arithmetic(name, seed):
    e0, e1 = reference.points(2500, seed)
    exact = getattr(reference, name)
    check_against(name, e0, e1, [exact(a, b) for a, b in zip(e0, e1, strict=True)])


@pytest.mark.long
@each
@pytest.mark.parametrize("seed", range(100, 110))
def test_fifty_thousand_more_points_of_reference_arithmetic(name, seed):
    e0, e1 = reference.points(5000, seed)
    exact = getattr(reference, name)
    check_against(name, e0, e1, [exact(a, b) for a, b in zip(e0, e1, strict=True)])


def a_million_points(seed=0):
    """Points of reference.points, and random ones at the extremes that the issue names."""
    return reference.points(1_000_000, seed)


@pytest.mark.slow
def test_the_million_points_reach_the_extremes():
    e0, e1 = a_million_points()
    assert e0.max() > 1 - 2e-12
    assert e1.min() < 1e-290
    assert (e0 - e1).min() < 2e-12
    assert (e0 + e1 == 1).sum() > 10_000
    assert ((e1 > 0) & (e1 < e0) & (e1 <= 1 - e0)).all()


@pytest.mark.slow
@each
def test_a_million_points_are_finite_and_never_above_the_limit(name):
    e0, e1 = a_million_points()
    ours = evaluate_in_blocks(MECHANISMS[name].radius, e0, e1)
    assert np.isfinite(ours).all()
    assert (ours >= 0).all()
    assert (ours <= evaluate_in_blocks(MECHANISMS["two_sided"].radius, e0, e1)).all()


@pytest.mark.slow
@each
def test_a_million_points_are_monotone(name):
    """A larger E_0 or a smaller E_1 never certifies less, up to the slack against the reference."""
    e0, e1 = a_million_points()
    random = np.random.default_rng(1)
    share = random.random(e0.shape) ** 4  # mostly small moves
    radius = MECHANISMS[name].radius
    ours = evaluate_in_blocks(radius, e0, e1)
    further = evaluate_in_blocks(radius, e0, np.maximum(e1 * (1 - share), 1e-300))
    assert (further >= ours - allowance(ours)).all()
    higher = e0 + share * ((1 - e0) - e1)
    higher = np.where((1 - higher >= e1) & (higher < 1), higher, e0)
    assert (evaluate_in_blocks(radius, higher, e1) >= ours - allowance(ours)).all()


@each
def test_any_shape(name):
    e0, e1 = np.full((3, 1, 4), 0.7), np.full((3, 1, 4), 0.2)
    radius = MECHANISMS[name].radius
    assert radius(e0, e1).shape == (3, 1, 4)
    np.testing.assert_array_equal(radius(e0, e1), radius(np.array(0.7), np.array(0.2)))


@st.composite
def simplex(draw, n=64):
    """Points of the open C_3 simplex: 0 < e1 < e0 and e0 + e1 < 1, in any corner of it."""
    unit = st.floats(1e-9, 1 - 1e-9)
    e0, share = draw(arrays(float, (2, n), elements=unit))
    return e0, share * np.minimum(e0, 1 - e0)


@each
@settings(max_examples=50, deadline=None)
@given(simplex())
def test_never_above_the_limit(name, points):
    """Cohen's Theorem 1 is tight, so a larger radius from (E_0, E_1) is false."""
    assert (MECHANISMS[name].radius(*points) <= MECHANISMS["two_sided"].radius(*points)).all()


def test_the_paper_ensemble_is_the_papers():
    assert PAPER_ENSEMBLE == {
        "multinomial": ("cohen", "li", "improved_dp"),
        "softmax": ("lecuyer", "improved_dp"),
    }
    for kind, names in PAPER_ENSEMBLE.items():
        assert all(kind in MECHANISMS[name].kinds for name in names)


def test_kinds_have_proofs():
    """The paper's trio has one for softmax in improved DP alone."""
    soft = {name for name, row in MECHANISMS.items() if "softmax" in row.kinds}
    for name, row in MECHANISMS.items():
        assert row.kinds and row.kinds <= set(PAPER_ENSEMBLE), name
    assert {"cohen", "li"} == {n for n in PAPER_ENSEMBLE["multinomial"] if n not in soft}
