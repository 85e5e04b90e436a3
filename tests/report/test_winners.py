"""The borders of the winner map are where the leader changes, and its regions are true."""

import base64
from itertools import pairwise

import numpy as np
import pytest

from simplicert import simplex
from simplicert.mechanisms.naming import example_threats
from simplicert.report import winners
from simplicert.report.payload import grid_points
from simplicert.report.winners import NOBODY, winner_cells, winner_columns, winner_map

BESIDE = 1e-6  # of E_1: borders are stored with nine digits


@pytest.fixture(scope="module")
def columns():
    """The stored regions: E_0 -> borders, and leaders between them."""
    found = winner_map(simplex.GAUSSIAN, "multinomial", *grid_points(20))
    leaders = [[found["names"][place] for place in between] for between in found["between"]]
    borders = [np.array(e1) for e1 in found["borders"]]
    return dict(zip(found["e0"], zip(borders, leaders, strict=True), strict=True))


@pytest.mark.slow
def test_what_is_stored_is_what_is_found(columns):
    found = winner_columns(simplex.GAUSSIAN, "multinomial")
    assert list(columns) == pytest.approx(list(found), abs=1e-9)
    for (stored, names), (borders, leaders) in zip(columns.values(), found.values(), strict=True):
        assert names == leaders
        assert stored == pytest.approx(borders, rel=1e-6)


def leaders_at(e0, e1, threat=simplex.GAUSSIAN, kind="multinomial"):
    usual = simplex.usual_mechanisms(threat, kind)
    points = simplex.make_points(np.atleast_1d(e0), np.atleast_1d(e1), kind)
    return simplex.leading_mechanisms(usual, points, threat)


def test_the_leader_changes_at_every_border(columns):
    borders = [
        (e0, e1, *pair)
        for e0, (found, leaders) in columns.items()
        for e1, pair in zip(found, pairwise(leaders), strict=True)
    ]
    e0, e1 = np.array([row[:2] for row in borders]).T
    step = np.maximum(BESIDE * e1, 1e-16)
    assert leaders_at(e0, e1 - step).tolist() == [row[2] for row in borders]
    assert leaders_at(e0, e1 + step).tolist() == [row[3] for row in borders]
    assert len(borders) > 80


def test_points_between_columns_lie_in_the_region_that_is_drawn(columns):
    """Between two columns a border is drawn straight: only points next to it may differ."""
    random = np.random.default_rng(0)
    points = np.sort(random.dirichlet([1, 1, 1], 600), axis=1)[:, :0:-1]
    at, wrong = np.array(list(columns)), 0
    true = leaders_at(*points.T)
    for (e0, e1), name in zip(points, true, strict=True):
        right = int(np.clip(np.searchsorted(at, e0), 1, len(at) - 1))
        (low, names), (high, others) = columns[at[right - 1]], columns[at[right]]
        if names != others:
            continue
        share = (e0 - at[right - 1]) / (at[right] - at[right - 1])
        edges = (1 - share) * low + share * high
        wrong += names[int(np.searchsorted(edges, e1))] != name
    assert wrong <= 2


def test_columns_of_different_leaders_stand_close(columns):
    at = list(columns)
    for left, right in pairwise(at):
        if columns[left][1] != columns[right][1]:
            assert right - left < 0.001


def test_softmax_is_one_region_and_named():
    found = winner_map(simplex.GAUSSIAN, "softmax", *grid_points(20))
    assert {place for between in found["between"] for place in between} == {1}
    assert [look["label"] for look in found["looks"]] == ["Lecuyer", "improved DP"]


def test_whole_numbers_are_cells_and_ties_are_said():
    e0, e1 = grid_points(20)
    inside = e0 + e1 < 0.99
    for threat in example_threats():
        if not threat.whole:
            continue
        found = winner_cells(threat, "multinomial", e0, e1)
        at = np.frombuffer(base64.b64decode(found["at"]), np.uint8)[inside]
        best = leaders_at(e0[inside], e1[inside], threat)
        named = [found["names"][place] if place != NOBODY else "" for place in at]
        assert named == best.tolist()
        assert any(simplex.TIE in look["label"] for look in found["looks"])
    assert winners.winner_map(example_threats()[4], "softmax", e0, e1) == {"names": [], "looks": []}
