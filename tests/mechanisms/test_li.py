"""What is particular to Li's radius: the end of the search over omega, and E_1 = 0."""

import numpy as np
import reference
from mpmath import mp

from simplicert.mechanisms import li


def test_the_supremum_over_all_omega_is_hardly_larger():
    """Searched is omega - 1 >= e^-9; what is left out is below a factor 1 + 6.2e-5."""
    e0, e1 = reference.points(300, seed=7)
    ours = li.radius(e0, e1)
    whole = np.array([float(reference.li(a, b, smallest=0)) for a, b in zip(e0, e1, strict=True)])
    large = whole > 1e-6
    assert (ours <= whole).all()
    assert (whole[large] <= ours[large] * (1 + 6.2e-5)).all()
    assert (whole[large] > ours[large] * (1 + 1e-5)).any()  # it does cost something somewhere


def test_no_runner_up_at_all():
    """At E_1 = 0: sqrt(-2 log(1 - E_0) / omega) at the smallest omega, and infinite at E_0 = 1."""
    omega = 1 + np.exp(-9)
    for e0 in (0.1, 0.5, 0.9):
        expected = float(mp.sqrt(-2 / omega * mp.log1p(-e0)))
        np.testing.assert_allclose(li.radius(np.array(e0), np.array(0.0)), expected, rtol=1e-11)
    assert li.radius(np.array(1.0), np.array(0.0)) == np.inf


def test_large_powers_do_not_overflow():
    assert np.isfinite(li.radius(np.array([0.5, 0.9]), np.array([0.5 - 1e-12, 0.1]))).all()
