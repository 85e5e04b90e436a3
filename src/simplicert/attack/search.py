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

FARTHEST = 16.0  # sigmas at which the search gives up

GROWTH = 1.3  # factor from one distance to the next on the way out

HALVINGS = 6  # of the stretch between the last miss and the first hit

ROUNDS = 3  # of turning toward a shorter way

SHORTER = 0.92  # share of the distance: the radius of the ascent that tries a shorter way

GAIN = 0.01  # share of the distance that a round must save for another to follow

ROOM = 1.3  # times the deviations that a confirmation needs is the lead to aim at

HOPELESS = 3.0  # deviations by which the certified class leads where no test is worth its draws

THOROUGH = 4  # times the draws go into the one test inside the certified radius

# Sigmas beyond the crossing at which confirmations are tried until one succeeds.
FURTHER = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8)

assert len(FURTHER) + 1 <= TESTS


@dataclass(frozen=True, eq=False)
class ConfirmedPoint:
    """A point where fresh draws confirmed that the smoothed class is not the certified one."""

    point: np.ndarray
    distance: float  # rounded up
    rival: int


class Confirmer:
    """Tests points of one input with fresh draws: at most TESTS times, each at the same level."""

    def __init__(self, attacked: AttackedInput, effort: Effort, level: float) -> None:
        """Prepare to test; `level` is that of one test."""
        from scipy.special import ndtri

        self.attacked_input, self.effort, self.level = attacked, effort, level
        self.deviations = float(-ndtri(level))
        self.tests = 0

    def confirm_point(self, point: np.ndarray, lead: Lead, draws: int) -> ConfirmedPoint | None:
        """Return the point if fresh draws confirm the rival that the looks saw there."""
        assert self.tests < TESTS
        self.tests += 1
        attacked = self.attacked_input
        fresh = attacked.smoothed.draw_fresh(point, draws)
        differs = CONFIRM[attacked.smoothed.kind](fresh, attacked.certified, lead.rival, self.level)
        return ConfirmedPoint(point, attacked.ball.norm(point), lead.rival) if differs else None

    def confirm_inside(self, offset: Floats) -> ConfirmedPoint | None:
        """Test the best point inside the certified radius, unless a look shows it is hopeless."""
        point = self.attacked_input.ball.within(offset, self.attacked_input.radius)
        lead = self.attacked_input.lead(point, self.effort.explore)
        if lead.beyond(-HOPELESS, self.effort.explore) < 0:
            return None
        return self.confirm_point(point, lead, THOROUGH * self.effort.confirm)

    def crosses(self, offset: Floats) -> bool:
        """Say whether a look at this point promises that a confirmation would succeed."""
        lead = self.attacked_input.lead(self.attacked_input.ball.at(offset), self.effort.explore)
        return lead.beyond(ROOM * self.deviations, self.effort.confirm) > 0

    def confirm_along(self, direction: Floats, far: float) -> ConfirmedPoint | None:
        """Return the first confirmed point along a direction, from the distance `far` on."""
        for sigmas in FURTHER:  # the error of a look is a share of sigma, not of the distance
            point = self.attacked_input.ball.at(
                (far + sigmas * self.attacked_input.sigma) * direction
            )
            lead = self.attacked_input.lead(point, self.effort.explore)
            if hit := self.confirm_point(point, lead, self.effort.confirm):
                return hit
        return None


def find_smallest_perturbation(confirmer: Confirmer) -> ConfirmedPoint | None:
    """Return the nearest confirmed point, or None where no point could be confirmed."""
    attacked, effort = confirmer.attacked_input, confirmer.effort
    best = find_strongest_offset(attacked, attacked.radius, effort)
    inside = confirmer.confirm_inside(best)
    way = _search_outward(confirmer, best)
    if way is None:
        return inside
    outside = confirmer.confirm_along(*_shorten_perturbation(confirmer, *way))
    hits = [hit for hit in (inside, outside) if hit is not None]
    return min(hits, key=lambda hit: hit.distance, default=None)


def _search_outward(confirmer: Confirmer, offset: Floats) -> tuple[Floats, float] | None:
    """Return a direction and the distance at which the class changes, turning on the way out."""
    attacked = confirmer.attacked_input
    farthest = FARTHEST * attacked.sigma
    radius = attacked.radius
    while True:
        direction = (
            offset / offset_length(offset)
            if offset_length(offset) > 0
            else attacked.random_direction()
        )
        far = _find_crossing_distance(confirmer, direction, radius, farthest)
        if far is not None:
            return direction, far
        if radius >= farthest:
            return None
        radius = min(2 * max(radius, attacked.sigma / 2), farthest)
        offset = _improve_offset(attacked, offset, radius, confirmer.effort)


def _find_crossing_distance(
    confirmer: Confirmer, direction: Floats, first: float, farthest: float
) -> float | None:
    """Return about the least distance at which a look crosses, or None if it never does."""
    low, high = 0.0, min(first, farthest)
    while not confirmer.crosses(high * direction):
        if high >= farthest:
            return None
        low, high = high, min(GROWTH * high + confirmer.attacked_input.sigma / 20, farthest)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if confirmer.crosses(middle * direction):
            high = middle
        else:
            low = middle
    return high


def _shorten_perturbation(
    confirmer: Confirmer, direction: Floats, far: float
) -> tuple[Floats, float]:
    """Climb inside smaller and smaller radii, as long as that finds a shorter way across."""
    attacked, effort = confirmer.attacked_input, confirmer.effort
    for turn in range(ROUNDS):
        loss = attacked.class_loss("margin" if turn % 2 == 0 else "cross-entropy")
        start = SHORTER * far * direction
        offset = projected_ascent(attacked, start, SHORTER * far, loss, effort.steps)
        if offset_length(offset) == 0:
            break
        other = offset / offset_length(offset)
        distance = _find_crossing_distance(confirmer, other, far, far)
        if distance is None or distance > (1 - GAIN) * far:
            break
        direction, far = other, distance
    return direction, far


def find_strongest_offset(attacked: AttackedInput, radius: float, effort: Effort) -> Floats:
    """Return the best of all proposals inside a radius."""
    return most_promising_offset(
        attacked, propose_offsets(attacked, radius, effort), radius, effort
    )


def propose_offsets(attacked: AttackedInput, radius: float, effort: Effort) -> Iterator[Floats]:
    """Yield where each ascent ends, then random points of the sphere."""
    for restart in range(effort.restarts):
        for name in LOSSES:
            far = 0.0 if restart == 0 else radius * attacked.random.random()
            start = far * attacked.random_direction()
            yield projected_ascent(attacked, start, radius, attacked.class_loss(name), effort.steps)
    for _ in range(RANDOM):
        yield radius * attacked.random_direction()


def projected_ascent(
    attacked: AttackedInput, start: Floats, radius: float, loss: ClassLoss, steps: int
) -> Floats:
    """Climb in steps that shrink to nothing, and bring each back into the ball."""
    offset = project_offset(start, radius)
    for step in range(steps):
        stride = STRIDE * radius / steps * (1 - step / steps)
        offset = project_offset(offset + stride * attacked.uphill(offset, loss), radius)
    return offset


def _improve_offset(
    attacked: AttackedInput, start: Floats, radius: float, effort: Effort
) -> Floats:
    """Return the better of two ascents from a point: toward any class, and toward the runner-up."""
    ends = (
        projected_ascent(attacked, start, radius, attacked.class_loss(name), effort.steps)
        for name in ("margin", "runner-up")
    )
    return most_promising_offset(attacked, ends, radius, effort)


def most_promising_offset(
    attacked: AttackedInput, offsets: Iterable[Floats], radius: float, effort: Effort
) -> Floats:
    """Return where another class comes closest, or leads furthest, in a short look.

    Where every draw is of one class the scores still tell which point is closer to another.
    """
    draws = max(1, int(RANKING * effort.explore))

    def promise(offset: Floats) -> tuple[float, float]:
        lead = attacked.lead(attacked.ball.within(offset, radius), draws)
        return lead.other - lead.own, lead.hint

    return max(offsets, key=promise)
