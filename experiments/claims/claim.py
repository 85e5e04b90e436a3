"""A claim of the paper, what was checked of it, and the verdict that follows from the checks."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from simplicert.types.certificates import format_radius_down

REPLICATED, PART = "replicated", "replicated in part"
NOT, UNTESTED = "not replicated", "not testable here"

RULE = {
    REPLICATED: "every check holds",
    PART: "some checks hold, others do not or cannot be made here",
    NOT: "checks were made, and none holds",
    UNTESTED: "no check can be made here",
}

WORDS = {True: "Holds", False: "Fails", None: "Untested"}


@dataclass(frozen=True)
class Check:
    """One sentence that is true, false, or beyond what we can test (None)."""

    text: str
    holds: bool | None


@dataclass(frozen=True)
class Claim:
    """What the paper says, its number and ours, the command that prints ours, and checks."""

    where: str
    says: str
    paper: str
    ours: str
    command: str
    checks: tuple[Check, ...]
    remark: str = ""

    @property
    def verdict(self) -> str:
        """The verdict, by `RULE`."""
        made = [check.holds for check in self.checks if check.holds is not None]
        if not made:
            return UNTESTED
        if not any(made):
            return NOT
        return REPLICATED if all(made) and len(made) == len(self.checks) else PART


def percent(share: float, digits: int = 1) -> str:
    """A share in percent, without the sign."""
    return f"{100 * share:.{digits}f}"


def listing(values: Sequence[float], digits: int = 1, times: float = 100) -> str:
    """Numbers in a row, shares in percent unless told otherwise."""
    return ", ".join(f"{times * value:.{digits}f}" for value in values)


def list_radii(values: Sequence[float], digits: int) -> str:
    """Radii in a row, rounded down."""
    return ", ".join(format_radius_down(value, digits) for value in values)


def rises(values: Sequence[float]) -> bool:
    """Whether no value is below the one before it, and the last is above the first."""
    return all(a <= b for a, b in pairwise(values)) and values[-1] > values[0]


def falls(values: Sequence[float]) -> bool:
    """The same downwards."""
    return rises([-value for value in values])


def above(first: Sequence[float], second: Sequence[float]) -> bool:
    """Whether each of the first is larger than that of the second."""
    return all(a > b for a, b in zip(first, second, strict=True))


def within_a_fifth(ours: float, theirs: float) -> bool:
    """The rule for a number without an interval."""
    return abs(ours / theirs - 1) <= 1 / 5
