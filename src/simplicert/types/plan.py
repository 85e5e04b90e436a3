"""When a tally may be looked at, and how much of alpha each look may spend."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Integral, Real

from simplicert.errors import require


@dataclass(frozen=True)
class Plan:
    """Looks fixed before the first draw: cumulative draws, and each look's share of alpha.

    A tally that stopped because it looked good is bounded at its look's share and no other way:
    bounding it as if its length had been fixed beforehand gave 7 to 8 alpha in simulation.
    """

    looks: tuple[int, ...]
    weights: tuple[float, ...] = (1.0,)
    rule: str = "fixed"

    def __post_init__(self) -> None:
        """Refuse looks that do not increase and weights that spend more than alpha."""
        for name, kind in (("looks", Integral), ("weights", Real)):
            values = getattr(self, name)
            good = isinstance(values, Sequence) and all(isinstance(v, kind) for v in values)
            require(good, f"plan {name} must be a sequence of numbers, got {values!r}")
        object.__setattr__(self, "looks", tuple(int(n) for n in self.looks))
        object.__setattr__(self, "weights", tuple(float(w) for w in self.weights))
        require(
            bool(self.looks) and self.looks[0] > 0 and all(a < b for a, b in pairwise(self.looks)),
            f"plan looks must be increasing numbers of draws, got {self.looks}",
        )
        require(
            len(self.weights) == len(self.looks),
            f"plan weights must be one for each look, got {len(self.weights)} for {self.looks}",
        )
        spent = math.fsum(self.weights)
        require(
            all(w > 0 for w in self.weights) and spent <= 1 + 1e-12,
            f"plan weights must be positive and sum to at most 1, got {self.weights}",
        )

    def extended(self, draws: int) -> "Plan":
        """The plan with one more look: it keeps half of alpha, all earlier ones share half."""
        require(
            draws > self.looks[-1],
            f"draws must exceed the plan's last look {self.looks[-1]}, got {draws}",
        )
        earlier = tuple(w / (2 * math.fsum(self.weights)) for w in self.weights)
        return Plan((*self.looks, draws), (*earlier, 0.5), self.rule)
