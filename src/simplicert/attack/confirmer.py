"""Test points of one attacked input with fresh draws; only what they confirm is reported.

A `Confirmer` shares out the tests of one input, whatever proposes the points: `search` for noise
that is added to every feature, `paths` for other noise. A `ConfirmedPoint` has its own distance,
rounded up.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from simplicert.attack.attacked_input import AttackedInput, Lead
from simplicert.attack.confirmation import CONFIRM
from simplicert.attack.losses import TESTS, Effort

Point = Any  # what the ball moves: an array, a parameter or an edited sequence

ROOM = 1.3  # times the deviations that a confirmation needs is the lead to aim at

HOPELESS = 3.0  # deviations by which the certified class leads where no test is worth its draws

THOROUGH = 4  # times the draws go into the one test inside the certified radius

# Units beyond the crossing at which confirmations are tried until one succeeds.
FURTHER = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8)

assert len(FURTHER) + 1 <= TESTS


@dataclass(frozen=True, eq=False)
class ConfirmedPoint:
    """A point where fresh draws confirmed that the smoothed class is not the certified one."""

    point: Point
    distance: float  # rounded up
    rival: int
    perturbation: np.ndarray  # what leads there from the input


class Confirmer:
    """Tests points of one input with fresh draws: at most TESTS times, each at the same level."""

    def __init__(self, attacked: AttackedInput, effort: Effort, level: float) -> None:
        """Prepare to test; `level` is that of one test."""
        from scipy.special import ndtri

        self.attacked_input, self.effort, self.level = attacked, effort, level
        self.deviations = float(-ndtri(level))
        self.tests = 0

    def confirm_point(self, point: Point, lead: Lead, draws: int) -> ConfirmedPoint | None:
        """Return the point if fresh draws confirm the rival that the looks saw there."""
        assert self.tests < TESTS
        self.tests += 1
        attacked = self.attacked_input
        fresh = attacked.smoothed.draw_fresh(point, draws)
        differs = CONFIRM[attacked.smoothed.kind](fresh, attacked.certified, lead.rival, self.level)
        if not differs:
            return None
        ball = attacked.ball
        return ConfirmedPoint(point, ball.norm(point), lead.rival, ball.perturbation(point))

    def confirm_inside(self, point: Point) -> ConfirmedPoint | None:
        """Test the best point inside the certified radius, unless a look shows it is hopeless."""
        lead = self.attacked_input.lead(point, self.effort.explore)
        if lead.beyond(-HOPELESS, self.effort.explore) < 0:
            return None
        return self.confirm_point(point, lead, THOROUGH * self.effort.confirm)

    def crosses(self, point: Point) -> bool:
        """Say whether a look at this point promises that a confirmation would succeed."""
        lead = self.attacked_input.lead(point, self.effort.explore)
        return lead.beyond(ROOM * self.deviations, self.effort.confirm) > 0

    def confirm_first(self, points: Iterable[Point]) -> ConfirmedPoint | None:
        """Return the first of these points, the nearest first, that fresh draws confirm."""
        for point in points:
            lead = self.attacked_input.lead(point, self.effort.explore)
            if hit := self.confirm_point(point, lead, self.effort.confirm):
                return hit
        return None
