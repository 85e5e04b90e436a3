"""`bound` itself: its tables, its edges, its errors."""

import numpy as np
import pytest

from simplicert import InvalidInput, Tally, bound

TALLY = Tally([[900, 80, 20]], sigma=0.5, labels=[0], index=[4])


def test_settings_travel_with_the_result():
    known = bound(TALLY, 0.01, kind="hard", scheme="paper")
    assert (known.sigma, known.alpha, known.kind, known.scheme) == (
        0.5,
        0.01,
        "multinomial",
        "paper",
    )
    assert (known.index[0], known.labels[0], known.draws[0]) == (4, 0, 1000)
    assert known.method == "clopper_pearson"


@pytest.mark.parametrize("alpha", [0, 1, -0.1, 2, np.nan, "0.1", None])
def test_alpha_outside(alpha):
    with pytest.raises(InvalidInput, match="alpha must lie strictly between 0 and 1"):
        bound(TALLY, alpha)


@pytest.mark.parametrize("alpha", [1e-300, 1e-15, 1e-6, 0.5, 0.999])
def test_alpha_at_its_edges(alpha):
    known = bound(TALLY, alpha)
    assert known.abstained[0] or 0 < known.e1[0] < known.e0[0] < 1


@pytest.mark.parametrize(
    ("argument", "value"), [("kind", "both"), ("scheme", "joint2"), ("method", "goodman")]
)
def test_unknown_names_are_listed(argument, value):
    with pytest.raises(InvalidInput, match=f"{argument} must be one of .*got '{value}'"):
        bound(TALLY, **{argument: value})


def test_alpha_of_another_precision_is_its_value_in_double():
    """float16 keeps three digits of alpha: the accounting must not."""
    for alpha in (np.float16(0.001), np.float32(0.001)):
        assert bound(TALLY, alpha).e0[0] == bound(TALLY, float(alpha)).e0[0]


def test_one_sided_boxes_lie_on_the_edge():
    """E_1 = 1 - E_0 exactly, so that cohen and two_sided are the same number."""
    from simplicert import certify

    two = Tally([[700, 300]], 1.0)
    many = Tally([[700, 200, 100]], 1.0, pilot=[[7, 2, 1]])
    for known in (
        bound(two),
        bound(many, method="one_sided"),
        bound(many, scheme="split", method="one_sided"),
    ):
        assert known.e1[0] == 1 - known.e0[0]
        certificates = certify(known)
        assert certificates.radii["cohen"][0] == certificates.radii["two_sided"][0] > 0


def test_not_a_tally():
    with pytest.raises(InvalidInput, match="tally must be a Tally, got list"):
        bound([[1, 2]])


def test_one_draw_always_abstains():
    known = bound(Tally([[1, 0, 0]], 1.0))
    assert known.abstained[0]
    assert np.isnan(known.e0[0])
    assert np.isnan(known.e1[0])


@pytest.mark.parametrize(("n", "certified"), [(14, False), (15, True)])
def test_fewest_draws_that_can_certify(n, certified):
    """At alpha = .001 the gate 2^-n <= 5e-5 needs fifteen draws."""
    assert bound(Tally([[n, 0, 0]], 1.0)).abstained[0] != certified


def test_a_billion_draws():
    known = bound(Tally([[10**9, 0, 0], [6 * 10**8, 4 * 10**8, 0]], 1.0))
    assert 1 - 1e-7 < known.e0[0] < 1
    np.testing.assert_allclose([known.e0[1], known.e1[1]], [0.6, 0.4], atol=1e-4)


def test_never_above_one_together():
    counts = np.random.default_rng(0).multinomial(200, [0.7, 0.29, 0.01], size=200)
    for scheme in ("gated", "paper"):
        known = bound(Tally(counts, 1.0), scheme=scheme)
        live = ~known.abstained
        assert (known.e1[live] <= 1 - known.e0[live]).all()
        assert (known.e1[live] > 0).all()


@pytest.mark.parametrize(
    ("n", "radius"), [(100, 1.445), (1000, 2.424), (10**4, 3.167), (10**5, 3.784)]
)
def test_largest_reachable_radius(n, radius):
    """All draws agree: the saturated radius at alpha .001, in units of sigma."""
    from simplicert import certify

    found = certify(bound(Tally([[n, 0, 0]], 1.0))).radius
    np.testing.assert_allclose(found, radius, atol=6e-4)


def test_large_tables_need_no_loop():
    """The rival is found in blocks of rows; the seam between blocks changes nothing."""
    random = np.random.default_rng(0)
    counts = random.multinomial(100, [0.5, 0.2, 0.2, 0.1], size=9000)
    known = bound(Tally(counts, 1.0))
    alone = [bound(Tally(counts[i : i + 1], 1.0)) for i in (0, 4095, 4096, 8191, 8192, 8999)]
    for i, one in zip((0, 4095, 4096, 8191, 8192, 8999), alone, strict=True):
        np.testing.assert_array_equal(known.e1[i], one.e1[0])
