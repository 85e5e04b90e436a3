"""Score bands are probabilities, one row an input, and cannot be written to."""

import numpy as np
import pytest

from simplicert import InvalidInput, Tally, bound
from simplicert.types import FIXED_POINT, ScoreBands
from simplicert.types.scores import BINS

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


def test_where_nothing_is_proved_nothing_is_shown():
    """A refused certificate shows no bounds: what is left there holds of every score."""
    shown = ScoreBands(LOW, HIGH).only(np.array([True, False]))
    np.testing.assert_array_equal(shown.lower, [LOW[0], np.zeros(BINS)])
    np.testing.assert_array_equal(shown.upper, [HIGH[0], np.ones((3, BINS))])


def test_bound_hides_the_bands_of_refused_inputs():
    counts = np.array([[95, 3, 2], [40, 38, 22]])
    sums = counts << FIXED_POINT
    histograms = np.zeros((2, 3, BINS), np.int64)
    for place in range(2):
        histograms[:, place, -1], histograms[:, place, 0] = counts[:, place], 100 - counts[:, place]
    histograms[:, 2, 0] = 100
    tally = Tally(
        counts, 1.0, votes=counts, softmax_sums=sums, softmax_squares=sums,
        leaders=[[0, 1]] * 2, histograms=histograms,
    )  # fmt: skip
    known = bound(tally, 0.01, "softmax")
    assert known.refused.tolist() == [False, True]
    assert known.bands.lower[0].max() > 0.5
    assert not known.bands.lower[1].any()
    assert (known.bands.upper[1] == 1).all()
