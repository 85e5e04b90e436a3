"""The radius from score bands: checked in 40-digit arithmetic, and against a true radius."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from simplicert import MECHANISMS
from simplicert.mechanisms import cdf, cohen, two_sided
from simplicert.types.scores import BINS, THRESHOLDS, mean_over_bins

unit = st.floats(0, 1)


def falling(values):
    return np.sort(values, axis=-1)[..., ::-1]


def gap(lower, upper, d):
    """The top class's mean score less its best rival's, at distance d, to 40 digits."""
    with mpmath.workdps(40):
        ends = [mpmath.mpf(0), *(mpmath.mpf(float(t)) for t in THRESHOLDS), mpmath.mpf(1)]

        def mean(band, shift):
            total = mpmath.mpf(0)
            for b, p in enumerate(band):
                total += (ends[b + 1] - ends[b]) * moved(float(p), shift)
            return total

        own = mean(lower, -d)
        rival = max(mean(row, d) for row in upper)
        return own - min(rival, 1 - own)


def moved(p, shift):
    """Phi(Phi^-1(p) + shift)."""
    if p in (0, 1):
        return mpmath.mpf(p)
    z = mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.mpf(p) - 1)
    return mpmath.ncdf(z + mpmath.mpf(shift))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_apart_at_the_radius_and_not_much_beyond(seed):
    """Bands of every shape: powers below 1 crowd near 1, powers above near 0."""
    random = np.random.default_rng(seed)
    lower = falling(random.random(BINS) ** 10 ** random.uniform(-3, 0.3))
    upper = falling(random.random((2, BINS)) ** 10 ** random.uniform(0.5, 1.5, (2, 1)))
    radius = float(cdf.radius(lower[None], upper[None])[0])
    assert 0 < radius < cdf.FARTHEST
    assert gap(lower, upper, radius) > 0
    assert gap(lower, upper, radius * (1 + 1e-9)) < 1e-11


def test_from_means_alone_it_is_two_sided():
    """Flat bands say no more than (E_0, E_1) does; where they sum to more than 1 it is Cohen's."""
    random = np.random.default_rng(0)
    e0 = random.uniform(0.3, 0.9999, 400)
    e1 = e0 * random.random(400)
    flat = np.ones(BINS)
    found = cdf.radius(e0[:, None] * flat, (e1[:, None] * flat)[:, None])
    inside = e0 + e1 <= 1
    limit = np.where(inside, two_sided.radius(e0, e1), cohen.radius(e0, e1))
    assert (found <= limit).all()
    np.testing.assert_allclose(found, limit, atol=1e-8)


@settings(max_examples=100, deadline=None)
@given(arrays(float, BINS, elements=unit), arrays(float, BINS, elements=unit))
def test_never_below_two_sided_at_the_same_means(own, rival):
    """Jensen: the whole distribution knows more than its mean."""
    lower, upper = 0.999 * falling(own)[None], 0.001 + 0.499 * falling(rival)[None]
    e0, e1 = mean_over_bins(lower), mean_over_bins(upper)
    if e0 > e1:
        assert cdf.radius(lower, upper[None]) >= two_sided.radius(e0, e1) - 1e-7


def test_the_strongest_rival_counts():
    lower = np.full((1, BINS), 0.8)
    rivals = np.stack([np.full(BINS, 0.05), np.full(BINS, 0.15), np.zeros(BINS)])
    both = cdf.radius(lower, rivals[None])
    np.testing.assert_array_equal(both, cdf.radius(lower, rivals[None, 1:2]))
    assert both < cdf.radius(lower, rivals[None, :1])


def test_nothing_known_certifies_nothing():
    nothing, anything = np.zeros((1, BINS)), np.ones((1, 1, BINS))
    assert cdf.radius(nothing, anything) == 0
    assert cdf.radius(nothing, np.zeros((1, 1, BINS))) == 0


def test_blocks_do_not_matter(monkeypatch):
    random = np.random.default_rng(1)
    lower, upper = falling(random.random((20, BINS))), falling(random.random((20, 3, BINS))) * 0.3
    whole = cdf.radius(lower, upper)
    monkeypatch.setattr(cdf, "ROWS", 7)
    np.testing.assert_array_equal(whole, cdf.radius(lower, upper))


def test_it_is_for_softmax_and_says_what_it_needs():
    row = MECHANISMS["cdf"]
    assert (row.kinds, row.needs) == ({"softmax"}, "histograms")
