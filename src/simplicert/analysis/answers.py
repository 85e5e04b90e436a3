"""What a mechanism answers when it is asked, and what went wrong in the asking.

The function may be anybody's: it may raise, return another shape, or write into its inputs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from simplicert.importing import said
from simplicert.search import BLOCK
from simplicert.types import Bools, Floats

Function = Callable[[Floats, Floats], Any]


@dataclass(frozen=True)
class Finding:
    """A rule that was broken: at how many points, and at the worst of them by how much."""

    rule: str
    e0: float
    e1: float
    value: float | None  # what the mechanism returned, where it is a number
    limit: float | None  # what it may be at most, or at least
    points: int
    says: str


class Answers(NamedTuple):
    """One value a point, NaN where none came; which came; what went wrong."""

    values: Floats
    answered: Bools
    findings: list[Finding]


def ask(function: Function, e0: Floats, e1: Floats) -> Answers:
    """The function's values, a block at a time as certification asks; one finding a rule."""
    values, answered = np.full(e0.shape, np.nan), np.zeros(e0.shape, dtype=bool)
    found: dict[str, list[Finding]] = {}
    for start in range(0, len(e0), BLOCK):
        block = slice(start, start + BLOCK)
        top, rest = e0[block].copy(), e1[block].copy()
        trouble: Finding | None
        try:
            raw = quietly(function, top, rest)
        except Exception as error:  # the user's own code may raise anything
            trouble = raised(function, e0[block], e1[block], error)
        else:
            trouble = misshapen(raw, e0[block], e1[block])
            if trouble is None:
                values[block], answered[block] = raw, True
                trouble = changed(top, rest, e0[block], e1[block])
        if trouble is not None:
            found.setdefault(trouble.rule, []).append(trouble)
    return Answers(values, answered, [together(several) for several in found.values()])


def quietly(function: Function, e0: Floats, e1: Floats) -> Any:
    """What it returns; warnings of numpy are left out, as the values themselves are judged."""
    with np.errstate(all="ignore"):
        return np.asarray(function(e0, e1))


def raised(function: Function, e0: Floats, e1: Floats, error: Exception) -> Finding:
    """An error, and a point at which it comes up alone."""
    start, stop = 0, len(e0)
    while stop - start > 1:
        middle = (start + stop) // 2
        try:
            quietly(function, e0[start:middle].copy(), e1[start:middle].copy())
        except Exception as nearer:  # the user's own code may raise anything
            stop, error = middle, nearer
        else:
            start = middle
    at = float(e0[start]), float(e1[start])
    return Finding("answers", *at, None, None, len(e0), f"raises {said(error)}")


def misshapen(raw: Any, e0: Floats, e1: Floats) -> Finding | None:
    """An answer that is not one real number for each point."""
    if raw.shape == e0.shape and raw.dtype.kind in "fiu":
        return None
    at = float(e0[0]), float(e1[0])
    says = f"returns {raw.dtype} of shape {raw.shape} for {len(e0)} points"
    return Finding("shape", *at, None, None, len(e0), says)


def changed(top: Floats, rest: Floats, e0: Floats, e1: Floats) -> Finding | None:
    """Inputs that are not what they were before the call."""
    other = (top != e0) | (rest != e1)
    if not other.any():
        return None
    at = int(other.argmax())
    says = f"leaves e0 = {top[at]}, e1 = {rest[at]} in its inputs"
    return Finding("inputs", float(e0[at]), float(e1[at]), None, None, int(other.sum()), says)


def together(several: list[Finding]) -> Finding:
    """The same trouble in several blocks as one."""
    first = several[0]
    count = sum(finding.points for finding in several)
    return Finding(first.rule, first.e0, first.e1, None, None, count, first.says)
