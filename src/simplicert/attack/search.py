"""Inside a radius: projected ascents by every loss from every start, and random directions.

Nothing here decides anything: it proposes offsets, the most promising first.
"""

from collections.abc import Iterable, Iterator

from simplicert.attack.ball import held
from simplicert.attack.effort import Effort
from simplicert.attack.gradients import Raised
from simplicert.attack.losses import LOSSES
from simplicert.attack.quarry import Quarry
from simplicert.types import Floats

STRIDE = 4.0  # radii; with steps that shrink, an ascent can walk 2, from one side to the other
RANDOM = 4  # random directions, each at the full radius
RANKING = 0.25  # share of a look's draws that is enough to rank candidates


def climb(quarry: Quarry, start: Floats, radius: float, raised: Raised, steps: int) -> Floats:
    """Steps of ascent that shrink to nothing, each brought back into the ball."""
    offset = held(start, radius)
    for step in range(steps):
        stride = STRIDE * radius / steps * (1 - step / steps)
        offset = held(offset + stride * quarry.uphill(offset, raised), radius)
    return offset


def proposals(quarry: Quarry, radius: float, effort: Effort) -> Iterator[Floats]:
    """Where each ascent ends, then random points of the sphere."""
    for restart in range(effort.restarts):
        for loss in LOSSES:
            far = 0.0 if restart == 0 else radius * quarry.random.random()
            start = far * quarry.any_direction()
            yield climb(quarry, start, radius, quarry.raised(loss), effort.steps)
    for _ in range(RANDOM):
        yield radius * quarry.any_direction()


def strongest(quarry: Quarry, radius: float, effort: Effort) -> Floats:
    """The best of all proposals inside a radius."""
    return most_promising(quarry, proposals(quarry, radius, effort), radius, effort)


def stronger(quarry: Quarry, start: Floats, radius: float, effort: Effort) -> Floats:
    """The better of two ascents that go on from a point: after any class, and after one."""
    ends = (
        climb(quarry, start, radius, quarry.raised(loss), effort.steps)
        for loss in ("margin", "runner-up")
    )
    return most_promising(quarry, ends, radius, effort)


def most_promising(
    quarry: Quarry, offsets: Iterable[Floats], radius: float, effort: Effort
) -> Floats:
    """Where another class comes closest, or leads furthest, in a short look.

    Where every draw is of one class the scores still tell which point is closer to another.
    """
    draws = max(1, int(RANKING * effort.explore))

    def promise(offset: Floats) -> tuple[float, float]:
        lead = quarry.lead(quarry.ball.within(offset, radius), draws)
        return lead.other - lead.own, lead.hint

    return max(offsets, key=promise)
