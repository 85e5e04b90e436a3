"""sc.radius and certify: sigma, sensitivity, e0 > e1, own mechanisms, errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simplicert as sc
from simplicert.certification import certify_point
from simplicert.types import ScoreBands
from simplicert.types.scores import BINS, mean_over_bins

PAIR = sorted(name for name, row in sc.MECHANISMS.items() if row.needs == "pair")
each = pytest.mark.parametrize("name", PAIR)


@each
@settings(max_examples=40, deadline=None)
@given(st.floats(1e-3, 1e3), st.floats(1e-3, 1e3))
def test_linear_in_sigma_over_sensitivity(name, sigma, sensitivity):
    unit = sc.radius(name, 0.7, 0.2)
    scaled = sc.radius(name, 0.7, 0.2, sigma=sigma, sensitivity=sensitivity)
    np.testing.assert_allclose(scaled, unit * sigma / sensitivity, rtol=1e-14)
    raw = sc.MECHANISMS[name].radius(np.array([0.7]), np.array([0.2]))[0]
    from fractions import Fraction

    exact = Fraction(float(raw)) * Fraction(sigma) / Fraction(sensitivity)
    assert Fraction(scaled) <= exact  # rounded toward zero, in exact arithmetic


def test_counts_are_bounded_first():
    with pytest.raises(sc.InvalidInput, match=r"must be what bound\(tally\) makes, got Tally"):
        sc.certify(sc.Tally([[90, 10]], 0.5))


@each
def test_shapes_and_scalars(name):
    assert isinstance(sc.radius(name, 0.7, 0.2), float)
    assert sc.radius(name, [0.7, 0.6], [[0.1], [0.2], [0.3]]).shape == (3, 2)
    assert sc.radius(name, np.empty((0, 4)), 0.1).shape == (0, 4)
    grid = sc.radius(name, np.full((3, 4), 0.7), 0.2)
    assert (grid == sc.radius(name, 0.7, 0.2)).all()


@each
def test_zero_where_the_top_class_does_not_lead(name):
    assert sc.radius(name, 0.3, 0.4) == 0
    assert sc.radius(name, 0.4, 0.4) == 0
    assert sc.radius(name, 0.0, 0.0) == 0
    assert sc.radius(name, 0.45, 0.9) == 0


@each
def test_e1_is_clipped_to_what_e0_leaves(name):
    assert sc.radius(name, 0.9, 0.5) == sc.radius(name, 0.9, 1 - 0.9)


@each
def test_float32_is_taken_at_face_value(name):
    e0, e1 = np.float32(0.7), np.float32(0.2)
    assert sc.radius(name, e0, e1) == sc.radius(name, float(e0), float(e1))


def test_no_runner_up():
    assert 1.55 < sc.radius("li", 0.7, 0) < np.sqrt(-2 * np.log(0.3))
    np.testing.assert_allclose(sc.radius("cohen", 0.7, 0), 0.5244005, rtol=1e-7)
    expected = 1 / np.sqrt(2 * np.log(1.25 * (1 + np.e) / 0.7))
    np.testing.assert_allclose(sc.radius("lecuyer", 0.7, 0), expected, rtol=1e-11)
    for name, e0 in [("two_sided", 0.7), ("improved_dp", 0.7), ("cohen", 1.0), ("li", 1.0)]:
        with pytest.raises(sc.InvalidInput, match=f"{name} has no finite radius at e0 = {e0}"):
            sc.radius(name, e0, 0)


@pytest.mark.parametrize("bad", [np.nan, -0.1, 1.1, np.inf, "x", None])
@pytest.mark.parametrize("argument", ["e0", "e1"])
def test_outside_the_domain(argument, bad):
    values = {"e0": 0.7, "e1": 0.2, argument: bad}
    with pytest.raises(sc.InvalidInput, match=rf"{argument} must (lie in \[0, 1\]|hold numbers)"):
        sc.radius("cohen", **values)


@pytest.mark.parametrize("argument", ["sigma", "sensitivity"])
@pytest.mark.parametrize("bad", [0, -1, np.nan, np.inf, "1"])
def test_scale_must_be_positive(argument, bad):
    with pytest.raises(sc.InvalidInput, match=f"{argument} must be a positive finite number"):
        sc.radius("cohen", 0.7, 0.2, **{argument: bad})
    known = sc.Expectations([0], [0.7], [0.2])
    if argument == "sensitivity":
        with pytest.raises(sc.InvalidInput, match="sensitivity"):
            sc.certify(known, sensitivity=bad)


def test_shapes_that_do_not_broadcast():
    with pytest.raises(sc.InvalidInput, match=r"e0 and e1 must broadcast, got shapes \(2,\)"):
        sc.radius("cohen", [0.5, 0.6], [0.1, 0.2, 0.3])


def test_unknown_mechanism_is_told_the_names():
    with pytest.raises(sc.InvalidInput, match=r"must be one of cohen, li, .*got 'ours'"):
        sc.radius("ours", 0.7, 0.2)
    known = sc.Expectations([0], [0.7], [0.2])
    with pytest.raises(sc.InvalidInput, match="got 'ours'"):
        sc.certify(known, ["cohen", "ours"])
    with pytest.raises(sc.InvalidInput, match="a name or a function, got 5"):
        sc.radius(5, 0.7, 0.2)


def test_a_kind_without_a_proof():
    known = sc.Expectations([0], [0.7], [0.2], kind="softmax")
    with pytest.raises(sc.KindMismatch, match="'cohen' has no proof for softmax expectations"):
        sc.certify(known, ["cohen"])
    proved = {name for name in PAIR if "softmax" in sc.MECHANISMS[name].kinds}
    assert set(sc.certify(known).radii) == proved


def half(e0, e1):
    """A sound mechanism of one's own."""
    return sc.MECHANISMS["two_sided"].radius(e0, e1) / 2


def test_own_mechanism():
    known = sc.Expectations([0, 0], [0.7, 0.3], [0.2, 0.4], sigma=0.5)
    certificates = sc.certify(known, {"half": half, "cohen": "cohen"})
    np.testing.assert_allclose(certificates.radii["half"][0], sc.radius("two_sided", 0.7, 0.2) / 4)
    assert list(certificates.radii) == ["half", "cohen"]
    assert certificates.radii["half"][1] == 0
    ensemble = sc.certify(known).ensemble
    np.testing.assert_array_equal(certificates.ensemble, ensemble)  # always the paper's
    np.testing.assert_allclose(sc.radius(half, 0.7, 0.2), sc.radius("two_sided", 0.7, 0.2) / 2)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (lambda e0, e1: 1.01 * sc.MECHANISMS["two_sided"].radius(e0, e1), "above the limit"),
        (lambda e0, e1: np.full(e0.shape, np.nan), "returned nan"),
        (lambda e0, e1: -e0, "not negative"),
    ],
)
def test_an_unsound_mechanism_is_caught(broken, message):
    with pytest.raises(sc.UnsoundMechanism, match=message):
        sc.radius(broken, [0.6, 0.7], 0.2)
    with pytest.raises(sc.UnsoundMechanism, match=message):
        sc.certify(sc.Expectations([0], [0.7], [0.2]), {"mine": broken})


def test_a_mechanism_that_rounds_otherwise_is_lowered_to_the_limit():
    plain = lambda e0, e1: sc.MECHANISMS["two_sided"].radius(e0, e1) * (1 + 1e-13)  # noqa: E731
    assert sc.radius(plain, 0.7, 0.2) == sc.radius("two_sided", 0.7, 0.2)


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(st.floats(0.001, 0.999), st.floats(0.001, 0.999))
def test_the_ensemble_is_never_below_a_member(e0, share):
    certificates = certify_point(e0, share * min(e0, 1 - e0))
    members = [certificates.radii[name][0] for name in sc.PAPER_ENSEMBLE["multinomial"]]
    assert certificates.ensemble[0] == max(members)
    assert certificates.radius[0] == certificates.radii["two_sided"][0] >= max(members)


def test_each_member_wins_somewhere():
    winners = [
        str(certify_point(e0, e1).winner[0]) for e0, e1 in [(0.9, 0.1), (0.99, 1e-3), (0.4, 0.1)]
    ]
    assert winners == ["cohen", "li", "improved_dp"]


@pytest.mark.parametrize("name", ["radius", "e0", "ensemble", "top", ""])
def test_own_mechanisms_do_not_take_the_name_of_another_column(name):
    known = sc.Expectations([0], [0.7], [0.2])
    with pytest.raises(sc.InvalidInput, match="must not take the name of another column"):
        sc.certify(known, {name: half})


def test_own_mechanism_under_a_name_of_the_papers():
    """It is used as given, and the ensemble stays the paper's."""
    known = sc.Expectations([0], [0.9], [0.1])
    certificates = sc.certify(known, {"cohen": half})
    np.testing.assert_allclose(certificates.radii["cohen"], sc.radius("cohen", 0.9, 0.1) / 2)
    assert certificates.ensemble[0] == sc.radius("cohen", 0.9, 0.1)


def test_an_infinite_radius_is_never_a_large_one():
    """The ensemble does not hide one that was not named, either."""
    for known, names in (
        (sc.Expectations([0], [0.9], [0.0]), ["cohen"]),
        (sc.Expectations([0], [0.9], [0.0], kind="softmax"), ["lecuyer"]),
    ):
        with pytest.raises(sc.InvalidInput, match="has no finite radius"):
            sc.certify(known, names)


@pytest.mark.parametrize(("sigma", "sensitivity"), [(1e300, 1e-300), (1e-300, 1e300)])
def test_scales_that_are_no_numbers(sigma, sensitivity):
    with pytest.raises(sc.InvalidInput, match="sigma / sensitivity must be an ordinary number"):
        sc.radius("cohen", 0.4, 0.3, sigma=sigma, sensitivity=sensitivity)


@pytest.mark.parametrize("value", [lambda a, b: np.zeros(3), lambda a, b: a * 1j, lambda a, b: 0.1])
def test_a_mechanism_of_another_shape(value):
    with pytest.raises(sc.UnsoundMechanism, match="must return a real number for each of 2 points"):
        sc.radius(value, [0.6, 0.7], 0.2)


@each
def test_the_smallest_numbers_there_are(name):
    """Denormal expectations: safe, and without a warning."""
    e0, e1 = np.array([1e-320, 0.5, 1e-300]), np.array([1e-323, 5e-324, 1e-308])
    radius = sc.radius(name, e0, e1)
    assert (radius >= 0).all()
    assert (radius <= sc.radius("two_sided", e0, e1)).all()


def test_ties_go_to_the_first_and_zeros_to_none():
    certificates = sc.certify(sc.Expectations([0], [0.3], [0.4]))
    assert certificates.winner[0] == ""
    assert certificates.abstained[0]


@pytest.mark.slow
def test_all_on_a_fine_grid_in_one_call():
    """Half a million points of the simplex, every mechanism, a few megabytes at a time."""
    import tracemalloc

    e0 = np.linspace(0.01, 0.99, 1000)[:, None]
    e1 = np.minimum(e0, 1 - e0) * np.linspace(0.001, 0.999, 500)
    known = sc.Expectations(np.zeros(500_000, int), np.repeat(e0, 500), e1.ravel())
    sc.certify(sc.Expectations([0], [0.7], [0.2]))  # imports are not what is measured
    tracemalloc.start()
    certificates = sc.certify(known)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    hard = [name for name in PAIR if "multinomial" in sc.MECHANISMS[name].kinds]
    assert sorted(certificates.radii) == hard
    # The results themselves take two columns for each mechanism, and two more.
    assert peak < (30 + 2 * len(hard)) * known.e0.nbytes


def banded(**more):
    """Two inputs, the second refused, with bands that say more than their means."""
    lower, upper = np.full((2, BINS), 0.999), np.full((2, 1, BINS), 0.001)
    lower[:, BINS // 2 :], upper[:, :, : BINS // 4] = 0.001, 0.999
    bands = ScoreBands(lower, upper)
    e0, e1 = mean_over_bins(lower), mean_over_bins(upper[:, 0])
    e0[1] = e1[1] = np.nan
    return sc.Expectations([0, 0], e0, e1, sigma=0.5, kind="softmax", bands=bands, **more)


def test_score_bands_certify_more_than_their_means():
    known = banded()
    certificates = sc.certify(known)
    held = [name for name, row in sc.MECHANISMS.items() if row.needs in ("pair", "histograms")]
    soft = [name for name in held if "softmax" in sc.MECHANISMS[name].kinds]
    assert list(certificates.radii) == soft
    unit = sc.MECHANISMS["cdf"].radius(known.bands.lower, known.bands.upper)[0]
    cdf = certificates.radii["cdf"]
    assert 0.4999 * unit < cdf[0] < 0.5 * unit
    assert cdf[0] > 2 * certificates.radii["two_sided"][0]
    assert cdf[1] == 0
    np.testing.assert_array_equal(certificates.radius, cdf)
    assert certificates.winner[0] in sc.PAPER_ENSEMBLE["softmax"]
    half = sc.certify(known, ["cdf"], sensitivity=2.0)
    assert list(half.radii) == ["cdf"]
    np.testing.assert_allclose(half.radii["cdf"], cdf / 2, rtol=1e-15)


def test_without_histograms_cdf_is_left_out_or_refused():
    known = sc.Expectations([0], [0.7], [0.2], kind="softmax")
    assert "cdf" not in sc.certify(known).radii
    with pytest.raises(sc.MissingEvidence, match="'cdf' needs score histograms"):
        sc.certify(known, ["cdf"])
    with pytest.raises(sc.InvalidInput, match=r"got 'cdf', which needs histograms"):
        sc.radius("cdf", 0.7, 0.2)
    hard = sc.Expectations([0], [0.7], [0.2])
    with pytest.raises(sc.KindMismatch, match="'cdf' has no proof for multinomial"):
        sc.certify(hard, ["cdf"])


@pytest.mark.parametrize("scheme", ["gated", "joint"])
def test_the_radius_has_the_sigma_that_was_drawn(scheme):
    """Noise is drawn in single precision: .12 becomes 0.11999999732, .1 becomes 0.10000000149."""
    for sigma in (0.12, 0.1, 0.25):
        counts = sc.Tally([[900, 100, 0]], sigma)
        unit = sc.certify(sc.bound(sc.Tally([[900, 100, 0]], 1.0), scheme=scheme)).radius
        found = sc.certify(sc.bound(counts, scheme=scheme)).radius
        drawn = min(sigma, float(np.float32(sigma)))
        np.testing.assert_allclose(found, drawn * unit, rtol=1e-15)
        assert drawn < sigma * (1 - 2e-8) if sigma == 0.12 else drawn == sigma


def test_with_a_share_of_sigma_for_each_feature_every_share_is_rounded():
    """No share loses more than 2**-24 of itself by rounding, and the radius takes off as much."""
    sigma = 0.3
    shares = np.random.default_rng(0).uniform(1e-3, 1e3, 10_000)
    drawn = np.asarray(sigma * shares, np.float32).astype(float)
    assert (drawn >= sigma * (1 - 2**-24) * shares).all()
    known = sc.bound(sc.Tally([[900, 100]], sigma, norm="scaled l2"))
    unit = sc.certify(sc.bound(sc.Tally([[900, 100]], 1.0))).radius
    np.testing.assert_allclose(
        sc.certify(known).radius, sigma * (1 - 2**-24) * unit, rtol=1e-15, atol=0
    )


def test_pure_mathematics_keeps_sigma_as_it_is():
    assert sc.radius("cohen", 0.9, 0.1, sigma=0.12) > 0.12 * (1 - 1e-15) * sc.radius(
        "cohen", 0.9, 0.1
    )
    assert certify_point(0.9, 0.1, sigma=0.12).radii["cohen"] == sc.radius(
        "cohen", 0.9, 0.1, sigma=0.12
    )


def test_a_sigma_that_vanishes_in_single_precision():
    with pytest.raises(sc.InvalidInput, match="sigma must not vanish in single precision"):
        sc.certify(sc.bound(sc.Tally([[900, 100]], 1e-60)))
