"""Every radius against ball arithmetic: at or below what is proved, and hardly below it."""

import json
from functools import cache
from pathlib import Path

import enclosures
import numpy as np
import pytest
import reference
from flint import arb
from mpmath import nstr

import simplicert as sc
from simplicert import MECHANISMS

GOLDEN = json.loads((Path(__file__).parent.parent / "golden_radii.json").read_text())
GOLDEN_NAME = {"two_sided": "tight"}
# A second reference is welcome; the first, of tests/reference.py, every mechanism must have.
PAIR = [name for name in MECHANISMS if hasattr(enclosures, name)]
each = pytest.mark.parametrize("name", PAIR)

# The slack that tests/mechanisms/test_mechanisms.py states, below; nothing above.
RELATIVE, ABSOLUTE = 1e-8, 1e-11
NARROW = 1e-13  # an enclosure wider than this share of a radius would show nothing

TINY = 2.0**-53
EXTREMES = [
    (np.nextafter(0.3, 1), 0.3),
    (0.5 + TINY * 2, 0.5 - TINY * 2),
    (0.5, np.nextafter(0.5, 0)),
    (0.5, 1e-300),
    (0.989, 1 - 0.989),
    (1 - TINY, TINY),
    (1 - TINY, 1e-300),
    (0.9, np.nextafter(0.1, 0)),
    (1e-299, 1e-300),
    (np.nextafter(1e-300, 1), 1e-300),
    (1e-8, 1e-9),
    (0.7, 3e-5),
]


@cache
def exact(name, e0, e1):
    """The enclosure of a radius at sigma 1."""
    return getattr(enclosures, name)(e0, e1)


def check(name, e0, e1, sigma=1.0):
    """Our radii, all of them, each against an enclosure of its own."""
    ours = sc.radius(name, e0, e1, sigma)
    for a, b, s, radius in zip(e0, e1, np.broadcast_to(sigma, e0.shape), ours, strict=True):
        true = exact(name, float(a), float(b)) * arb(float(s))
        assert true.is_finite() and true.rad() <= NARROW * true.mid(), (name, a, b, true)
        assert arb(float(radius)) <= true.lower(), (name, a, b, s, radius, true)
        below = true.upper() - arb(float(radius))
        assert below <= max(RELATIVE * float(true.mid()), ABSOLUTE * s), (name, a, b, s, radius)


def test_no_second_reference_is_lost():
    assert set(PAIR) >= {"cohen", "li", "lecuyer", "improved_dp", "two_sided"}


@each
def test_golden_points(name):
    e0, e1 = (np.array([row[key] for row in GOLDEN]) for key in ("E0", "E1"))
    check(name, e0, e1)
    for row in GOLDEN:
        true = exact(name, row["E0"], row["E1"])
        assert float(true.mid()) == pytest.approx(row[GOLDEN_NAME.get(name, name)], rel=1e-15)


@each
def test_extreme_points(name):
    check(name, *np.array(EXTREMES).T)


COUNTS = {"improved_dp": 500}  # the slow one; its slow test has two thousand more


@pytest.mark.slow
@each
def test_random_points_at_random_sigmas(name):
    e0, e1 = reference.points(COUNTS.get(name, 2000), seed=77)
    sigma = 10 ** np.random.default_rng(7).uniform(-3, 3, len(e0))
    for s, a, b in zip(sigma[:50], e0[:50], e1[:50], strict=True):
        check(name, np.array([a]), np.array([b]), s)
    check(name, e0[50:], e1[50:])


@pytest.mark.long
@each
@pytest.mark.parametrize("seed", range(200, 204))
def test_more_random_points(name, seed):
    check(name, *reference.points(COUNTS.get(name, 5000), seed))


@each
def test_both_references_agree(name):
    """30 digits of mpmath's hundred, and the ball of flint."""
    e0, e1 = reference.points(30 if name == "improved_dp" else 60, seed=5)
    for a, b in zip(e0, e1, strict=True):
        true = getattr(enclosures, name)(float(a), float(b))
        other = arb(nstr(getattr(reference, name)(a, b), 30))
        assert true.overlaps(other * (1 + arb(0, 1e-15))), (a, b, true, other)


def test_a_radius_that_is_too_large_is_outside():
    """A millionth of a millionth above is already seen, by every mechanism."""
    for name in PAIR:
        true = getattr(enclosures, name)(0.8, 0.15)
        ours = float(sc.radius(name, 0.8, 0.15)) * (1 + 3e-12)
        assert arb(ours) > true.upper(), name
