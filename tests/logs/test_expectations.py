"""E0 of a log is never above that of any radius or count that the log may stand for."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

import simplicert as sc
from simplicert.logs.log import Log, StatedSettings, cdf_rounded_down, log_expectations

SIGMA = st.sampled_from([0.12, 0.25, 0.5, 1.0, 3.0])


def log_of(texts, predicted=None, **more):
    """Return a log with these radii, of class 1 by default."""
    predicted = np.ones(len(texts), int) if predicted is None else np.array(predicted)
    return Log(np.arange(len(texts)), predicted, tuple(texts), **more)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.lists(st.floats(1e-5, 30.0), min_size=1, max_size=5), SIGMA)
def test_never_above_the_truth(radii, sigma):
    """The certified E0 is Phi(r / sigma) of the radius r before it was printed."""
    known = log_expectations(log_of([f"{r:.3}" for r in radii]), StatedSettings(sigma, 0.001))
    for r, e0 in zip(radii, known.e0, strict=True):
        with mpmath.workdps(50):
            truth = mpmath.ncdf(mpmath.mpf(r) / mpmath.mpf(sigma))
            assert np.isnan(e0) or mpmath.mpf(float(e0)) <= truth


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(st.integers(100, 999), st.integers(-6, 0), SIGMA)
def test_holds_for_the_smallest_radius_that_prints_so(digits, power, sigma):
    """Half a unit is enough and, in a log that shows its style, all that is given away."""
    text = f"{digits * 10.0**power:.3}"
    known = log_expectations(log_of([text, "1.11e-08"]), StatedSettings(sigma, 0.001))
    with mpmath.workdps(50):
        half = mpmath.mpf(10) ** power / 2
        smallest = mpmath.ncdf((digits * mpmath.mpf(10) ** power - half) / mpmath.mpf(sigma))
        below = smallest - mpmath.mpf(float(known.e0[0]))
        assert 0 <= below <= 1e-11


def test_certificates_restate_the_radius_less_half_a_unit():
    known = log_expectations(log_of(["0.486", "1.2", "7.11e-05"]), StatedSettings(0.5, 0.001))
    found = sc.certify(known, ["cohen", "two_sided"])
    truth = [0.4855, 1.195, 7.105e-05]
    for name in ("cohen", "two_sided", "ensemble"):
        assert (found.column(name) <= truth).all()
        np.testing.assert_allclose(found.column(name), truth, rtol=1e-9)


def test_the_rest_of_what_is_known():
    more = {"label": np.array([1, 2, 1, 4]), "seconds": np.ones(4)}
    log = log_of(["0.486", "0.0", "0.0", "-0.2"], [1, -1, -2, 3], **more)
    known = log_expectations(log, StatedSettings(0.5, 0.01, 1000))
    assert (known.scheme, known.method, known.alpha, known.level) == (
        "imported",
        "radius",
        0.01,
        0.01,
    )
    assert (known.sigma, known.kind) == (0.5, "multinomial")
    assert known.labels.tolist() == [1, 2, 1, 4]
    assert known.draws.tolist() == [1000] * 4
    assert known.abstained.tolist() == [False, True, True, True]
    assert known.reason.tolist() == ["certified", "abstained", "skipped", "overlap"]
    assert known.e1[0] == 1 - known.e0[0]


def test_a_radius_without_a_class_certifies_nothing():
    assert log_expectations(log_of(["0.486"], [-1]), StatedSettings(0.5, 0.001)).abstained.all()
    counted = log_of(["0.486"], [-1], count=np.array([990]))
    assert log_expectations(counted, StatedSettings(0.5, 0.001, 1000)).abstained.all()
    assert log_expectations(log_of(["", "0.4"]), StatedSettings(0.5, 0.001)).abstained.tolist() == [
        True,
        False,
    ]


def test_draws_of_the_log_come_before_those_stated():
    log = log_of(["0.486"], draws=np.array([70]))
    assert log_expectations(log, StatedSettings(0.5, 0.01, 1000)).draws.tolist() == [70]
    assert log_expectations(log_of(["0.486"]), StatedSettings(0.5, 0.01)).draws is None


@pytest.mark.parametrize("count", [501, 720, 999, 1000])
def test_counts_are_bounded_anew(count):
    """E0 is Clopper and Pearson's at alpha; the radius, which is another method's, is not used."""
    log = log_of(["9.99"], count=np.array([count]), cohen=False)
    known = log_expectations(log, StatedSettings(0.5, 0.3, 1000))
    truth = binomtest(count, 1000, alternative="greater").proportion_ci(0.7).low
    if truth > 0.5:
        assert known.e0[0] == pytest.approx(truth, rel=1e-5)
        assert known.e0[0] <= truth
    else:
        assert known.reason.tolist() == ["overlap"]
    assert known.method == "count"


def test_counts_above_the_draws():
    log = log_of(["0.5", "0.5"], count=np.array([60, 72]))
    with pytest.raises(sc.InvalidInput, match="got 70 draws for a count of 72 at index 1"):
        log_expectations(log, StatedSettings(0.5, 0.001, 70))


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(st.floats(-12, 40))
def test_phi_is_rounded_down(z):
    found = cdf_rounded_down(np.array([z]))[0]
    with mpmath.workdps(50):
        truth = mpmath.ncdf(mpmath.mpf(z))
        assert mpmath.mpf(float(found)) <= truth
        assert mpmath.mpf(float(found)) >= truth * (1 - mpmath.mpf(2) ** -40)
    assert found < 1
