"""The default scheme's theorem, by exact enumeration for few classes and simulation for many."""

import numpy as np
import pytest
from enumeration import mass, outcomes, scheme_levels, tricky_points, worst_level, wrong
from scipy.stats import binom
from tiers import some_slow

from simplicert import Tally, bound
from simplicert.bounds import binomial

ALPHAS = (0.05, 0.01, 0.001)


def points_of_three(step=0.025):
    """About three hundred p with p1 >= p2 >= p3, ties among them, and known worst cases."""
    grid = np.arange(1 / 3, 1 + 1e-9, step)
    out = [[0.5, 0.5, 0.0], [1 / 3, 1 / 3, 1 / 3], [0.58, 0.31, 0.11], [0.45, 0.36, 0.19]]
    for first in grid:
        for second in np.arange(0, first + 1e-9, step):
            third = 1 - first - second
            if 0 <= third <= second:
                out.append([first, second, third])
    ties = np.linspace(1 / 3, 0.5, 60)
    out += [[t, t, max(1 - 2 * t, 0.0)] for t in ties]
    near = np.linspace(0, 0.2, 40)
    out += [[0.5 + d / 2, 0.5 - d / 2, 0.0] for d in near]
    return out


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("n", [15, 30, 100, 250])
def test_two_classes_exactly(n, alpha):
    points = [[p, 1 - p] for p in np.linspace(0.5, 1, 400)]
    assert scheme_levels(n, 2, alpha, points) <= alpha


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("n", [15, 30, 100, 250])
@pytest.mark.parametrize("method", ["clopper_pearson", "one_sided"])
def test_three_classes_exactly(n, alpha, method):
    points = points_of_three()
    assert len(points) > 200
    assert scheme_levels(n, 3, alpha, points, method=method) <= alpha


@pytest.mark.parametrize("alpha", ALPHAS)
def test_two_classes_and_invalid_draws_exactly(alpha):
    """Theorem 1 holds whether or not some draws have no class."""
    cells = outcomes(100, 3)
    tally = Tally(cells[:, :2], sigma=1.0, invalid=cells[:, 2])
    known = bound(tally, alpha)
    points = [*points_of_three(), *([p[0], p[2], p[1]] for p in points_of_three())]
    assert worst_level(cells, known, points) <= alpha


@pytest.mark.slow
def test_the_level_is_used_up():
    """The bounds are not loose by much: at the worst p at least .6 of alpha is spent."""
    assert scheme_levels(250, 3, 0.05, points_of_three()) > 0.6 * 0.05


def test_enumeration_catches_a_scheme_that_is_wrong():
    """Cohen's single bound at full alpha with the class from the same draws: up to twice alpha."""
    n, alpha = 250, 0.05
    counts = outcomes(n, 2)
    top = counts.argmax(axis=1)
    e0, _ = binomial.clopper_pearson_lower(counts.max(axis=1), n, alpha)
    level = max(
        mass(counts, [p, 1 - p]) @ ((e0 > 0.5) & (np.array([p, 1 - p])[top] < e0))
        for p in np.linspace(0.5, 0.51, 50)
    )
    assert level > 1.5 * alpha


TIES = {
    "10 classes, all tied": np.full(10, 0.1),
    "10 classes, two tied": np.r_[0.5, 0.5, np.zeros(8)],
    "10 classes, two tied, rest spread": np.r_[0.4, 0.4, np.full(8, 0.025)],
    "10 classes, close": np.r_[0.45, 0.42, np.full(8, 0.13 / 8)],
    "1000 classes, all tied": np.full(1000, 0.001),
    "1000 classes, two tied, rest spread": np.r_[0.3, 0.3, np.full(998, 0.4 / 998)],
    "1000 classes, three tied": np.r_[0.2, 0.2, 0.2, np.full(997, 0.4 / 997)],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TIES)
def test_many_classes_by_simulation(name):
    """At most alpha of 20,000 tallies are issued and wrong.

    Error budget: a scheme whose level is exactly alpha fails this test with probability 1e-6.
    """
    alpha, repeats, p = 0.05, 20_000, TIES[name]
    most = binom.isf(1e-6, repeats, alpha)
    random = np.random.default_rng(len(name))
    bad = 0
    for _ in range(10):
        counts = random.multinomial(1000, p, size=repeats // 10)
        bad += wrong(bound(Tally(counts, sigma=1.0), alpha), p).sum()
    assert bad <= most


@pytest.mark.parametrize("name", some_slow(TIES, 4))
def test_many_classes_by_a_long_simulation(name):
    """200,000 tallies at alpha .01; at exactly alpha it fails with probability 1e-6."""
    alpha, repeats, p = 0.01, 200_000, TIES[name]
    random = np.random.default_rng(100 + len(name))
    bad = sum(
        wrong(bound(Tally(random.multinomial(1000, p, size=2000), sigma=1.0), alpha), p).sum()
        for _ in range(repeats // 2000)
    )
    assert bad <= binom.isf(1e-6, repeats, alpha)


def test_why_refused_bounds_are_hidden():
    """1,000 tied classes: E_0 exceeds the winner's probability in over a third of the tallies.

    And not one certificate is issued: the promise holds where the intermediate bound does not.
    """
    tied = np.full(1000, 0.001)
    counts = np.random.default_rng(0).multinomial(100_000, tied, size=1000)
    e0, _ = binomial.clopper_pearson_lower(counts.max(axis=1), 100_000, 0.0005)
    assert (e0 > 0.001).mean() > 1 / 3
    assert bound(Tally(counts, sigma=1.0)).abstained.all()


def test_tricky_points_are_outside_the_box():
    known = bound(Tally(outcomes(60, 3), sigma=1.0), 0.05)
    points = tricky_points(known, 20, 3, np.random.default_rng(1))
    assert len(points) >= 10
    for p in points:
        np.testing.assert_allclose(sum(p), 1)


def test_radii_of_the_specification():
    """Gated pair at alpha .001 against the radii measured independently (three decimals)."""
    from simplicert import certify

    for p0, p1, n, expected in [
        (0.999, 0.0008, 1000, 2.324),
        (0.9, 0.08, 1000, 1.159),
        (0.7, 0.2, 1000, 0.538),
        (0.9, 0.08, 100_000, 1.3248),
        (0.3, 0.1, 100_000, 0.3627),
    ]:
        counts = np.zeros((1, 1000), int)
        counts[0, :2] = round(n * p0), round(n * p1)
        left = n - counts.sum()
        counts[0, 2:] = left // 998
        counts[0, 2 : 2 + left % 998] += 1
        radius = certify(bound(Tally(counts, sigma=1.0), 0.001)).radius
        np.testing.assert_allclose(radius, expected, atol=6e-4 if n == 1000 else 6e-5)


def test_reasons():
    counts = [[900, 50, 50], [500, 500, 0], [400, 380, 220], [100, 50, 50]]
    known = bound(Tally(counts, sigma=1.0, invalid=[0, 0, 0, 800]))
    assert list(known.reason) == ["certified", "tie", "overlap", "invalid"]
    assert list(known.abstained) == [False, True, True, True]


def test_the_gate_refuses_what_the_bounds_alone_would_issue():
    """Between the two thresholds: E_0 > E_1 at these tails, and the sign test does not agree."""
    counts = np.array([[x, 1000 - x - 300, 300] for x in range(340, 700)])
    known = bound(Tally(counts, sigma=1.0), 0.05)
    assert "gate" in set(known.reason)
    assert known.abstained[known.reason == "gate"].all()
