"""Exact limits checked by arithmetic that shares nothing with scipy's inverse; the sign test."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf
from scipy.special import betainc, betaincc, betainccinv, betaincinv
from scipy.stats import binom, binomtest

from simplicert.bounds import binomial


def at_most(y, n, p):
    """P(Bin(n, p) <= y) in 40 digits."""
    with mp.workdps(40):
        return mp.betainc(n - y, y + 1, 0, 1 - mpf(float(p)), regularized=True)


def at_least(x, n, p):
    """P(Bin(n, p) >= x) in 40 digits."""
    with mp.workdps(40):
        return mp.betainc(x, n - x + 1, 0, mpf(float(p)), regularized=True)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.data())
def test_tails_by_forty_digits(data):
    """Never more than the tail, and at least .9998 of it: shrunk by 1e-4, rounded, no more."""
    n = data.draw(st.integers(1, 5000), label="n")
    x = data.draw(st.integers(0, n), label="x")
    a = data.draw(st.sampled_from([0.25, 0.05, 5e-4, 4.5e-4, 1e-6, 1e-11]), label="tail")
    upper = binomial.clopper_pearson_upper(np.array(x), np.array(n), np.array(a))
    lower, rest = binomial.clopper_pearson_lower(np.array(x), np.array(n), np.array(a))
    assert 0 <= lower <= x / n <= upper <= 1
    if 2 * x > n:
        assert rest <= 1 - lower  # the exact complement, which radii near 1 rest on
    if x < n:
        assert at_most(x, n, upper) <= a
        assert upper > 0.99 or at_most(x, n, upper) >= 0.9998 * a  # near 1 floats are too coarse
    if x > 0:
        assert at_least(x, n, lower) <= a
        assert lower > 0.99 or at_least(x, n, lower) >= 0.9998 * a


def tail_by_fractions(a, b, x):
    """I_x(a, b) for x below its mean, by Lentz's continued fraction in 30 digits.

    mpmath's own series gives up at a billion draws; the fraction needs about sqrt(a + b) terms.
    """
    with mp.workdps(30):
        x, tiny = mpf(float(x)), mpf(10) ** -300
        front = a * mp.log(x) + b * mp.log1p(-x) - mp.log(a)
        front -= mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)
        c, d = mpf(1), 1 / (1 - (a + b) * x / (a + 1))
        value = d
        for m in range(1, 400_000):
            for term in (
                m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
            ):
                d, c = 1 / (1 + term * d + tiny), 1 + term / c
                value *= c * d
            if abs(c * d - 1) < mpf(10) ** -18:
                return mp.exp(front) * value
    raise ArithmeticError("the continued fraction did not converge")


def test_continued_fraction_agrees_with_the_series():
    for a, b, x in [(3, 8, 0.1), (90, 11, 0.7), (500, 600, 0.4)]:
        series = mp.betainc(a, b, 0, x, regularized=True)
        assert abs(tail_by_fractions(a, b, x) / series - 1) < 1e-14


@pytest.mark.parametrize("tail", [5e-4, 1e-11])
@pytest.mark.parametrize("share", [0.001, 0.144, 0.19676383, 0.199962914, 0.9])
def test_a_billion_draws(share, tail):
    """Where scipy's inverse was seen to stop early, on the unsafe side, by up to 1e-5."""
    n, x = 10**9, round(share * 10**9)
    upper = binomial.clopper_pearson_upper(np.array(x), np.array(n), np.array(tail))
    lower = binomial.lower_by_inverse(np.array(x), np.array(n), np.array(tail))
    assert 0.9998 * tail < tail_by_fractions(x, n - x + 1, lower) <= tail
    assert 0.9998 * tail < tail_by_fractions(n - x, x + 1, 1 - upper) <= tail


@pytest.mark.parametrize("n", [10**6, 10**9])
def test_few_successes_of_very_many(n):
    for x in (0, 1, 3):
        upper = binomial.clopper_pearson_upper(np.array(x), np.array(n), np.array(5e-4))
        with mp.workdps(40):
            p = mpf(float(upper))
            below = mp.fsum(mp.binomial(n, k) * p**k * (1 - p) ** (n - k) for k in range(x + 1))
        assert 0.9998 * 5e-4 < below <= 5e-4
        lower, rest = binomial.clopper_pearson_lower(np.array(n - x), np.array(n), np.array(5e-4))
        assert rest == upper
        assert lower <= 1 - upper


def test_closed_forms_at_none_and_all():
    a, n = 0.001, 50
    np.testing.assert_allclose(binomial.clopper_pearson_upper(0, n, a), 1 - a ** (1 / n), rtol=1e-4)
    np.testing.assert_allclose(binomial.clopper_pearson_lower(n, n, a)[0], a ** (1 / n), rtol=1e-4)
    assert binomial.clopper_pearson_upper(n, n, a) == 1
    assert binomial.clopper_pearson_lower(0, n, a)[0] == 0


def test_agrees_with_scipy_stats():
    for x, n in [(3, 10), (90, 100), (999, 1000), (1, 1000)]:
        interval = binomtest(x, n).proportion_ci(0.95, method="exact")
        np.testing.assert_allclose(
            binomial.clopper_pearson_lower(x, n, 0.025)[0], interval.low, rtol=2e-4
        )
        np.testing.assert_allclose(
            binomial.clopper_pearson_upper(x, n, 0.025), interval.high, rtol=2e-4
        )


def test_monotone_in_the_count():
    n = 2000
    counts = np.arange(n + 1)
    assert (np.diff(binomial.clopper_pearson_upper(counts, n, 4.5e-4)) >= 0).all()
    assert (np.diff(binomial.clopper_pearson_lower(counts, n, 4.5e-4)[0]) >= 0).all()


@pytest.mark.parametrize("broken", [np.nan, 0.3, 2.0])
def test_a_failing_inverse_never_passes(monkeypatch, broken):
    """Whatever the special function returns, the limit is valid: Chernoff stands in."""
    wrong = lambda *args: np.full(np.broadcast(*args).shape, broken)  # noqa: E731
    monkeypatch.setattr(binomial, "betainccinv", wrong)
    monkeypatch.setattr(binomial, "betaincinv", wrong)
    counts = np.array([30, 45, 100, 199])
    upper = binomial.clopper_pearson_upper(counts, 200, 0.001)
    lower, _ = binomial.clopper_pearson_lower(counts, 200, 0.001)
    for x, low, high in zip(counts.tolist(), lower, upper, strict=True):
        assert at_most(x, 200, high) <= 0.001
        assert at_least(x, 200, low) <= 0.001
    assert (upper < 1).all()
    assert (lower > 0).all()


def everywhere_upper(y, n, a):
    """The upper limit with the fallback computed for every row, needed or not."""
    y, n, a = (np.asarray(v, float) for v in np.broadcast_arrays(y, n, a))
    left = np.maximum(n - y, 1.0)
    limit = betainccinv(y + 1, left, binomial.SHRINK * a)
    limit = np.where(y == 0, -np.expm1(np.log(binomial.SHRINK * a) / n), limit)
    limit = np.nextafter(limit, 1.0)
    sound = (y / n <= limit) & (betaincc(y + 1, left, limit) <= a)
    fallback = binomial.chernoff_upper(y, n, a, np.ones(y.shape, bool))
    return np.where(y == n, 1.0, np.where(sound, limit, fallback))


def everywhere_lower(x, n, a):
    """The lower limit with both of its forms, and the fallback, computed for every row."""
    x, n, a = (np.asarray(v, float) for v in np.broadcast_arrays(x, n, a))
    some = np.maximum(x, 1.0)
    limit = betaincinv(some, n - x + 1, binomial.SHRINK * a)
    limit = np.where(x == n, np.exp(np.log(binomial.SHRINK * a) / n), limit)
    limit = np.nextafter(limit, 0.0)
    sound = (limit <= x / n) & (betainc(some, n - x + 1, limit) <= a)
    fallback = 1 - binomial.chernoff_upper(n - x, n, a, np.ones(x.shape, bool))
    fallback = np.maximum(np.nextafter(fallback, 0.0), 0.0)
    limit = np.where(x == 0, 0.0, np.where(sound, limit, fallback))
    return np.where(2 * x > n, np.nextafter(1 - everywhere_upper(n - x, n, a), 0.0), limit)


@pytest.mark.parametrize("tail", [0.25, 4.5e-4, 1e-11, 1e-200])
def test_computing_only_what_is_needed_changes_no_bit(tail):
    rng = np.random.default_rng(7)
    n = np.concatenate([rng.integers(1, 10 ** rng.integers(1, 10, 2000)), np.full(6, 10**9)])
    x = np.concatenate([rng.binomial(n[:2000], rng.random(2000)), [0, 1, 2, 10**9 - 2, 10**9, 5]])
    x[:300], x[300:600] = 0, n[300:600]
    np.testing.assert_array_equal(
        binomial.clopper_pearson_upper(x, n, tail), everywhere_upper(x, n, tail)
    )
    lower, rest = binomial.clopper_pearson_lower(x, n, tail)
    np.testing.assert_array_equal(lower, everywhere_lower(x, n, tail))
    np.testing.assert_array_equal(rest, everywhere_upper(n - x, n, tail))
    one, _ = binomial.clopper_pearson_lower(x[700], n[700], tail)
    assert one.shape == () and one == lower[700]


def test_no_fallback_where_the_limit_is_known(monkeypatch):
    """All draws agree, or none is a success: the limits 1 and 0 need no search."""
    monkeypatch.setattr(binomial, "find_last_below", lambda *_: pytest.fail("searched"))
    n = np.full(5, 1000)
    assert (binomial.clopper_pearson_upper(n, n, 0.001) == 1).all()
    assert (binomial.clopper_pearson_lower(0 * n, n, 0.001)[0] == 0).all()
    assert (binomial.clopper_pearson_lower(n, n, 0.001)[0] > 0.99).all()


def test_chernoff_is_wider_and_not_by_much():
    y, n, a = np.array([0.0, 5.0, 500.0, 999.0]), np.full(4, 1000.0), np.full(4, 0.001)
    limit = binomial.chernoff_upper(y, n, a, np.ones(4, bool))
    exact = binomial.clopper_pearson_upper(y, n, a)
    assert (limit >= exact * (1 - 2e-5)).all()  # the exact limit gives away 1e-4 of its tail
    assert (limit[:3] <= exact[:3] + 0.02).all()


def test_chernoff_is_rounded_outward():
    """Of one draw, a failure, the limit is 1 - tail: never less, by exact fractions."""
    tails = np.linspace(0.05, 0.3, 1001)
    limit = binomial.chernoff_upper(np.zeros(1001), np.ones(1001), tails, np.ones(1001, bool))
    for a, u in zip(tails.tolist(), limit.tolist(), strict=True):
        assert Fraction(u) >= 1 - Fraction(a)
    np.testing.assert_allclose(limit, 1 - tails, rtol=1e-13)


def test_tail_is_the_binomials():
    wins, losses = np.array([1, 10, 60, 0, 5]), np.array([0, 10, 40, 3, 0])
    expected = binom.sf(wins - 1, wins + losses, 0.5)
    np.testing.assert_allclose(binomial.sign_test_tail(wins, losses), expected, rtol=1e-12)


def test_passes_only_with_room():
    exactly = 2.0**-15  # fifteen wins, no loss
    assert not binomial.passes_sign_test(15, 0, exactly)
    assert binomial.passes_sign_test(15, 0, exactly * 1.001)
    assert not binomial.passes_sign_test(14, 0, exactly * 1.001)
    assert not binomial.passes_sign_test(15, 0, np.nan)


def test_exactly_the_level_less_its_room_passes(monkeypatch):
    monkeypatch.setattr(binomial, "sign_test_tail", lambda wins, losses: binomial.SHRINK * 0.01)
    assert binomial.passes_sign_test(15, 0, 0.01)
    assert not binomial.passes_sign_test(15, 0, np.nextafter(0.01, 0))
