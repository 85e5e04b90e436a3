"""How far probabilities move: against 40 digits, and against the worst sets of small worlds."""

import itertools
from fractions import Fraction
from functools import cache
from math import comb

import numpy as np
import pytest
from mpmath import mp, mpf

import simplicert as sc
from simplicert.mechanisms.threats import find_threat

P = [1e-300, 1e-9, 0.01, 0.3, 0.5, 0.50001, 0.8, 0.999, 1 - 1e-12, 1 - 2**-53]
R = [0.0, 1e-9, 0.01, 0.3, 1.0, 1.9, 5.0, 30.0]

REAL = [
    find_threat("gaussian"),
    find_threat("gaussian", "linf", size=12),
    find_threat("laplace"),
    find_threat("uniform"),
    find_threat("uniform", "linf", size=7),
    find_threat("exponential-linf"),
]
WHOLE = [
    find_threat("ablation", size=12, keep=3),
    *(find_threat("deletion", norm, rate=0.8) for norm in ("edits", "insertions", "deletions")),
]


def phi(z):
    return mp.erfc(-z / mp.sqrt(2)) / 2


@cache
def quantile(p):
    """Phi^-1 in many digits, by bisection."""
    low, high = mpf(-60), mpf(60)
    for _ in range(130):
        middle = (low + high) / 2
        low, high = (middle, high) if phi(middle) < p else (low, middle)
    return low


def laplace_below(p, r):
    """H^-1(H(p) - r), from the distribution function of the noise on one axis."""
    at = (mp.log(2 * p) if p <= mpf(1) / 2 else -mp.log(2 * (1 - p))) - r
    return mp.exp(at) / 2 if at < 0 else 1 - mp.exp(-at) / 2


def exact(threat, p, r):
    """(least, largest) in 40 digits, by the formulas of docs/threats.md."""
    if threat.noise in ("laplace", "exponential-linf"):
        return laplace_below(p, r), 1 - laplace_below(1 - p, r)
    if threat.noise == "uniform":
        change = r / 2 if threat.norm == "l1" else 1 - (1 - min(r / 2, mpf(1))) ** 7
    elif threat.noise == "ablation":
        change = mpf(1) - mpf(comb(12 - int(r), 3) if r <= 12 else 0) / comb(12, 3)
    elif threat.noise == "deletion":
        unseen = mpf(0.8) ** int(r)
        change = 1 - unseen
        if threat.norm == "insertions":
            return unseen * p, 1 - unseen * (1 - p)
        if threat.norm == "deletions":
            return max(1 - (1 - p) / unseen, mpf(0)), min(p / unseen, mpf(1))
    else:
        z, far = quantile(p), r * (mp.sqrt(12) if threat.norm == "linf" else 1)
        return phi(z - far), phi(z + far)
    return max(p - change, mpf(0)), min(p + change, mpf(1))


@pytest.mark.parametrize("threat", REAL + WHOLE, ids=lambda t: f"{t.noise}-{t.norm}")
def test_probabilities_at_a_distance_agree_with_forty_digits(threat):
    """Rounded to the safe side, by no more than 1e-9 of the value or of what is left of 1."""
    with mp.workdps(60):
        for p, r in itertools.product([*P[::3], P[-1]], range(5) if threat.whole else R):
            wanted = exact(threat, mpf(p), mpf(r))
            least, largest = (f(np.array([p]), np.array([r]))[0] for f in shifts(threat))
            assert 0 <= least <= wanted[0]
            assert wanted[1] <= largest or largest == 1
            assert least >= float(wanted[0]) * (1 - 2e-9) - 1e-14
            assert largest <= float(wanted[1]) * (1 + 2e-9) + 1e-14


@pytest.mark.parametrize("noise", ["brightness", "contrast", "shift"])
def test_parameters_move_as_gaussian_noise_does(noise):
    assert shifts(find_threat(noise)) == shifts(find_threat("gaussian", "l1")) == shifts(REAL[0])


def shifts(threat):
    return threat.least, threat.largest


@pytest.mark.parametrize("threat", REAL + WHOLE, ids=lambda t: f"{t.noise}-{t.norm}")
def test_the_pair_keeps_its_order_up_to_the_radius_and_not_beyond(threat):
    """The radius is where what the class has left meets what a rival may have."""
    row = threat.mechanisms["two_sided"]
    for e0, e1 in ((0.9, 0.05), (0.6, 0.3), (0.35, 0.1)):
        radius = row.radius(np.array([e0]), np.array([e1]))
        inside = radius if threat.whole else radius * (1 - 1e-6)
        outside = radius + 1 if threat.whole else radius * (1 + 1e-6)
        assert threat.least(np.array([e0]), inside) > threat.largest(np.array([e1]), inside)
        beyond = threat.least(np.array([e0]), outside) - threat.largest(np.array([e1]), outside)
        assert beyond <= 1e-12


# Worst sets, enumerated: every set of outcomes of a small world is a classifier.


def test_no_set_of_ablated_words_moves_further():
    """Four features, two kept, binary values: all sets of the outcomes of two inputs."""
    size, keep = 4, 2
    threat = find_threat("ablation", size=size, keep=keep)
    places = list(itertools.combinations(range(size), keep))
    for changed in range(1, size + 1):
        words = [0] * size, [1] * changed + [0] * (size - changed)
        worlds = [[tuple((i, word[i]) for i in kept) for kept in places] for word in words]
        outcomes = sorted(set(worlds[0]) | set(worlds[1]))
        bits = (np.arange(2 ** len(outcomes))[:, None] >> np.arange(len(outcomes))) & 1
        p, q = (bits @ [world.count(one) for one in outcomes] for world in worlds)
        exact_p, exact_q = ([Fraction(int(n), len(places)) for n in found] for found in (p, q))
        for one, other in set(zip(exact_p, exact_q, strict=True)):
            at = np.array([float(one)]), np.array([float(changed)])
            assert threat.least(*at)[0] <= other <= threat.largest(*at)[0]
        change = 1 - Fraction(comb(size - changed, keep), comb(size, keep))
        assert max(p - q) == change * len(places)  # and it is reached


def test_no_union_of_cells_moves_further_under_laplace_noise():
    """Ten cells of the line: all 1,024 sets, at shifts that are not whole cells."""
    threat = find_threat("laplace")
    edges = np.linspace(-3, 3, 9)
    bits = (np.arange(1024)[:, None] >> np.arange(10)) & 1
    for shift in (0.1, 0.75, 1.3, 4.0):
        p, q = (bits @ np.diff(np.r_[0, below(edges - at), 1]) for at in (0.0, shift))
        live = (p > 1e-12) & (p < 1 - 1e-12)
        assert (threat.least(p[live], shift) <= q[live] + 1e-12).all()
        assert (threat.largest(p[live], shift) >= q[live] - 1e-12).all()
        half = np.isclose(np.abs(np.diff(bits, axis=1)).sum(axis=1), 1)  # half-lines reach both
        tight = np.isclose(threat.largest(p[half], shift), q[half], rtol=1e-9) | np.isclose(
            threat.least(p[half], shift), q[half], rtol=1e-9
        )
        assert tight.all()


def below(x):
    """The distribution function of Laplace noise."""
    return np.where(x < 0, np.exp(np.minimum(x, 0)) / 2, 1 - np.exp(-np.maximum(x, 0)) / 2)


def test_the_radius_of_a_threat_answers_for_its_own_scale():
    """Functions are at scale 1: a distance of half the scale is half a unit."""
    threat = find_threat("laplace")
    radius = sc.radius("two_sided", 0.9, 0.05, noise="laplace", scale=0.25)
    gap = threat.least(0.9, radius / 0.25) - threat.largest(0.05, radius / 0.25)
    assert abs(float(gap)) < 1e-9
