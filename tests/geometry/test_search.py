"""The pilot's choice: inside the box, better than the input by its own forecast, or none."""

from types import SimpleNamespace

import numpy as np
import pytest
from boxed import EDGE, MIDDLE, SIGMA, WEIGHTS, line_radius, true_radius
from scipy.special import ndtr, ndtri

from simplicert.errors import InvalidInput
from simplicert.geometry import NeighbourSearch, box_radius
from simplicert.geometry.search import (
    Forecasts,
    _two_sided_weights,
    choose_neighbour,
    count_pilot_draws,
)

MANY = 10**6  # draws of a look here, whose shares are exact
SEARCH = NeighbourSearch(pilot=MANY, steps=3)
TRUTH = Forecasts(lambda counts: line_radius(EDGE), lambda counts, top: radius_of(counts))


def radius_of(counts):
    """The radius that exact shares prove, for class 0."""
    return max(0.0, SIGMA * float(ndtri(counts[0] / counts.sum())))


class ExactPoint:
    """The smoothed linear classifier; it remembers where it was asked."""

    def __init__(self):
        """Nothing was asked yet."""
        self.sampler = SimpleNamespace(
            settings=SimpleNamespace(smoothing=SimpleNamespace(sigma=SIGMA))
        )
        self.seen, self.draws = [], 0

    def look(self, point, draws):
        """Exact shares, whatever the number of draws."""
        self.seen.append(point)
        self.draws += draws
        share = ndtr(line_radius(point) / SIGMA)
        return SimpleNamespace(shares=np.array([share, 1 - share]))


class ExactSlope:
    """Its gradient, downhill for the class."""

    name, draws = "network", 0

    def direction(self, ball, offset, loss):
        """The same everywhere."""
        self.draws += 16
        return -WEIGHTS


def test_an_edge_has_a_neighbour_that_proves_more():
    smoothed, slope = ExactPoint(), ExactSlope()
    point = choose_neighbour(EDGE, smoothed, slope, SEARCH, TRUTH)
    assert point.dtype == np.float32 and ((point >= 0) & (point <= 1)).all()
    found = box_radius(EDGE, point, line_radius(point))
    truth = true_radius(EDGE)
    assert line_radius(EDGE) < 0.9 * truth  # there is something to gain
    assert found <= truth and found > 0.99 * truth  # three steps find nearly all of it
    assert all(((seen >= 0) & (seen <= 1)).all() for seen in smoothed.seen)
    assert count_pilot_draws(smoothed, slope) == len(smoothed.seen) * MANY + 3 * slope.draws


def test_nothing_is_spent_where_the_foot_is_inside_the_box():
    """At x - r g the class changes inside the box: nothing to gain, and one look to see it."""
    smoothed, slope = ExactPoint(), ExactSlope()
    here = Forecasts(lambda counts: 0.0, TRUTH.at_neighbour)
    assert choose_neighbour(MIDDLE, smoothed, slope, SEARCH, here) is None
    assert len(smoothed.seen) == 1 and slope.draws == 16


def test_stays_where_no_point_is_better_by_the_forecast():
    hopeless = Forecasts(lambda counts: 10.0, TRUTH.at_neighbour)
    assert choose_neighbour(EDGE, ExactPoint(), ExactSlope(), SEARCH, hopeless) is None


def test_stays_without_a_slope():
    slope = SimpleNamespace(direction=lambda *_: None, name="noise", draws=0)
    assert choose_neighbour(EDGE, ExactPoint(), slope, SEARCH, TRUTH) is None


def test_weights_follow_the_slope_of_the_two_sided_radius():
    scores, step = np.array([0.7, 0.25, 0.05]), 1e-6
    weights = _two_sided_weights(scores, 0, 2)
    assert weights[2] == 0 and weights[0] < 0 < weights[1]
    rise = [(ndtri(p * np.exp(step)) - ndtri(p * np.exp(-step))) / (2 * step) for p in scores[:2]]
    assert -weights[0] / weights[1] == pytest.approx(rise[0] / rise[1], rel=1e-4)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"share": 1.0}, "share must lie strictly between 0 and 1, got 1.0"),
        ({"share": float("nan")}, "share must lie strictly"),
        ({"pilot": 0}, "pilot must be a whole number in 1"),
        ({"draws": -1}, "draws must be a whole number in 1"),
        ({"copies": True}, "copies must be a whole number"),
        ({"steps": 1.5}, "steps must be a whole number"),
        ({"seed": -1}, "seed must be a whole number from 0 on"),
    ],
)
def test_refuses_settings_that_make_no_sense(settings, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        NeighbourSearch(**settings)
