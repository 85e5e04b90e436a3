"""The simplex of every threat: one noise and one norm at a time, ties said, whole numbers whole."""

import numpy as np
import pytest

import simplicert as sc
from simplicert import simplex
from simplicert.mechanisms.naming import describe_threat, describe_unit, example_threats
from simplicert.mechanisms.splitting import whole_steps
from simplicert.mechanisms.threats import find_threat, list_threats
from simplicert.noises import NOISES
from simplicert.simplex.overview import summarise_comparison, summarise_winners
from simplicert.simplex.regions import MOST_STEPS, trace_tie_borders
from simplicert.tables.simplex import comparison_table, winner_table

THREATS = example_threats()
LAPLACE = find_threat("laplace")
ABLATION = find_threat("ablation", size=784, keep=45)
DELETION = find_threat("deletion", rate=0.8)
UNIFORM = find_threat("uniform")


def some_points(count=2000, seed=0):
    """Points all over the triangle, its corners too."""
    random = np.random.default_rng(seed)
    e0 = random.uniform(0.01, 0.999, count)
    e1 = np.minimum(e0, 1 - e0) * random.uniform(0.001, 0.999, count) ** random.choice(
        [1, 4], count
    )
    return simplex.make_points(e0, e1)


def test_there_is_an_example_of_every_noise():
    assert {threat.noise for threat in THREATS} == {noise for noise, _ in list_threats()}
    for threat in THREATS:
        assert threat.norm == NOISES[threat.noise].norms[0]
        assert threat.norm in describe_threat(threat) and threat.noise in describe_threat(threat)
    assert len({describe_threat(threat) for threat in THREATS}) == len(THREATS)


def test_numbers_may_be_given():
    (found,) = (t for t in example_threats(size=100, keep=7) if t.noise == "ablation")
    assert describe_threat(found) == "ablation noise (size 100, keep 7) in l0"
    assert describe_unit(found) == "features (l0)"
    assert describe_unit(UNIFORM) == "l1 / scale"


@pytest.mark.parametrize("threat", THREATS, ids=lambda threat: threat.noise)
def test_radii_are_those_of_radius(threat):
    known = some_points(50)
    about = {"noise": threat.noise, "norm": threat.norm, **threat.numbers}
    for name, row in threat.mechanisms.items():
        if row.needs == "pair":
            found = simplex.largest_side_radius(name, known, threat)
            if threat.noise == "splitting":  # the map is of the scale; radii go down to whole steps
                found = whole_steps(found, 255)
            np.testing.assert_array_equal(found, sc.radius(name, known.e0, known.e1, **about))


def test_the_papers_threat_is_the_default():
    known = some_points(100)
    gaussian = find_threat()
    for compare in (simplex.radius_ratio, simplex.radius_difference):
        np.testing.assert_array_equal(
            compare("li", "cohen", known), compare("li", "cohen", known, gaussian)
        )
    assert gaussian.of_paper and not LAPLACE.of_paper and not find_threat(norm="l1").of_paper


@pytest.mark.parametrize("threat", THREATS, ids=lambda threat: threat.noise)
def test_a_limit_is_never_below_any_radius(threat):
    known = some_points(300)
    pairs = [name for name, row in threat.mechanisms.items() if row.needs == "pair"]
    best = simplex.largest_side_radius(pairs, known, threat)
    np.testing.assert_allclose(
        best, simplex.largest_side_radius("two_sided", known, threat), rtol=1e-9, atol=1e-9
    )


def test_a_ratio_is_infinite_where_the_right_side_is_0_and_1_where_both_are():
    known = simplex.make_points(np.array([0.45, 0.1, 0.9]), np.array([0.1, 0.09, 0.02]))
    ratio = simplex.radius_ratio("two_sided", "one_sided", known, ABLATION)
    one, two = (sc.radius(n, 0.9, 0.02, noise="ablation", size=784, keep=45) for n in
                ("one_sided", "two_sided"))  # fmt: skip
    assert ratio.tolist() == [np.inf, 1.0, two / one]


def test_ties_are_named_and_winners_are_the_first():
    known = simplex.make_points(np.array([0.9, 0.9, 0.4, 0.1]), np.array([0.09, 0.001, 0.1, 0.09]))
    names = ("one_sided", "two_sided")
    leading = simplex.leading_mechanisms(names, known, ABLATION)
    assert leading.tolist() == ["one_sided = two_sided", "two_sided", "two_sided", ""]
    first = simplex.winning_mechanism(names, known, ABLATION)
    assert first.tolist() == ["one_sided", "two_sided", "two_sided", ""]
    shares = simplex.winning_shares(names, known, ABLATION)
    assert shares == {"one_sided": 0, "two_sided": 0.5, "one_sided = two_sided": 0.25}


def test_li_and_pure_privacy_leave_nothing_to_teng():
    """Li's bound tends to -log(1 - D) for large omega, and improved DP contains pure privacy."""
    known = some_points(400)
    best = simplex.largest_side_radius(("li", "improved_dp"), known, LAPLACE)
    teng = simplex.largest_side_radius("teng", known, LAPLACE)
    assert (best >= teng * (1 - 1e-9)).all()


@pytest.mark.slow
def test_of_the_laplace_ensemble_li_and_a_tie_remain():
    shares = simplex.winning_shares(
        simplex.usual_mechanisms(LAPLACE, "multinomial"), simplex.make_grid(100), LAPLACE
    )
    assert shares.pop("teng = improved_dp") == pytest.approx(0.726, abs=0.01)
    assert shares.pop("li") == pytest.approx(0.274, abs=0.01)
    assert set(shares.values()) == {0.0}


def test_mechanisms_of_two_threats_are_not_compared():
    known = some_points(3)
    other = {"mine": sc.Mechanism(lambda e0, e1: e0 - e1, frozenset({"multinomial"}), "a test")}
    with pytest.raises(
        sc.InvalidInput, match="'mine' must be proved for laplace noise and norm l1"
    ):
        simplex.radius_ratio(other, "teng", known, LAPLACE)
    with pytest.raises(sc.InvalidInput, match="'cohen' has no proof for laplace noise"):
        simplex.radius_ratio("cohen", "teng", known, LAPLACE)


def test_a_function_of_ones_own_is_held_to_the_limit_of_the_threat():
    known = some_points(100)
    with pytest.raises(sc.UnsoundMechanism, match="above the limit"):
        simplex.radius_ratio(lambda e0, e1: 2 * (e0 - e1), "two_sided", known, UNIFORM)
    half = simplex.radius_ratio(lambda e0, e1: (e0 - e1) / 2, "two_sided", known, UNIFORM)
    np.testing.assert_allclose(half, 0.5)


def test_the_usual_mechanisms_are_the_ensemble_or_all():
    assert simplex.usual_mechanisms(find_threat(), "softmax") == sc.PAPER_ENSEMBLE["softmax"]
    assert simplex.usual_mechanisms(UNIFORM, "multinomial") == ("one_sided", "two_sided")
    assert simplex.usual_mechanisms(UNIFORM, "softmax") == ("two_sided",)


# Borders


@pytest.mark.slow
def test_borders_of_steps_are_exact():
    """On a line the second expectation changes the number of edits: 1e-6 away it has."""
    names = ("one_sided", "two_sided")
    borders = trace_tie_borders(names, "multinomial", DELETION)
    assert {tuple(pair) for pair in borders} <= {
        ("two_sided", "one_sided = two_sided"),
        ("two_sided", ""),
        ("one_sided = two_sided", ""),
    }
    (curve, *_) = borders["two_sided", "one_sided = two_sided"]
    inside = (curve.e1 > 1e-3) & (curve.e0 + curve.e1 < 0.999)
    around = [
        simplex.leading_mechanisms(
            names, simplex.make_points(curve.e0[inside] + x, curve.e1[inside] + y), DELETION
        )
        for x, y in ((1e-6, 0), (-1e-6, 0), (0, 1e-6), (0, -1e-6))
    ]
    assert inside.sum() > 50
    assert ((np.stack(around) == "two_sided").any(axis=0)).all()
    assert ((np.stack(around) == "one_sided = two_sided").any(axis=0)).all()


def test_too_many_steps_have_no_lines():
    many = find_threat("ablation", size=784, keep=2)
    assert simplex.largest_side_radius("two_sided", some_points(50), many).max() > MOST_STEPS
    assert trace_tie_borders(("one_sided", "two_sided"), "multinomial", many) == {}


# Records and tables


def rows(threat, *names):
    return {name: threat.mechanisms[name] for name in names}


@pytest.mark.slow
def test_a_record_names_its_threat_and_its_ties():
    threat = DELETION
    record = summarise_winners(rows(threat, "one_sided", "two_sided"), "multinomial", 50, threat)
    assert (record["noise"], record["norm"], record["rate"]) == ("deletion", "edits", 0.8)
    assert "sigma" not in record and "scale" not in record
    shown = winner_table(record, threat)
    assert shown.title == (
        "largest radius over the simplex, multinomial, deletion noise (rate 0.8) in edits"
    )
    assert [row[0] for row in shown.rows] == [
        "one_sided", "two_sided", "one_sided = two_sided", "(none)"
    ]  # fmt: skip
    assert sum(float(row[1].split()[0]) for row in shown.rows) == pytest.approx(100, abs=0.2)


@pytest.mark.slow
def test_a_comparison_says_unit_and_scale():
    sides = rows(UNIFORM, "two_sided"), rows(UNIFORM, "one_sided")
    for measure, words in (("ratio", "whatever scale"), ("difference", "difference of l1 / scale")):
        record = summarise_comparison(measure, *sides, "multinomial", 50, UNIFORM)
        assert record["scale"] == 1.0 and record["neither"] == 0
        title = comparison_table(record, UNIFORM).title
        assert title.endswith(f"multinomial, uniform noise in l1, {words}")
    assert record["largest"]["value"] == pytest.approx(0.5, abs=1e-3)  # at (1/2, 0)
