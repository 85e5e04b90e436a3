"""Score bands are probabilities, one row an input, and cannot be written to."""

import numpy as np
import pytest

from simplicert import InvalidInput
from simplicert.types import ScoreBands
from simplicert.types.histogram import BINS

LOW, HIGH = np.full((2, BINS), 0.6), np.full((2, 3, BINS), 0.3)


def test_bands():
    bands = ScoreBands(LOW, HIGH)
    assert len(bands) == 2
    for values in (bands.lower, bands.upper):
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 0.5


@pytest.mark.parametrize(
    ("lower", "upper", "message"),
    [
        (LOW[:, 1:], HIGH, r"lower must have shape \(any, 64\)"),
        (LOW, HIGH[:1], r"upper must have shape \(2, any, 64\)"),
        (LOW * 2, HIGH, r"score bands \(lower\) must lie in \[0, 1\]"),
        (LOW, HIGH - 1, r"score bands \(upper\) must lie in \[0, 1\]"),
        (LOW * np.nan, HIGH, r"score bands \(lower\) must lie in \[0, 1\]"),
    ],
)
def test_refused_input(lower, upper, message):
    with pytest.raises(InvalidInput, match=message):
        ScoreBands(lower, upper)
