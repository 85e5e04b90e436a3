"""Dataset-independent facts about the mechanisms, and the functions that show them."""

import numpy as np
import pytest

import simplicert as sc
from simplicert import simplex

ENSEMBLE = sc.PAPER_ENSEMBLE["multinomial"]
OTHERS = ("cohen", "li", "lecuyer")


@pytest.fixture(scope="module")
def known():
    return simplex.make_grid(300)


def points(*pairs):
    e0, e1 = np.array(pairs).T
    return sc.Expectations(np.zeros(len(e0), dtype=int), e0, e1)


# The grid


def test_grid_points_lie_inside_the_triangle_and_off_its_sides(known):
    assert len(known) == 300**2
    assert known.sigma == 1 and known.alpha == 0 and known.kind == "multinomial"
    np.testing.assert_allclose(known.e1.min(), 1 / (6 * 300))
    np.testing.assert_allclose((known.e0 - known.e1).min(), 1 / (3 * 300))
    np.testing.assert_allclose(1 - (known.e0 + known.e1).max(), 1 / (3 * 300))


def test_grid_points_are_distinct_and_stand_for_equal_areas(known):
    assert len(np.unique(np.round([known.e0, known.e1], 9), axis=1).T) == len(known)
    # The centre of the triangle, and the part of its area right of E0 = 1/2 or below E1 = 1/4.
    np.testing.assert_allclose([known.e0.mean(), known.e1.mean()], [1 / 2, 1 / 6])
    assert np.mean(known.e0 > 0.5) == pytest.approx(1 / 2, abs=2 / 300)
    assert np.mean(known.e1 < 0.25) == pytest.approx(3 / 4, abs=2 / 300)


def test_one_step_is_the_centre_of_the_triangle():
    only = simplex.make_grid(1)
    np.testing.assert_allclose([only.e0, only.e1], [[1 / 2], [1 / 6]])


@pytest.mark.parametrize("steps", [0, -3, 2.5, "ten"])
def test_grid_refuses_what_is_no_number_of_steps(steps):
    with pytest.raises(sc.InvalidInput, match="steps must be a positive whole number"):
        simplex.make_grid(steps)


# The functions


def test_difference_and_ratio_are_those_of_the_radii():
    one = points((0.7, 0.2))
    cohen, li = (sc.radius(name, 0.7, 0.2) for name in ("cohen", "li"))
    np.testing.assert_array_equal(simplex.radius_difference("cohen", "li", one), [cohen - li])
    np.testing.assert_array_equal(simplex.radius_ratio("cohen", "li", one), [cohen / li])


def test_of_several_mechanisms_the_largest_counts():
    some = points((0.7, 0.2), (0.97, 0.02), (0.3, 0.1))
    best = np.max([sc.radius(name, some.e0, some.e1) for name in OTHERS], axis=0)
    np.testing.assert_array_equal(
        simplex.radius_ratio("improved_dp", OTHERS, some),
        sc.radius("improved_dp", some.e0, some.e1) / best,
    )


def test_sigma_plays_no_part():
    narrow, wide = (
        sc.Expectations(np.zeros(1, dtype=int), np.array([0.7]), np.array([0.2]), sigma=sigma)
        for sigma in (0.25, 2.0)
    )
    assert simplex.radius_difference("cohen", "li", narrow) == simplex.radius_difference(
        "cohen", "li", wide
    )


def test_a_function_of_the_caller_is_a_mechanism():
    def half(e0, e1):
        return sc.MECHANISMS["two_sided"].radius(e0, e1) / 2

    some = points((0.7, 0.2), (0.4, 0.3))
    np.testing.assert_allclose(simplex.radius_ratio(half, "two_sided", some), 0.5)
    np.testing.assert_allclose(simplex.radius_ratio("two_sided", {"half": half}, some), 2.0)
    np.testing.assert_array_equal(simplex.radius_ratio(sc.MECHANISMS["li"], "li", some), 1.0)
    assert simplex.winning_shares({"half": half, "tight": "two_sided"}, some) == {
        "half": 0,
        "tight": 1,
    }


def test_an_unsound_function_is_refused_by_its_name():
    def bold(e0, e1):
        return 2 * sc.MECHANISMS["two_sided"].radius(e0, e1)

    some = points((0.7, 0.2))
    with pytest.raises(sc.UnsoundMechanism, match=r"^bold returned"):
        simplex.radius_ratio(bold, "li", some)
    with pytest.raises(sc.UnsoundMechanism, match=r"^mine returned"):
        simplex.winning_shares({"mine": bold, "li": "li"}, some)


def test_a_side_is_a_list_of_mechanisms_by_name():
    row = sc.MECHANISMS["li"]
    assert simplex.gather_mechanisms("li") == ("li",)
    assert simplex.gather_mechanisms(("li", "cohen")) == ("li", "cohen")
    assert simplex.gather_mechanisms({"mine": row}) == {"mine": row}
    assert simplex.gather_mechanisms(row) == {"mechanism": row}
    assert list(simplex.gather_mechanisms(points)) == ["points"]


def test_points_are_expectations_known_exactly():
    known = simplex.make_points(np.array([0.7, 0.6]), np.array([0.1, 0.2]), "softmax")
    assert (known.sigma, known.alpha, known.kind) == (1, 0, "softmax")
    np.testing.assert_array_equal(known.e0, [0.7, 0.6])


def test_a_mechanism_of_more_than_the_pair_is_refused():
    with pytest.raises(sc.SimplicertError, match="needs score histograms"):
        simplex.radius_ratio("cdf", "lecuyer", simplex.make_grid(3, "softmax"))


def test_ratio_is_never_nan():
    only_left, only_right, neither = (0.4, 0.1), (0.4, 0.1), (0.3, 0.3)
    assert simplex.radius_ratio("li", "cohen", points(only_left)) == np.inf
    assert simplex.radius_ratio("cohen", "li", points(only_right)) == 0
    assert simplex.radius_ratio("cohen", "li", points(neither)) == 1


def test_winner_names_the_first_of_equals_and_nobody_where_nothing_is_certified():
    some = points((0.7, 0.29), (0.3, 0.3), (0.9, 0.01), (0.4, 0.1))
    assert simplex.winning_mechanism(ENSEMBLE, some).tolist() == ["cohen", "", "li", "improved_dp"]
    twice = {"first": "li", "second": "li"}
    assert simplex.winning_mechanism(twice, points((0.7, 0.2))).tolist() == ["first"]


def test_shares_are_those_of_the_winners():
    some = points((0.7, 0.29), (0.3, 0.3), (0.9, 0.01), (0.4, 0.1))
    assert simplex.winning_shares(ENSEMBLE, some) == {
        "cohen": 0.25,
        "li": 0.25,
        "improved_dp": 0.25,
    }


def test_winner_is_that_of_the_certificates():
    some = simplex.make_grid(20)
    np.testing.assert_array_equal(
        simplex.winning_mechanism(ENSEMBLE, some), sc.certify(some).winner
    )


def test_a_mechanism_without_a_proof_for_the_kind_is_refused():
    soft = simplex.make_grid(5, kind="softmax")
    with pytest.raises(sc.KindMismatch, match="'cohen' has no proof for softmax"):
        simplex.radius_ratio("improved_dp", ["lecuyer", "cohen"], soft)


def test_comparing_with_nothing_is_refused():
    with pytest.raises(sc.InvalidInput, match="at least one mechanism"):
        simplex.radius_difference("cohen", [], points((0.7, 0.2)))


# The facts


@pytest.mark.parametrize("name", ["cohen", "li", "lecuyer", "improved_dp"])
def test_two_sided_is_never_below_another_mechanism(name, known):
    """By the mechanisms' own functions too: `sc.radius` lowers whatever exceeds the limit."""
    assert simplex.radius_difference("two_sided", name, known).min() >= 0
    own, limit = (sc.MECHANISMS[m].radius(known.e0, known.e1) for m in (name, "two_sided"))
    assert (own <= limit).all()


def test_two_sided_over_the_ensemble_at_small_e1():
    """The ensemble falls well short of the limit where E1 is tiny."""
    assert simplex.radius_ratio("two_sided", ENSEMBLE, points((0.7, 3e-5))) == pytest.approx(
        1.4806, abs=1e-4
    )


def test_improved_dp_over_lecuyer_is_largest_at_the_corner_of_two_halves(known):
    """The paper says five-fold at most; there is no maximum, and past five it grows slowly.

    Towards the side E0 = E1 the improved radius falls like the margin E0 - E1, Lecuyer's like the
    margin over sqrt(log(1 / margin)). At one margin the ratio is largest at the corner.
    """
    soft = simplex.make_grid(300, kind="softmax")
    gain = simplex.radius_ratio("improved_dp", "lecuyer", soft)
    assert gain.min() > 1  # never outperformed
    assert gain.max() == pytest.approx(6.098, abs=1e-3)
    at = gain.argmax()
    corner = np.hypot(soft.e0 - 0.5, soft.e1 - 0.5)
    assert corner[at] == corner.min()
    assert corner[gain > 5].max() < 0.2
    margins = np.geomspace(1e-2, 1e-6, 5)
    nearer = points(*((0.5 + m, 0.5 - m) for m in margins))
    gains = simplex.radius_ratio("improved_dp", "lecuyer", nearer)
    assert (np.diff(gains) > 0).all() and gains[-1] > 7.5


def test_improved_dp_more_than_doubles_the_best_other_at_small_expectations(known):
    gain = simplex.radius_ratio("improved_dp", OTHERS, known)
    doubled = gain > 2
    assert gain.max() == pytest.approx(2.384, abs=1e-3)
    assert known.e0[doubled].max() < 0.12
    assert known.e1[doubled].max() < 0.03


def test_cohen_beats_li_only_near_the_edge(known):
    """Where Cohen wins, E0 + E1 > 0.924: the least sum on the curve L_Cohen = L_Li.

    For fixed E0 > 1/2 Li's radius falls as E1 grows and Cohen's stays, so one bisection an E0
    places the curve; its least sum is 0.92401, near (0.774, 0.150).
    """
    total = known.e0 + known.e1
    beaten = simplex.radius_difference("cohen", "li", known) > 0
    assert total[beaten].min() == pytest.approx(0.9244, abs=1e-3)
    assert beaten.mean() == pytest.approx(0.102, abs=1e-3)
    curve = crossing(np.linspace(0.501, 0.999, 499))
    assert 0.924 < curve.min() == pytest.approx(0.92401, abs=1e-5)
    assert (total[beaten] > curve.min()).all()


def test_on_the_edge_itself_cohen_always_beats_li():
    """There Cohen's one-sided radius is the two-sided one, which nothing true exceeds."""
    e0 = np.linspace(0.501, 0.999, 499)
    edge = points(*zip(e0, 1 - e0, strict=True))
    assert (simplex.radius_difference("cohen", "li", edge) > 0).all()


def crossing(e0):
    """E0 + E1 where Cohen's and Li's radii are equal, by bisection in E1."""
    low, high = np.full(e0.shape, 1e-12), 1 - e0
    for _ in range(30):
        e1 = (low + high) / 2
        li_larger = simplex.radius_difference("cohen", "li", points(*zip(e0, e1, strict=True))) < 0
        low, high = np.where(li_larger, e1, low), np.where(li_larger, high, e1)
    return e0 + low


def test_each_member_of_the_ensemble_wins_somewhere(known):
    shares = simplex.winning_shares(ENSEMBLE, known)
    assert list(shares) == list(ENSEMBLE)
    assert sum(shares.values()) == pytest.approx(1)
    assert shares == pytest.approx({"cohen": 0.052, "li": 0.107, "improved_dp": 0.841}, abs=1e-3)


def test_lecuyer_beats_li_at_small_e0(known):
    """The paper calls Lecuyer uniformly outperformed; its equations say otherwise.

    As E0 falls at a fixed E0 / E1, Li's radius falls like sqrt(E0), Lecuyer's only like
    1 / sqrt(log(1 / E0)).
    """
    beaten = simplex.radius_difference("lecuyer", "li", known) > 0
    assert beaten.mean() == pytest.approx(0.0058, abs=2e-4)
    assert 0.09 < known.e0[beaten].max() < 0.11
    assert simplex.radius_ratio("lecuyer", "li", points((1e-3, 3e-4))) > 5


def test_lecuyer_never_beats_the_ensemble(known):
    assert simplex.winning_shares((*ENSEMBLE, "lecuyer"), known)["lecuyer"] == 0
