"""Plan: the numbers of draws at which a tally is looked at, and each look's share of alpha."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Integral, Real

from simplicert.errors import require

ALPHA_ROUNDING = 1e-12  # a smaller share of alpha is rounding error, and counts as none

RESERVE = 0.1  # share of alpha that a new run keeps for looks added later

MOST_RESERVED = 0.9  # share of alpha that may be kept so: the planned looks need some


@dataclass(frozen=True)
class Plan:
    """Looks fixed before the first draw: cumulative draws, and each look's share of alpha.

    A tally that stopped because it looked good is bounded at its look's share and no other way:
    bounding it as if its length had been fixed beforehand gave 7 to 8 alpha in simulation.
    `offered` is the sum of all shares that looks ever had. It exceeds 1 where a plan that had spent
    all of alpha was extended; what is proved is then `offered` times alpha.

    >>> plan = Plan((1000, 10_000), weights=(0.5, 0.5)).reserved(0.1)
    >>> plan.weights
    (0.45, 0.45)
    >>> plan.extended(20_000).looks
    (1000, 10000, 20000)
    """

    looks: tuple[int, ...]
    weights: tuple[float, ...] = (1.0,)
    rule: str = "fixed"
    offered: float = 0.0  # at least the weights' sum, which it is raised to

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
        require(isinstance(self.rule, str), f"plan rule must be a word, got {self.rule!r}")
        spent = math.fsum(self.weights)
        require(
            all(w > 0 for w in self.weights) and spent <= 1 + 1e-12,
            f"plan weights must be positive and sum to at most 1, got {self.weights}",
        )
        good = isinstance(self.offered, Real) and math.isfinite(self.offered)
        require(good, f"plan offered must be a number, got {self.offered!r}")
        object.__setattr__(self, "offered", max(float(self.offered), spent))

    def reserved(self, share: float = RESERVE) -> "Plan":
        """Return the plan with this share of alpha kept for looks that are added later."""
        good = isinstance(share, Real) and not isinstance(share, bool)
        require(
            good and 0 <= share <= MOST_RESERVED,
            f"reserve must be a share of alpha in 0..{MOST_RESERVED}, got {share!r}",
        )
        require(
            self.offered <= 1 + ALPHA_ROUNDING,
            f"a plan must be reserved before it is extended, got one that offers {self.offered}",
        )
        return Plan(self.looks, tuple(w * (1 - float(share)) for w in self.weights), self.rule)

    def extended(self, draws: int) -> "Plan":
        """Return the plan with one more look, at half of the alpha that is left.

        A plan with a reserve thus never offers more than alpha, however often it is extended.
        Where no alpha is left, because there never was a reserve, the new look gets half of alpha
        all the same (a quarter if it is the second one added so, and so on), and the earlier ones
        share the rest. They may have been used at their former shares, so the plan then offers
        more than alpha.
        """
        require(
            draws > self.looks[-1],
            f"draws must exceed the plan's last look {self.looks[-1]}, got {draws}",
        )
        spent, left = math.fsum(self.weights), 1 - self.offered
        if left > ALPHA_ROUNDING:
            new, earlier = left / 2, self.weights
        else:
            # A reserve that was halved until only rounding is left is not a missing reserve.
            require(
                self.offered > 1 + ALPHA_ROUNDING or self.weights[-1] > 2 * ALPHA_ROUNDING,
                f"draws must stay at the plan's last look {self.looks[-1]}: its reserve is used up "
                f"by {len(self.looks)} looks, got {draws}",
            )
            new = (2 - self.offered) / 2
            earlier = tuple(w * (1 - new) / spent for w in self.weights)
        return Plan((*self.looks, draws), (*earlier, new), self.rule, self.offered + new)
