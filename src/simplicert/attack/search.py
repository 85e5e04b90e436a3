"""Search for the smallest perturbation that changes the smoothed class of one input.

Inside a radius: `find_strongest_offset` tries projected ascents by every loss from every start,
and random directions. It decides nothing; it proposes offsets, the most promising first. From
there `find_smallest_perturbation` goes out along the best direction and then turns toward shorter
ways. It aims a little past the boundary, where a confirmation is likely to succeed. A `Confirmer`
tests points with fresh draws; only what they confirm is reported, as a `ConfirmedPoint` with its
own norm, rounded up.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from simplicert.attack.attacked_input import AttackedInput, Lead
from simplicert.attack.ball import offset_length, project_offset
from simplicert.attack.confirmation import CONFIRM
from simplicert.attack.gradients import ClassLoss
from simplicert.attack.losses import LOSSES, TESTS, Effort
from simplicert.types import Floats

STRIDE = 4.0  # radii; with steps that shrink, an ascent can walk 2, from one side to the other

RANDOM = 4  # random directions, each at the full radius

RANKING = 0.25  # share of a look's draws that is enough to rank candidates


def projected_ascent(
    quarry: AttackedInput, start: Floats, radius: float, raised: ClassLoss, steps: int
) -> Floats:
    """Steps of ascent that shrink to nothing, each brought back into the ball."""
    offset = project_offset(start, radius)
    for step in range(steps):
        stride = STRIDE * radius / steps * (1 - step / steps)
        offset = project_offset(offset + stride * quarry.uphill(offset, raised), radius)
    return offset


def propose_offsets(quarry: AttackedInput, radius: float, effort: Effort) -> Iterator[Floats]:
    """Where each ascent ends, then random points of the sphere."""
    for restart in range(effort.restarts):
        for loss in LOSSES:
            far = 0.0 if restart == 0 else radius * quarry.random.random()
            start = far * quarry.random_direction()
            yield projected_ascent(quarry, start, radius, quarry.class_loss(loss), effort.steps)
    for _ in range(RANDOM):
        yield radius * quarry.random_direction()


def find_strongest_offset(quarry: AttackedInput, radius: float, effort: Effort) -> Floats:
    """The best of all proposals inside a radius."""
    return most_promising_offset(quarry, propose_offsets(quarry, radius, effort), radius, effort)


def _improve_offset(quarry: AttackedInput, start: Floats, radius: float, effort: Effort) -> Floats:
    """The better of two ascents that go on from a point: after any class, and after one."""
    ends = (
        projected_ascent(quarry, start, radius, quarry.class_loss(loss), effort.steps)
        for loss in ("margin", "runner-up")
    )
    return most_promising_offset(quarry, ends, radius, effort)


def most_promising_offset(
    quarry: AttackedInput, offsets: Iterable[Floats], radius: float, effort: Effort
) -> Floats:
    """Where another class comes closest, or leads furthest, in a short look.

    Where every draw is of one class the scores still tell which point is closer to another.
    """
    draws = max(1, int(RANKING * effort.explore))

    def promise(offset: Floats) -> tuple[float, float]:
        lead = quarry.lead(quarry.ball.within(offset, radius), draws)
        return lead.other - lead.own, lead.hint

    return max(offsets, key=promise)


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
class ConfirmedPoint:
    """A confirmed point where the smoothed class is not the certified one."""

    point: np.ndarray
    distance: float  # rounded up
    rival: int


class Confirmer:
    """Confirmations of one input: at most TESTS, each at the same level."""

    def __init__(self, quarry: AttackedInput, effort: Effort, level: float) -> None:
        """`level` is that of one test."""
        from scipy.special import ndtri

        self.attacked_input, self.effort, self.level = quarry, effort, level
        self.deviations = float(-ndtri(level))
        self.tests = 0

    def passed(self, point: np.ndarray, lead: Lead, draws: int) -> ConfirmedPoint | None:
        """The point, if fresh draws confirm the rival that the looks saw there."""
        assert self.tests < TESTS
        self.tests += 1
        quarry = self.attacked_input
        fresh = quarry.smoothed.fresh(point, draws)
        differs = CONFIRM[quarry.smoothed.kind](fresh, quarry.certified, lead.rival, self.level)
        return ConfirmedPoint(point, quarry.ball.norm(point), lead.rival) if differs else None

    def inside(self, offset: Floats) -> ConfirmedPoint | None:
        """The best that was found inside the certified radius, unless it is plainly no success."""
        point = self.attacked_input.ball.within(offset, self.attacked_input.radius)
        lead = self.attacked_input.lead(point, self.effort.explore)
        if lead.beyond(-HOPELESS, self.effort.explore) < 0:
            return None
        return self.passed(point, lead, THOROUGH * self.effort.confirm)

    def crosses(self, offset: Floats) -> bool:
        """Whether a look at this point lets expect a confirmation."""
        lead = self.attacked_input.lead(self.attacked_input.ball.at(offset), self.effort.explore)
        return lead.beyond(ROOM * self.deviations, self.effort.confirm) > 0

    def nearest(self, direction: Floats, far: float) -> ConfirmedPoint | None:
        """The first confirmed point along a direction from so far on."""
        for sigmas in FURTHER:  # what a look is off by is a share of sigma, not of the distance
            point = self.attacked_input.ball.at(
                (far + sigmas * self.attacked_input.sigma) * direction
            )
            lead = self.attacked_input.lead(point, self.effort.explore)
            if hit := self.passed(point, lead, self.effort.confirm):
                return hit
        return None


def find_smallest_perturbation(exam: Confirmer) -> ConfirmedPoint | None:
    """The nearest confirmed point, inside the certified radius if there is one; None: none."""
    quarry, effort = exam.attacked_input, exam.effort
    best = find_strongest_offset(quarry, quarry.radius, effort)
    inside = exam.inside(best)
    way = _search_outward(exam, best)
    if way is None:
        return inside
    outside = exam.nearest(*_shorten_perturbation(exam, *way))
    hits = [hit for hit in (inside, outside) if hit is not None]
    return min(hits, key=lambda hit: hit.distance, default=None)


def _search_outward(exam: Confirmer, offset: Floats) -> tuple[Floats, float] | None:
    """A direction and the distance at which the class changes along it; new ones further out."""
    quarry = exam.attacked_input
    farthest = FARTHEST * quarry.sigma
    radius = quarry.radius
    while True:
        direction = (
            offset / offset_length(offset)
            if offset_length(offset) > 0
            else quarry.random_direction()
        )
        far = _find_crossing_distance(exam, direction, radius, farthest)
        if far is not None:
            return direction, far
        if radius >= farthest:
            return None
        radius = min(2 * max(radius, quarry.sigma / 2), farthest)
        offset = _improve_offset(quarry, offset, radius, exam.effort)


def _find_crossing_distance(
    exam: Confirmer, direction: Floats, first: float, farthest: float
) -> float | None:
    """The least distance along a direction at which a look crosses, about; None: nowhere."""
    low, high = 0.0, min(first, farthest)
    while not exam.crosses(high * direction):
        if high >= farthest:
            return None
        low, high = high, min(GROWTH * high + exam.attacked_input.sigma / 20, farthest)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if exam.crosses(middle * direction):
            high = middle
        else:
            low = middle
    return high


def _shorten_perturbation(exam: Confirmer, direction: Floats, far: float) -> tuple[Floats, float]:
    """Ascents inside smaller and smaller radii, as long as they find a shorter way across."""
    quarry, effort = exam.attacked_input, exam.effort
    for turn in range(ROUNDS):
        raised = quarry.class_loss("margin" if turn % 2 == 0 else "cross-entropy")
        start = SHORTER * far * direction
        offset = projected_ascent(quarry, start, SHORTER * far, raised, effort.steps)
        if offset_length(offset) == 0:
            break
        other = offset / offset_length(offset)
        found = _find_crossing_distance(exam, other, far, far)
        if found is None or found > (1 - GAIN) * far:
            break
        direction, far = other, found
    return direction, far
