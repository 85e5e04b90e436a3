"""The smallest perturbation found: out along the best direction, then shorter by turns.

The looks aim a little past the boundary, where a confirmation is likely to succeed; only what fresh
draws confirm is reported, at its own norm, rounded up.
"""

from dataclasses import dataclass

import numpy as np

from simplicert.attack.ball import length
from simplicert.attack.confirmation import CONFIRM
from simplicert.attack.effort import TESTS, Effort
from simplicert.attack.quarry import Lead, Quarry
from simplicert.attack.search import climb, stronger, strongest
from simplicert.types import Floats

FARTHEST = 16.0  # sigmas: there the search gives up
GROWTH = 1.3  # from one distance to the next on the way out
HALVINGS = 6  # of the stretch between the last miss and the first hit
ROUNDS = 3  # of turning toward a shorter way
SHORTER = 0.92  # of the distance, the radius of the ascent that tries
GAIN = 0.01  # share of the distance that a round must save for another to follow
ROOM = 1.3  # times the deviations that a confirmation needs, to aim at
HOPELESS = 3.0  # deviations by which the certified class leads where no test is worth its draws
THOROUGH = 4  # times the draws, of the one test inside the certified radius
FURTHER = (
    0.0,
    0.02,
    0.05,
    0.1,
    0.2,
    0.4,
    0.8,
)  # sigmas: tries at a confirmation, until one succeeds

assert len(FURTHER) + 1 <= TESTS


@dataclass(frozen=True, eq=False)
class Hit:
    """A confirmed point where the smoothed class is not the certified one."""

    point: np.ndarray
    distance: float  # rounded up
    rival: int


class Exam:
    """Confirmations of one input: at most TESTS, each at the same level."""

    def __init__(self, quarry: Quarry, effort: Effort, level: float) -> None:
        """`level` is that of one test."""
        from scipy.special import ndtri

        self.quarry, self.effort, self.level = quarry, effort, level
        self.deviations = float(-ndtri(level))
        self.tests = 0

    def passed(self, point: np.ndarray, lead: Lead, draws: int) -> Hit | None:
        """The point, if fresh draws confirm the rival that the looks saw there."""
        assert self.tests < TESTS
        self.tests += 1
        quarry = self.quarry
        fresh = quarry.smoothed.fresh(point, draws)
        differs = CONFIRM[quarry.smoothed.kind](fresh, quarry.certified, lead.rival, self.level)
        return Hit(point, quarry.ball.norm(point), lead.rival) if differs else None

    def inside(self, offset: Floats) -> Hit | None:
        """The best that was found inside the certified radius, unless it is plainly no success."""
        point = self.quarry.ball.within(offset, self.quarry.radius)
        lead = self.quarry.lead(point, self.effort.explore)
        if lead.beyond(-HOPELESS, self.effort.explore) < 0:
            return None
        return self.passed(point, lead, THOROUGH * self.effort.confirm)

    def crosses(self, offset: Floats) -> bool:
        """Whether a look at this point lets expect a confirmation."""
        lead = self.quarry.lead(self.quarry.ball.at(offset), self.effort.explore)
        return lead.beyond(ROOM * self.deviations, self.effort.confirm) > 0

    def nearest(self, direction: Floats, far: float) -> Hit | None:
        """The first confirmed point along a direction from so far on."""
        for sigmas in FURTHER:  # what a look is off by is a share of sigma, not of the distance
            point = self.quarry.ball.at((far + sigmas * self.quarry.sigma) * direction)
            lead = self.quarry.lead(point, self.effort.explore)
            if hit := self.passed(point, lead, self.effort.confirm):
                return hit
        return None


def smallest(exam: Exam) -> Hit | None:
    """The nearest confirmed point, inside the certified radius if there is one; None: none."""
    quarry, effort = exam.quarry, exam.effort
    best = strongest(quarry, quarry.radius, effort)
    inside = exam.inside(best)
    way = outward(exam, best)
    if way is None:
        return inside
    outside = exam.nearest(*shortened(exam, *way))
    hits = [hit for hit in (inside, outside) if hit is not None]
    return min(hits, key=lambda hit: hit.distance, default=None)


def outward(exam: Exam, offset: Floats) -> tuple[Floats, float] | None:
    """A direction and the distance at which the class changes along it; new ones further out."""
    quarry = exam.quarry
    farthest = FARTHEST * quarry.sigma
    radius = quarry.radius
    while True:
        direction = offset / length(offset) if length(offset) > 0 else quarry.any_direction()
        far = reach(exam, direction, radius, farthest)
        if far is not None:
            return direction, far
        if radius >= farthest:
            return None
        radius = min(2 * max(radius, quarry.sigma / 2), farthest)
        offset = stronger(quarry, offset, radius, exam.effort)


def reach(exam: Exam, direction: Floats, first: float, farthest: float) -> float | None:
    """The least distance along a direction at which a look crosses, about; None: nowhere."""
    low, high = 0.0, min(first, farthest)
    while not exam.crosses(high * direction):
        if high >= farthest:
            return None
        low, high = high, min(GROWTH * high + exam.quarry.sigma / 20, farthest)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if exam.crosses(middle * direction):
            high = middle
        else:
            low = middle
    return high


def shortened(exam: Exam, direction: Floats, far: float) -> tuple[Floats, float]:
    """Ascents inside smaller and smaller radii, as long as they find a shorter way across."""
    quarry, effort = exam.quarry, exam.effort
    for turn in range(ROUNDS):
        raised = quarry.raised("margin" if turn % 2 == 0 else "cross-entropy")
        start = SHORTER * far * direction
        offset = climb(quarry, start, SHORTER * far, raised, effort.steps)
        if length(offset) == 0:
            break
        other = offset / length(offset)
        found = reach(exam, other, far, far)
        if found is None or found > (1 - GAIN) * far:
            break
        direction, far = other, found
    return direction, far
