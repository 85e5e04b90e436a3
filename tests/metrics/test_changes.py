"""What a comparison says of its inputs: who counts where, who agrees, and the record of it."""

import json

import numpy as np
import pytest
from certified import drawn, stated

import simplicert as sc
from simplicert.errors import InvalidInput
from simplicert.metrics.changes import counted_inputs


@pytest.fixture(scope="module")
def both():
    return sc.compare(drawn(), drawn(seed=0), names=["old", "new"])


def make_pair(labels):
    """Four inputs: same class and farther, flipped, abstained by the second, by both."""
    first = sc.Tally([[980, 10, 10], [900, 90, 10], [900, 90, 10], [400, 390, 210]], 0.5, labels)
    second = sc.Tally([[999, 1, 0], [90, 900, 10], [400, 390, 210], [400, 390, 210]], 0.5, labels)
    return sc.compare(*(sc.certify(sc.bound(tally)) for tally in (first, second)))


def test_an_abstention_has_no_class_and_radius_0():
    found = make_pair([0, 1, 0, 0])
    assert found.first_class.tolist() == [0, 0, 0, -1]
    assert found.second_class.tolist() == [0, 1, -1, -1]
    assert found.second_radius[2:].tolist() == [0, 0]
    assert np.isnan(found.second_pair[2:]).all() and not np.isnan(found.second_pair[:2]).any()
    assert found.agreement == {
        "same": 1, "flipped": 1, "only_first": 1, "only_second": 0, "neither": 1
    }  # fmt: skip
    assert found.flipped.tolist() == [False, True, False, False]


def test_gained_and_lost_go_by_the_label_where_there_is_one():
    labelled, bare = make_pair([0, 1, 0, 0]), make_pair(None)
    assert labelled.gained(0).tolist() == [False, True, False, False]  # from wrong to right
    assert bare.gained(0).tolist() == [False] * 4  # certified before, as another class
    assert labelled.lost(0).tolist() == bare.lost(0).tolist() == [False, False, True, False]
    assert labelled.labelled and not bare.labelled
    assert bare.average_radius is None and bare.average_radius_p is None
    assert bare.first.hits[0] == 3 and bare.second.hits[0] == 2


def test_a_radius_must_be_a_number_at_least_0(both):
    for radius in (-0.1, float("nan")):
        with pytest.raises(InvalidInput, match="radius must"):
            both.gained(radius)


def test_a_closed_radius_counts_at_its_own_size():
    classes, radii, at = np.array([0, 0, -1]), np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0])
    closed = counted_inputs(classes, radii, at, None, closed=True)
    assert closed.tolist() == [[True, True], [True, False], [False, False]]
    assert not counted_inputs(classes, radii, at, None, closed=False)[1:].any()


def test_the_record_is_json_and_whole(both):
    record = json.loads(json.dumps(both.record(), allow_nan=False))
    assert record["names"] == ["old", "new"] and record["inputs"] == len(both.index)
    assert [row["radius"] for row in record["curve"]] == both.difference.at.tolist()
    assert record["curve"][0]["value"] == 0 and record["curve"][0]["p"] == 1
    assert len(record["rows"]) == len(both.index)
    abstained = int((both.first_class < 0).sum())
    assert sum(row["first_class"] is None for row in record["rows"]) == abstained > 0
    assert record["average_radius"]["difference"] == 0 and record["average_radius"]["p"] == 1


def test_the_record_without_labels():
    record = make_pair(None).record()
    assert record["average_radius"] is None and record["share"] == "certified"
    assert {row["label"] for row in record["rows"]} == {None}


def test_it_says_who_it_is(both):
    assert repr(both).startswith("Comparison(new against old, 60 inputs: ")


def test_radii_of_a_column_decide():
    first = stated([True, True], two_sided=[0.5, 0.5], cohen=[0.0, 0.3])
    second = stated([True, True], two_sided=[0.6, 0.6], cohen=[0.2, 0.1])
    found = sc.compare(first, second, column="cohen")
    assert found.gained(0).tolist() == [True, False]
    assert found.lost(0.2).tolist() == [False, True]
