"""Whether two models gave the same outputs, but for the rounding of other machines."""

import math

import pytest

from simplicert.store.differences import SAME, same_outputs


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
