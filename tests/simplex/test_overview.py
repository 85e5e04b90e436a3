"""The numbers that `simplicert simplex` prints."""

import json

import numpy as np
import pytest

import simplicert as sc
from simplicert.simplex.overview import summarise_comparison, summarise_winners

pytestmark = pytest.mark.slow


def table(*names):
    return {name: sc.MECHANISMS[name] for name in names}


@pytest.fixture(scope="module")
def ratio():
    return summarise_comparison(
        "ratio", table("improved_dp"), table("cohen", "li", "lecuyer"), "multinomial"
    )


@pytest.fixture(scope="module")
def winner():
    return summarise_winners(table("cohen", "li", "improved_dp"), "multinomial")


@pytest.mark.slow
def test_a_comparison_holds_the_papers_facts(ratio):
    assert ratio["largest"]["value"] > 2
    assert ratio["largest"]["e0"] < 0.1
    assert ratio["smallest"]["value"] < 0.5
    assert ratio["shares"] == pytest.approx(
        {"improved_dp": 0.841, "cohen": 0.052, "li": 0.107, "lecuyer": 0.0}, abs=1e-3
    )
    assert ratio["left_larger"] == ratio["shares"]["improved_dp"]
    total = ratio["left_larger"] + ratio["right_larger"] + ratio["equal"]
    assert total == pytest.approx(1)


def test_lines_are_points_where_both_are_equal(ratio):
    (line,) = ratio["lines"]
    e0, e1 = np.array(line["points"]).T
    ordinary = 1 - e0 > 1e-6
    best = np.max([sc.radius(name, e0, e1) for name in ratio["right"]], axis=0)
    ours = sc.radius("improved_dp", e0, e1)
    np.testing.assert_allclose(ours[ordinary], best[ordinary], rtol=1e-8, atol=1e-11)


@pytest.mark.slow
def test_a_difference_of_one_sign():
    found = summarise_comparison(
        "difference", table("improved_dp"), table("lecuyer"), "softmax", steps=50
    )
    assert found["smallest"]["value"] > 0
    assert found["left_larger"] == 1 and found["lines"] == []
    assert (found["map"], found["steps"], found["kind"]) == ("difference", 50, "softmax")


@pytest.mark.slow
def test_where_only_the_left_certifies_the_ratio_is_infinite():
    found = summarise_comparison("ratio", table("li"), table("cohen"), "multinomial", steps=50)
    assert found["only_left"] == pytest.approx(0.5, abs=0.02)
    assert np.isfinite(found["largest"]["value"])


def test_equals_are_equal():
    found = summarise_comparison(
        "ratio", table("li"), {"same": sc.MECHANISMS["li"]}, "multinomial", steps=20
    )
    assert (found["equal"], found["left_larger"], found["right_larger"]) == (1, 0, 0)
    assert found["smallest"]["value"] == found["largest"]["value"] == 1


@pytest.mark.slow
def test_winners_and_their_leads(winner):
    assert winner["shares"] == pytest.approx(
        {"cohen": 0.052, "li": 0.107, "improved_dp": 0.841}, abs=1e-3
    )
    assert set(winner["leads"]) == set(winner["shares"])
    for name, lead in winner["leads"].items():
        others = [other for other in winner["mechanisms"] if other != name]
        best = max(sc.radius(other, lead["e0"], lead["e1"]) for other in others)
        assert lead["value"] == pytest.approx(sc.radius(name, lead["e0"], lead["e1"]) / best)
        assert lead["value"] > 1.2
    assert [line["between"] for line in winner["lines"]] == [
        ["cohen", "li"],
        ["cohen", "improved_dp"],
        ["li", "improved_dp"],
    ]


def test_numbers_are_json(ratio, winner):
    for record in (ratio, winner):
        assert json.loads(json.dumps(record, allow_nan=False))["sigma"] == 1


def test_one_mechanism_has_nobody_to_beat():
    with pytest.raises(sc.InvalidInput, match="at least two to compare, got 'li'"):
        summarise_winners(table("li"), "multinomial")
    with pytest.raises(sc.InvalidInput, match="measure must be one of ratio, difference"):
        summarise_comparison("product", table("li"), table("cohen"), "multinomial")
