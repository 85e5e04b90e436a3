"""The riskiest inputs stand first."""

from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simplicert.report.views import describe_risk_order, risk_order


def view(radius, right=None, index=None):
    radius = np.array(radius, dtype=float)
    abstained = ~(radius > 0)
    return SimpleNamespace(
        radius=radius,
        abstained=abstained,
        correct=None if right is None else ~abstained & np.array(right),
        labels=None if right is None else np.zeros(len(radius), int),
        index=np.arange(len(radius)) if index is None else np.array(index),
    )


def test_wrong_promises_then_none_then_the_weakest():
    right = [True, False, True, False, True, False]
    found = risk_order(view([0.5, 0.2, 0.1, 0.9, 0.0, 0.0], right))
    assert found.tolist() == [3, 1, 4, 5, 2, 0]


def test_without_labels_by_rising_radius():
    assert risk_order(view([0.5, 0.0, 0.2])).tolist() == [1, 2, 0]
    assert "abstentions" in describe_risk_order(view([0.5]))
    assert describe_risk_order(view([0.5])) != describe_risk_order(view([0.5], [True]))


def test_ties_stand_by_number():
    assert risk_order(view([0.5, 0.5, 0.5], [False] * 3, index=[30, 10, 20])).tolist() == [1, 2, 0]


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.1, 0.5]), st.booleans()), min_size=1))
def test_every_input_once_and_no_group_mixed(rows):
    radius, right = (list(column) for column in zip(*rows, strict=True))
    shown = view(radius, right)
    order = risk_order(shown)
    assert sorted(order.tolist()) == list(range(len(rows)))
    group = [0 if radius[i] > 0 and not right[i] else 1 if radius[i] == 0 else 2 for i in order]
    assert group == sorted(group)
