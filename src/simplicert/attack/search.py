"""Search for the smallest perturbation that changes the smoothed class of one input.

This is the search for noise that is added to every feature, in a ball of l2, l1 or linf.

Inside a radius: `find_strongest_offset` tries projected ascents by every loss from every start,
and random directions. It decides nothing; it proposes offsets, the most promising first. From
there `find_smallest_perturbation` goes out along the best direction and then turns toward shorter
ways. It aims a little past the boundary, where a confirmation is likely to succeed.
"""

from collections.abc import Iterable, Iterator

from simplicert.attack.attacked_input import AttackedInput
from simplicert.attack.confirmer import FURTHER, ConfirmedPoint, Confirmer
from simplicert.attack.gradients import ClassLoss
from simplicert.attack.losses import LOSSES, Effort
from simplicert.types import Floats

STRIDE = 4.0  # radii; with steps that shrink, an ascent can walk 2, from one side to the other

RANDOM = 4  # random directions, each at the full radius

RANKING = 0.25  # share of a look's draws that is enough to rank candidates

FARTHEST = 16.0  # units at which the search gives up

GROWTH = 1.3  # factor from one distance to the next on the way out

HALVINGS = 6  # of the stretch between the last miss and the first hit

ROUNDS = 3  # of turning toward a shorter way

SHORTER = 0.92  # share of the distance: the radius of the ascent that tries a shorter way

GAIN = 0.01  # share of the distance that a round must save for another to follow


def find_smallest_perturbation(confirmer: Confirmer) -> ConfirmedPoint | None:
    """Return the nearest confirmed point, or None where no point could be confirmed."""
    attacked, effort = confirmer.attacked_input, confirmer.effort
    best = find_strongest_offset(attacked, attacked.radius, effort)
    inside = confirmer.confirm_inside(attacked.norm_ball.within(best, attacked.radius))
    way = _search_outward(confirmer, best)
    if way is None:
        return inside
    direction, far = _shorten_perturbation(confirmer, *way)
    outside = confirmer.confirm_first(  # the error of a look is a share of a unit
        attacked.norm_ball.at((far + units * attacked.unit) * direction) for units in FURTHER
    )
    hits = [hit for hit in (inside, outside) if hit is not None]
    return min(hits, key=lambda hit: hit.distance, default=None)


def _search_outward(confirmer: Confirmer, offset: Floats) -> tuple[Floats, float] | None:
    """Return a direction and the distance at which the class changes, turning on the way out."""
    attacked = confirmer.attacked_input
    farthest = FARTHEST * attacked.unit
    radius = attacked.radius
    while True:
        direction = (
            offset / attacked.norm_ball.length(offset)
            if attacked.norm_ball.length(offset) > 0
            else attacked.random_direction()
        )
        far = _find_crossing_distance(confirmer, direction, radius, farthest)
        if far is not None:
            return direction, far
        if radius >= farthest:
            return None
        radius = min(2 * max(radius, attacked.unit / 2), farthest)
        offset = _improve_offset(attacked, offset, radius, confirmer.effort)


def _find_crossing_distance(
    confirmer: Confirmer, direction: Floats, first: float, farthest: float
) -> float | None:
    """Return about the least distance at which a look crosses, or None if it never does."""

    def crosses(distance: float) -> bool:
        return confirmer.crosses(confirmer.attacked_input.norm_ball.at(distance * direction))

    low, high = 0.0, min(first, farthest)
    while not crosses(high):
        if high >= farthest:
            return None
        low, high = high, min(GROWTH * high + confirmer.attacked_input.unit / 20, farthest)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if crosses(middle):
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
        if attacked.norm_ball.length(offset) == 0:
            break
        other = offset / attacked.norm_ball.length(offset)
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
    offset = attacked.norm_ball.project(start, radius)
    for step in range(steps):
        stride = STRIDE * radius / steps * (1 - step / steps)
        offset = attacked.norm_ball.project(offset + stride * attacked.uphill(offset, loss), radius)
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
        lead = attacked.lead(attacked.norm_ball.within(offset, radius), draws)
        return lead.other - lead.own, lead.hint

    return max(offsets, key=promise)
