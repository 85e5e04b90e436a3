"""The closed form against the paper's constrained maximum, and the fork on the edge."""

import numpy as np
import reference
from mpmath import mp, mpf

from simplicert.mechanisms import improved_dp


def new_dp_holds(e0, e1, epsilon, radius):
    """Both constraints of paper eq. (NewDP) at this epsilon, in 60 digits."""
    with mp.workdps(60):
        shift, eps = mpf(float(radius)), mpf(float(epsilon))
        u, v = shift / 2 - eps / shift, -shift / 2 - eps / shift
        delta = mp.ncdf(u) - mp.exp(eps) * mp.ncdf(v)
        return mpf(float(e0)) - mpf(float(e1)) * mp.exp(2 * eps) - (1 + mp.exp(eps)) * delta >= 0


def test_what_is_returned_is_feasible_for_the_papers_problem():
    """Some epsilon >= 0 meets (NewDP) at the returned radius: it is a certificate by itself."""
    e0, e1 = reference.points(400, seed=11)
    radius = improved_dp.radius(e0, e1)
    live = radius > 1e-3  # nearer ties a float cannot hold the best epsilon
    largest = np.log1p((e0 - e1) / e1) / 2
    epsilon = improved_dp.find_turning_point(
        improved_dp.epsilon_slope, 1e-7 * largest, largest, (e0, e1)
    )
    assert live.sum() > 200
    for a, b, eps, r in zip(e0[live], e1[live], epsilon[live], radius[live], strict=True):
        assert new_dp_holds(a, b, eps, r * (1 - 1e-7)), (a, b, eps, r)
        assert not new_dp_holds(a, b, eps, r * (1 + 1e-6)), (a, b, eps, r)


def test_the_edge_on_both_sides_of_the_fork():
    """At E_0 + E_1 = 1 epsilon = 0 is the best up to E_0 = .989016, and not beyond."""
    e0 = np.array([0.6, 0.9, 0.98, 0.9889, 0.98901, 0.98902, 0.99, 0.999, 1 - 1e-9])
    ours = improved_dp.radius(e0, 1 - e0)
    exact = np.array([float(reference.improved_dp(a, 1 - a)) for a in e0])
    np.testing.assert_allclose(ours, exact, rtol=1e-9)
    u, v = improved_dp.quantile_pair(np.zeros(len(e0)), e0, 1 - e0)
    np.testing.assert_allclose(exact[:5], (u - v)[:5], rtol=1e-12)
    assert (exact[-3:] > 1.0001 * (u - v)[-3:]).all()


def test_no_runner_up_at_all_is_infinite():
    assert improved_dp.radius(np.array(0.5), np.array(0.0)) == np.inf
