"""The bound inside the box is never above the truth, where the truth is known."""

from fractions import Fraction

import numpy as np
import pytest
from boxed import line_radius, true_radius
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from simplicert.errors import InvalidInput
from simplicert.geometry import best_offset, box_cost, box_radius

unit = st.floats(0, 1, width=32)
FEW = settings(max_examples=30, deadline=None)


@st.composite
def boxed_points(draw, count=2):
    """Points of a box of two to six features, many of whose values are on a face."""
    size = draw(st.integers(2, 6))
    value = st.one_of(st.sampled_from([0.0, 1.0]), unit)
    rows = st.lists(value, min_size=size, max_size=size)
    return [np.array(draw(rows)) for _ in range(count)]


def slopes_like(points, seed):
    weights = np.random.default_rng(seed).normal(size=points[0].size)
    return weights / np.linalg.norm(weights)


@FEW
@given(boxed_points(), st.integers(0, 10**6), st.floats(0.01, 1.0))
def test_never_above_the_truth_of_a_linear_classifier(points, seed, distance):
    x, other = points
    weights = slopes_like(points, seed)
    bias = distance - x @ weights
    around = line_radius(other, weights, bias)
    found = box_radius(x, other, max(0.0, around))
    assert found <= true_radius(x, weights, bias) * (1 + 1e-9)


@FEW
@given(boxed_points(1), st.integers(0, 10**6), st.floats(0.01, 1.0))
def test_reaches_the_truth_of_a_linear_classifier(points, seed, distance):
    """docs/geometry.md: v = best_offset at radius t, with t = r(x + v), proves all there is."""
    (x,) = points
    weights = slopes_like(points, seed)
    bias = distance - x @ weights
    truth = true_radius(x, weights, bias)
    if truth > 5:  # no boundary inside the box, or hardly
        return
    low, high = 0.0, 1e3  # the t of the dual
    for _ in range(100):
        t = (low + high) / 2
        change = np.clip(-t * weights, -x, 1 - x)
        low, high = (t, high) if (x + change) @ weights + bias > 0 else (low, t)
    foot = x - low * weights
    other = x + np.clip(foot, 0, 1) - foot
    found = box_radius(x, other, max(0.0, line_radius(other, weights, bias)))
    assert found == pytest.approx(truth, abs=1e-6)
    assert found >= distance - 1e-6  # never below the radius without the box


def shares_on_a_line(y, cuts, classes, sigma):
    """Exact probabilities of the classes at y, which own the pieces between the cuts."""
    edges = np.concatenate([[-np.inf], cuts, [np.inf]])
    mass = np.diff(ndtr((edges - np.asarray(y)[..., None]) / sigma))
    return np.stack([mass[..., classes == c].sum(axis=-1) for c in range(3)], axis=-1)


@st.composite
def lines(draw):
    cuts = np.sort(draw(st.lists(st.floats(-0.5, 1.5), min_size=3, max_size=6)))
    classes = draw(st.lists(st.integers(0, 2), min_size=len(cuts) + 1, max_size=len(cuts) + 1))
    return cuts, np.array(classes), draw(st.floats(0.1, 0.6))


def margin_of(shares, top, sigma):
    """The signed two-sided radius of class `top`, exact; shares are kept off 0 and 1."""
    kept = np.clip(shares, 1e-12, 1 - 1e-12)
    rival = np.delete(kept, top, axis=-1).max(axis=-1)
    return sigma / 2 * (ndtri(kept[..., top]) - ndtri(rival))


@FEW
@given(lines(), unit, unit)
def test_one_neighbour_never_helps(line, x, other):
    """The theorem: r is 1-Lipschitz, so r(x') - |x - x'| <= r(x), whatever the classifier."""
    cuts, classes, sigma = line
    here, there = (shares_on_a_line(y, cuts, classes, sigma) for y in (x, other))
    top = int(np.argmax(here))
    change = margin_of(there, top, sigma) - margin_of(here, top, sigma)
    assert abs(change) <= abs(x - other) + 1e-6


@FEW
@given(lines(), unit, unit)
def test_never_above_the_truth_on_a_line(line, x, other):
    cuts, classes, sigma = line
    grid = np.linspace(0, 1, 301)
    tops = shares_on_a_line(grid, cuts, classes, sigma).argmax(axis=-1)
    here, there = (shares_on_a_line(y, cuts, classes, sigma) for y in (x, other))
    top = int(np.argmax(here))
    around = max(0.0, float(margin_of(there, top, sigma)))
    found = box_radius(np.array([x]), np.array([other]), around)
    assert found <= np.abs(grid - x)[tops != top].min(initial=np.inf) + 1e-6


@FEW
@given(boxed_points(), st.floats(0.1, 0.9), st.floats(0.1, 0.9), st.floats(0.1, 0.6))
def test_never_above_the_truth_in_a_square(points, first, second, sigma):
    """Four classes, the quadrants around a point: probabilities are products."""
    x, other = (point[:2] for point in points)

    def shares(y):
        right, up = ndtr((y[..., 0] - first) / sigma), ndtr((y[..., 1] - second) / sigma)
        return np.stack(
            [right * up, right * (1 - up), (1 - right) * up, (1 - right) * (1 - up)], -1
        )

    axis = np.linspace(0, 1, 41)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    top = int(np.argmax(shares(x)))
    changed = grid[shares(grid).argmax(axis=-1) != top]
    around = max(0.0, float(margin_of(shares(other), top, sigma)))
    nearest = np.linalg.norm(changed - x, axis=1).min(initial=np.inf)
    assert box_radius(x, other, around) <= nearest + 1e-6


@FEW
@given(st.floats(0.05, 1), st.floats(0.05, 1), st.floats(0, 2), st.floats(0, 2))
def test_two_opposite_neighbours_cover_what_is_said(left, right, one, two):
    """docs/geometry.md, section 2: every change nearer than that is in one of the two balls."""
    square = (left * two**2 + right * one**2) / (left + right) - left * right
    if square <= 0:
        return
    random = np.random.default_rng(0)
    changes = random.normal(size=(500, 2))
    lengths = np.sqrt(square) * (1 - 1e-9) * np.sqrt(random.random(500))
    changes *= (lengths / np.linalg.norm(changes, axis=1))[:, None]
    for away, radius in ((-left, one), (right, two)):
        changes = changes[np.linalg.norm(changes - [away, 0], axis=1) >= radius]
    assert not changes.size


@FEW
@given(boxed_points(), st.floats(0, 3))
def test_rounds_toward_zero(points, radius):
    """Against rational arithmetic, which has no rounding."""
    x, other = ([Fraction(float(value)) for value in point] for point in points)
    cost = sum(
        (b - a) ** 2 + 2 * abs(b - a) * (a if b > a else 1 - a)
        for a, b in zip(x, other, strict=True)
    )
    assert Fraction(box_cost(*points)) >= cost
    found = Fraction(box_radius(*points, radius))
    assert found == 0 or found**2 <= Fraction(radius) ** 2 - cost
    assert float(found) >= np.sqrt(max(0.0, radius**2 - float(cost))) - 1e-6


@FEW
@given(boxed_points(1), st.integers(0, 10**6), st.floats(0.1, 1), st.floats(0.05, 1))
def test_the_best_offset_stays_inside_and_is_the_best_to_first_order(points, seed, slope, radius):
    (x,) = points
    slopes = slope * slopes_like(points, seed)
    offset = best_offset(x, slopes, radius)
    assert ((x + offset >= 0) & (x + offset <= 1)).all()
    foot = x - radius * slopes
    outside = np.clip(foot, 0, 1) - foot
    assert bool(outside.any()) == bool(np.abs(offset).max() > 0) or (x + outside > 1).any()
    # The first-order gain of a unit direction u is <u, radius * slopes> - sum |u_i| b_i.
    random = np.random.default_rng(seed)
    tried = random.normal(size=(200, x.size))
    tried /= np.linalg.norm(tried, axis=1)[:, None]
    gains = tried @ (radius * slopes) - (np.abs(tried) * np.where(tried > 0, x, 1 - x)).sum(axis=1)
    assert gains.max() <= np.linalg.norm(outside) + 1e-9


@pytest.mark.parametrize(
    ("centre", "neighbour", "radius", "sentence"),
    [
        ([0.5, 1.2], [0.5, 1.0], 0.5, r"centre must lie in \[0, 1\] in every feature, got .*1.2"),
        ([0.5, np.nan], [0.5, 1.0], 0.5, r"centre must lie in \[0, 1\]"),
        ([0.5, 0.5], [0.5, np.nan], 0.5, "neighbour must be finite"),
        ([0.5, 0.5], [0.5], 0.5, "neighbour must have the shape"),
        ([0.5, 0.5], [0.5, 0.6], np.nan, "radius must be a finite number"),
        ([0.5, 0.5], [0.5, 0.6], -0.1, "radius must be a finite number"),
        ([0.5, 0.5], [0.5, 0.6], np.inf, "radius must be a finite number"),
    ],
)
def test_refuses_what_it_has_no_proof_for(centre, neighbour, radius, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        box_radius(np.array(centre), np.array(neighbour), radius)
