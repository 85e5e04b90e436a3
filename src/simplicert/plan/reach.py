"""How far a number of draws can reach, and the fewest that reach anything.

All answers are those of `bound` on draws that all agree: nothing here knows a formula of its own.
"""

from simplicert.plan.declared import Declared
from simplicert.types import Plan


def largest_radius(
    declared: Declared, draws: int, share: float = 1.0, mechanism: str = "two_sided"
) -> float:
    """The radius where all draws agree, at a look with this share of alpha."""
    declared.require_draws(draws)
    return float(declared.radii(declared.agreed(draws, share), mechanism)[0])


def smallest_draws(declared: Declared, radius: float = 0.0, share: float = 1.0) -> int | None:
    """The fewest draws that, all agreeing, reach a radius; any at all for 0; None if none do.

    The radius rises with draws that all agree. The result is the end of a search that saw the
    radius reached there, and not reached with one draw less.
    """

    def reached(draws: int) -> bool:
        found = largest_radius(declared, draws, share)
        return found > 0 and found >= radius

    low, high = 0, 1
    while not reached(high):
        if high == declared.most:
            return None
        low, high = high, min(2 * high, declared.most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def certifies_nothing(declared: Declared, plan: Plan) -> bool:
    """Whether not even draws that all agree would be certified at any look of the plan."""
    looks = zip(plan.looks, plan.weights, strict=True)
    return not any(declared.radii(declared.agreed(n, share))[0] > 0 for n, share in looks)
