"""The operational radius: its bound against exact probabilities, and against simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from linear import line_array, point
from scipy.stats import binom

import simplicert as sc
from simplicert.bounds import binomial
from simplicert.smoothed.operational import LastLookTest as LastLook
from simplicert.smoothed.operational import fewest_votes, keeps_class, operational_radius
from simplicert.smoothed.prediction import look_shares, prediction_looks


def test_fewest_votes():
    rivals = np.arange(40)
    found = fewest_votes(rivals, 2.5e-4, 200)
    assert binomial.passes_sign_test(found, rivals, np.asarray(2.5e-4)).all()
    assert not binomial.passes_sign_test(found - 1, rivals, np.asarray(2.5e-4)).any()


@settings(max_examples=60)
@given(st.floats(0.5, 0.999), st.floats(0.0, 1.0), st.integers(20, 300))
def test_never_below_the_exact_probability_with_two_classes(a, part, draws):
    """Exactly: the chance that the last look alone does not give out a class of expectation a."""
    alpha = 0.01
    b = 1 - a
    level = alpha * look_shares(len(prediction_looks(draws, alpha)))[-1] / 2
    wins = np.arange(draws + 1)
    passed = binomial.passes_sign_test(wins, draws - wins, np.asarray(level)) & (
        wins > draws - wins
    )
    exact = 1 - binom.pmf(wins[passed], draws, a).sum()
    assert LastLook(draws, alpha).fails(np.array([a]), np.array([b]))[0] >= exact - 1e-12


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_never_below_the_rate_with_many_classes(seed):
    """Any expectations with p_0 >= a and the others <= b: 20,000 simulated last looks.

    The rate may exceed its probability by five standard errors: one in 3 million examples.
    """
    random = np.random.default_rng(seed)
    draws, alpha = 60, 0.01
    others = random.dirichlet(np.full(random.integers(1, 8), 0.7))
    a = random.uniform(0.4, 0.9)
    p = np.append(a, (1 - a) * others)
    if p[1:].max() >= a:
        return
    votes = random.multinomial(draws, p, 20_000)
    level = alpha * look_shares(len(prediction_looks(draws, alpha)))[-1] / 2
    rival = votes[:, 1:].max(axis=1)
    given_out = binomial.passes_sign_test(votes[:, 0], rival, np.asarray(level)) & (
        votes[:, 0] > rival
    )
    rate = 1 - given_out.mean()
    bound = LastLook(draws, alpha).fails(np.array([a]), np.array([p[1:].max()]))[0]
    assert rate <= bound + 5 * np.sqrt(0.25 / 20_000)


@pytest.mark.slow
@pytest.mark.parametrize("draws", [100, 1000])
def test_it_holds_on_a_linear_classifier(draws):
    """At the operational radius, in the worst direction, predict keeps its class.

    2,000 predictions; beta is .05, and four standard errors of the rate are .02.
    """
    sigma, beta = 0.5, 0.05
    smooth = sc.Smoothed(line_array, sigma)
    x = point(0.95, sigma)
    certificates = smooth.certify(x, draws=20_000, seed=0)
    found = smooth.operational_radius(certificates, draws=draws, beta=beta)
    assert 0 < found[0] < certificates.radius[0]
    moved = x.copy()
    moved[0, 0] -= found[0]
    kept = smooth.predict(np.repeat(moved, 2000, axis=0), draws=draws, seed=1).classes == 0
    assert kept.mean() >= 1 - beta - 0.02
    # And it is no empty promise: a quarter of sigma further on the answer is lost as often.
    moved[0, 0] -= sigma / 4
    lost = smooth.predict(np.repeat(moved, 500, axis=0), draws=draws, seed=2).classes != 0
    assert lost.mean() > beta


@pytest.mark.parametrize("sensitivity", [2.0, 1.0, 0.5, 0.3, 700.0])
def test_it_is_searched_where_the_noise_is_and_divided_once(sensitivity):
    known = sc.bound(sc.Tally([[8000, 1000, 1000]], sigma=1.0))
    found = operational_radius(sc.certify(known, sensitivity=sensitivity), draws=1000)
    np.testing.assert_allclose(found * sensitivity, 0.7728701, rtol=1e-6)
    asked = sc.certify(known, ["cohen"], sensitivity=sensitivity)
    np.testing.assert_array_equal(operational_radius(asked, draws=1000), found)


@pytest.mark.slow
@pytest.mark.parametrize("norm", [2.0, 0.5])
def test_it_holds_behind_a_linear_first_stage(norm):
    """A matrix of this operator norm comes before the noise; `predict` gets the input.

    Moved by the operational radius, and by parts of it, in the direction that the matrix stretches
    most. 2,000 predictions a distance; beta is .05, and four standard errors of the rate are .02:
    each of the three rates is below by chance with probability 3.2e-5.
    """
    sigma, beta, draws = 0.5, 0.05, 200
    random = np.random.default_rng(5)
    left, right = (np.linalg.qr(random.normal(size=(4, 4)))[0] for _ in range(2))
    left[:, 0], left[:, 1:] = np.eye(4)[0], np.eye(4)[:, 1:]  # the longest goes to feature 0
    stage = left @ np.diag(norm * np.array([1.0, 0.7, 0.2, 0.05])) @ right.T
    smooth = sc.Smoothed(line_array, sigma, sensitivity=norm)
    x = np.linalg.solve(stage, point(0.95, sigma)[0].astype(float))
    certificates = smooth.certify((stage @ x)[None], draws=20_000, seed=0)
    assert certificates.sensitivity == norm
    found = smooth.operational_radius(certificates, draws=draws, beta=beta)[0]
    assert 0 < found < certificates.radius[0]
    for part in (0.3, 0.8, 1.0):
        moved = x - part * found * right[:, 0]
        many = np.repeat((stage @ moved)[None], 2000, axis=0)
        kept = smooth.predict(many, draws=draws, seed=1).classes == 0
        assert kept.mean() >= 1 - beta - 0.02
    # And it is no empty promise: a quarter of sigma further, at the noise, the answer is lost.
    moved = x - (found + sigma / 4 / norm) * right[:, 0]
    many = np.repeat((stage @ moved)[None], 500, axis=0)
    assert (smooth.predict(many, draws=draws, seed=2).classes != 0).mean() > beta


@pytest.mark.slow
@pytest.mark.parametrize("sensitivity", [1.0, 2.0, 0.5])
@pytest.mark.parametrize("grid", [1 / 64, 1 / 4])
def test_it_holds_on_a_grid(grid, sensitivity):
    """The furthest point of the grid within the radius, in the worst direction.

    A first stage multiplies by the sensitivity. 2,000 predictions at the point; beta is .05, and
    four standard errors of the rate are .02: it is below by chance with probability 3.2e-5.
    """
    sigma, beta, draws = 0.5, 0.05, 200

    def beside(batch):  # the boundary between two points of the grid: no draw is a tie
        return line_array(batch + np.float32(grid / 2))

    smooth = sc.Smoothed(beside, sigma, grid=grid, sensitivity=sensitivity)
    x = np.rint(point(0.95, sigma) / grid).astype(np.float32) * np.float32(grid)
    certificates = smooth.certify(x, draws=20_000, seed=0)
    found = smooth.operational_radius(certificates, draws=draws, beta=beta)[0]
    assert 0 < found < certificates.radius[0] and certificates.known.grid == grid
    steps = int(found * sensitivity / grid)
    assert steps > 0
    moved = x.copy()
    moved[0, 0] -= steps * grid
    assert abs(moved[0, 0] - x[0, 0]) / sensitivity <= found
    kept = smooth.predict(np.repeat(moved, 2000, axis=0), draws=draws, seed=1).classes == 0
    assert kept.mean() >= 1 - beta - 0.02
    # And it is no empty promise: about half of sigma further on the answer is lost as often.
    moved[0, 0] -= np.ceil(sigma / 2 / grid) * grid
    lost = smooth.predict(np.repeat(moved, 500, axis=0), draws=draws, seed=2).classes != 0
    assert lost.mean() > beta


def test_more_draws_reach_further_and_never_past_the_certificate():
    known = sc.bound(sc.Tally([[9000, 800, 200], [9990, 5, 5], [5100, 4900, 0]], 0.5))
    certificates = sc.certify(known)
    before = np.zeros(3)
    for draws in (20, 100, 1000, 10_000):
        found = operational_radius(certificates, draws=draws)
        assert (found >= before).all() and (found <= certificates.column("two_sided")).all()
        before = found
    assert before[0] > 0.8 * certificates.column("two_sided")[0]


def test_refused_inputs_have_none():
    certificates = sc.certify(sc.bound(sc.Tally([[50, 50], [100, 0]], 0.5)))
    assert operational_radius(certificates, draws=1000)[0] == 0


def test_scheme_joint_has_a_pair_for_it():
    """As far as that pair reaches; none where the margin alone is above 0."""
    counts = [[900, 80, 20, 0, 0, 0], [80, 45, 45, 45, 45, 40]]
    known = sc.bound(sc.Tally(counts, 0.5), 0.05, scheme="joint")
    made = sc.certify(known)
    assert list(made.abstained) == [False, False] and known.e0[1] < known.e1[1]
    found = operational_radius(made, draws=1000)
    assert 0 < found[0] <= sc.radius("two_sided", known.e0[0], known.e1[0], 0.5)
    assert found[1] == 0


def test_bad_input():
    certificates = sc.certify(sc.bound(sc.Tally([[900, 100]], 0.5)))
    with pytest.raises(sc.InvalidInput, match=r"beta must be a number in \(0, 1\), got 2"):
        operational_radius(certificates, draws=100, beta=2)
    alone = sc.bound(sc.Tally([[900, 100]], 0.5), scheme="joint", method="buehler")
    with pytest.raises(sc.InvalidInput, match="method buehler of scheme joint has none"):
        operational_radius(sc.certify(alone), draws=100)
    with pytest.raises(sc.InvalidInput, match="certificates must be of kind multinomial at sigma"):
        sc.Smoothed(line_array, 0.25).operational_radius(certificates)
    with pytest.raises(sc.InvalidInput, match="certificates must be for sensitivity 2, got 1"):
        sc.Smoothed(line_array, 0.5, sensitivity=2).operational_radius(certificates)


def test_the_step_from_p_to_b():
    """P(Bin(n, p) > s) <= p / b P(Bin(n, b) > s) for p <= b <= s / (n - 1)."""
    n = 50
    for s in range(1, n):
        b = s / (n - 1)
        p = np.linspace(1e-6, b, 50)
        assert (binom.sf(s, n, p) <= p / b * binom.sf(s, n, b) + 1e-15).all()


@pytest.mark.parametrize("draws", [50, 400])
@pytest.mark.parametrize("sensitivity", [1.0, 2.5])
def test_at_one_distance_it_is_asked_what_the_radius_was_searched_for(draws, sensitivity):
    random = np.random.default_rng(draws)
    counts = random.multinomial(5000, random.dirichlet([4.0, 1.0, 0.3], 40))
    certs = sc.certify(sc.bound(sc.Tally(counts, 0.5)), sensitivity=sensitivity)
    reach = sc.operational_radius(certs, draws=draws)
    for distance in (0.0, 0.05, 0.1, 0.3, 0.6, 5.0):
        kept = keeps_class(certs, distance, draws=draws)
        clear = (reach == 0) | (np.abs(reach - distance) > 1e-6)
        assert (kept == ((reach > 0) & (reach >= distance)))[clear].all()
        assert not (kept & certs.abstained).any()
    with pytest.raises(sc.InvalidInput, match="distance must not be negative"):
        keeps_class(certs, -1.0, draws=draws)


def test_where_nothing_is_left_to_chance_the_class_is_kept_up_to_the_radius():
    """Splitting noise: `predict` asks every offset, so that it returns the certified class."""
    counts = [[40, 24], [60, 4], [24, 40]]
    certs = sc.certify(sc.bound(sc.Tally(counts, 64 / 510, noise="splitting", invalid=[0, 0, 0])))
    radius = certs.radius
    np.testing.assert_array_equal(operational_radius(certs, draws=1000), radius)
    assert (radius > 0).all()
    assert keeps_class(certs, radius.min(), draws=1000).all()
    farther = np.nextafter(radius.min(), 1)
    np.testing.assert_array_equal(keeps_class(certs, farther, draws=1000), radius >= farther)
    assert not keeps_class(certs, 10.0, draws=1000).any()
    tied = sc.certify(sc.bound(sc.Tally([[20, 10]], 64 / 510, noise="splitting", invalid=[34])))
    assert tied.abstained.all() and not keeps_class(tied, 0.0, draws=1000).any()
