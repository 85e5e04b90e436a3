"""Search without gradients along paths, for noise that is not added to every feature.

A path leaves the input and goes outward: a line of parameters (`parameters`), or features changed
one after another (`features`). The most promising point inside the certified radius is tested;
then the paths are followed outward until another class leads, and the shortest is confirmed. For
features the order on the path is improved first, by exchanges that a look likes better.
"""

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from simplicert.attack.attacked_input import AttackedInput
from simplicert.attack.confirmer import FURTHER, ConfirmedPoint, Confirmer
from simplicert.attack.features import FeatureBall, FeatureImportance, FeaturePath
from simplicert.attack.losses import LOSSES, TESTS
from simplicert.attack.parameters import ParameterBall
from simplicert.attack.search import FARTHEST, GROWTH, HALVINGS, RANKING

PARTS = (1.0, 0.5)  # of the certified radius, at which every path is looked at

FOLLOWED = 4  # paths that are followed outward, the most promising ones

FEW_FEATURES = 32  # up to so many, every feature is tried as the next one


class Path(Protocol):
    """A way outward from the input."""

    def at(self, distance: float) -> np.ndarray:
        """Return the point at about this distance."""

    def within(self, radius: float) -> np.ndarray:
        """Return the furthest point that a certificate of this radius covers."""


def find_smallest_change(confirmer: Confirmer) -> ConfirmedPoint | None:
    """Return the nearest confirmed point, or None where no point could be confirmed."""
    attacked = confirmer.attacked_input
    paths = sorted(_propose_paths(confirmer), key=lambda path: -_promise(confirmer, path))
    inside = _confirm_inside(confirmer, paths)
    followed = paths if isinstance(attacked.ball, ParameterBall) else paths[:FOLLOWED]
    best: tuple[Path, float] | None = None
    for path in followed:
        farthest = _farthest(attacked) if best is None else best[1]
        far = _find_crossing(confirmer, path, farthest)
        if far is not None and (best is None or far < best[1]):
            best = path, far
    if best is None:
        return inside
    path, far = _use_fewer_features(confirmer, *best)
    left = TESTS - confirmer.tests
    outside = confirmer.confirm_first(_points_from(attacked, path, far, left))
    hits = [hit for hit in (inside, outside) if hit is not None]
    return min(hits, key=lambda hit: hit.distance, default=None)


def _confirm_inside(confirmer: Confirmer, paths: list[Path]) -> ConfirmedPoint | None:
    """Test the most promising point that the certificate covers, the input itself excepted."""
    attacked = confirmer.attacked_input
    points = [path.within(part * attacked.radius) for path in paths for part in PARTS]
    points = [point for point in points if attacked.ball.norm(point) > 0]
    if not points:
        return None
    best = max(points, key=lambda point: _look(confirmer, point))
    assert attacked.breaks(attacked.ball.norm(best))
    return confirmer.confirm_inside(best)


def _look(confirmer: Confirmer, point: np.ndarray) -> tuple[float, float]:
    """Return how far the best other class is ahead in a short look, and a hint for ties."""
    draws = max(1, int(RANKING * confirmer.effort.explore))
    lead = confirmer.attacked_input.lead(point, draws)
    return lead.other - lead.own, lead.hint


def _promise(confirmer: Confirmer, path: Path) -> float:
    """Return what a short look at the end of the certified radius, or at a unit, shows."""
    attacked = confirmer.attacked_input
    return sum(_look(confirmer, path.at(max(attacked.radius, attacked.unit))))


def _farthest(attacked: AttackedInput) -> float:
    """Return the distance at which the search gives up."""
    if isinstance(attacked.ball, FeatureBall):
        return float(attacked.ball.size)
    return FARTHEST * attacked.unit


def _find_crossing(confirmer: Confirmer, path: Path, farthest: float) -> float | None:
    """Return about the least distance at which a look crosses, or None if it never does."""
    attacked = confirmer.attacked_input
    low, high = 0.0, min(max(attacked.radius, attacked.unit / 20), farthest)
    while not confirmer.crosses(path.at(high)):
        if high >= farthest:
            return None
        further = GROWTH * high + attacked.unit / 20
        low, high = high, min(np.ceil(further) if attacked.closed else further, farthest)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if attacked.closed:
            middle = float(np.floor(middle))
            if middle == low:
                break
        if confirmer.crosses(path.at(middle)):
            high = middle
        else:
            low = middle
    return float(high)


def _points_from(
    attacked: AttackedInput, path: Path, far: float, most: int
) -> Iterator[np.ndarray]:
    """Yield points of a path from a distance on, each further than the one before."""
    ways = range(len(FURTHER)) if attacked.closed else [units * attacked.unit for units in FURTHER]
    before = 0.0
    for way in ways:
        distance = far + way
        if isinstance(attacked.ball, FeatureBall) and distance > attacked.ball.size:
            return
        point = path.at(distance)
        if attacked.ball.norm(point) > before and most > 0:
            before, most = attacked.ball.norm(point), most - 1
            yield point


def _propose_paths(confirmer: Confirmer) -> list[Path]:
    """Return the lines of parameters, or orders of features with new values."""
    attacked = confirmer.attacked_input
    if isinstance(attacked.ball, ParameterBall):
        return list(attacked.ball.paths())
    assert isinstance(attacked.ball, FeatureBall)
    ball, count = attacked.ball, max(1, int(attacked.radius))
    assert isinstance(attacked.slope, FeatureImportance)
    orders = [
        attacked.slope.order(ball, ball.centre, attacked.class_loss(name))
        for name in LOSSES
        for _ in range(confirmer.effort.restarts)
    ]
    orders.append(attacked.random.permutation(ball.size))
    found: list[Path] = []
    for order in orders:
        paths = [FeaturePath(ball, order, values) for values in ball.corners(attacked.random)]
        best = max(paths, key=lambda path: _look(confirmer, path.at(count)))
        found.append(_improve(confirmer, best, count, confirmer.effort.steps))
    if ball.size <= FEW_FEATURES:
        found.append(_choose_greedily(confirmer, ball))
    return found


def _improve(confirmer: Confirmer, path: FeaturePath, count: int, tries: int) -> FeaturePath:
    """Exchange features among the first `count` as long as a look at them likes it better."""
    attacked = confirmer.attacked_input
    best = _look(confirmer, path.at(count))
    for _ in range(tries):
        corner = attacked.random.integers(4)
        value = path.ball.corners(attacked.random)[corner]
        other = path.swapped(count, attacked.random, value)
        seen = _look(confirmer, other.at(count))
        if seen > best:
            path, best = other, seen
    return path


def _choose_greedily(confirmer: Confirmer, ball: FeatureBall) -> FeaturePath:
    """Try every feature at both ends of the range as the next one, and take the best."""
    order: list[int] = []
    values = ball.centre.copy()
    _, low, high, _ = ball.corners(confirmer.attacked_input.random)
    while len(order) < ball.size:
        left = [place for place in range(ball.size) if place not in order]
        tried = [
            FeaturePath(ball, np.array([*order, place]), _with_value(ball, values, corner, place))
            for place in left
            for corner in (low, high)
        ]
        best = max(tried, key=lambda path: _look(confirmer, path.at(len(path.order))))
        order, values = best.order.tolist(), best.values
    return FeaturePath(ball, np.array(order), values)


def _with_value(
    ball: FeatureBall, values: np.ndarray, corner: np.ndarray, place: int
) -> np.ndarray:
    """Return new values with one feature's taken from a corner of the range."""
    out = values.copy()
    ball.put(out, corner, place)
    return out


def _use_fewer_features(confirmer: Confirmer, path: Path, far: float) -> tuple[Path, float]:
    """Exchange features at one less, as long as a look crosses there."""
    while isinstance(path, FeaturePath) and far > 1:
        shorter = _improve(confirmer, path, int(far) - 1, confirmer.effort.steps)
        if not confirmer.crosses(shorter.at(far - 1)):
            break
        path, far = shorter, far - 1
    return path, far
