"""What differs between two manifests, and whether two models gave the same outputs."""

import math

import pytest

import simplicert as sc
from simplicert.store.differences import SAME, manifest_differences, same_outputs


@pytest.mark.parametrize(
    ("before", "now", "same"),
    [
        ([0.0, 0.0], [0.5 * SAME, 0.0], True),  # where all are equal, an absolute slack is left
        ([0.0, 0.0], [3 * SAME, 0.0], False),
        ([0.0, 10.0], [9 * SAME, 10.0], True),  # else it is a share of their range
        ([0.0, 10.0], [12 * SAME, 10.0], False),
        ([math.nan, math.inf], [math.nan, math.inf], True),
        ([math.nan, math.inf], [math.nan, 0.0], False),
        ([1.0], [1.0, 2.0], False),
        (None, None, True),
        (None, [1.0], False),
    ],
)
def test_outputs_up_to_rounding(before, now, same):
    assert same_outputs(before, now) is same


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        ((100,), (100,), []),
        ((100, 300), (100,), []),  # it grew by a look meanwhile
        ((100,), (200,), [("draws", 100, 200)]),
        ((100, 300), (200,), [("draws", (100, 300), 200)]),
        ((100,), (100, 300), [("draws", 100, 300)]),
        ((100,), None, []),
        (None, (100,), [("draws", None, 100)]),
    ],
)
def test_the_draws_of_two_runs(before, now, said):
    made = [
        sc.Manifest(1.0, 5, 3, plan=looks and sc.Plan(looks, (0.5,) * len(looks)))
        for looks in (before, now)
    ]
    assert [one for one in manifest_differences(*made) if one[0] == "draws"] == said
