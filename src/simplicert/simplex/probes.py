"""Call a mechanism at test points and record what goes wrong in the calls.

`make_probes` makes the points: spread over the simplex, and close to its sides. All have
1e-300 <= E_1 < E_0 and E_1 <= 1 - E_0 in floating point, as in certification.

`call_mechanism` calls the function at these points. It is a user's function, so it may raise an
error, return another shape or write into its inputs; each of these becomes a `BrokenRule`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from simplicert.importing import describe_error
from simplicert.search import BLOCK
from simplicert.types import Bools, Floats

SMALLEST = 1e-300  # E_1 of a probe is at least this
DIGITS = 16.0  # decades down to the last digit of a number near 1
NODES = 256  # points on a line
ULP = np.finfo(float).eps  # from 1 to the next number
Function = Callable[[Floats, Floats], Any]
Pair = tuple[Floats, Floats]


class Probes(NamedTuple):
    """Points in a row: first `columns` lines of NODES points at one E_0, then `rows` at one E_1."""

    e0: Floats
    e1: Floats
    columns: int
    rows: int


@dataclass(frozen=True)
class BrokenRule:
    """A rule that was broken: at how many points, and what happened at the worst of them."""

    rule: str
    e0: float
    e1: float
    value: float | None  # what the mechanism returned, where it is a number
    limit: float | None  # the largest value allowed, or the smallest
    points: int
    says: str


class ProbeOutputs(NamedTuple):
    """The values at all points, NaN where none was returned, and what went wrong."""

    values: Floats
    answered: Bools  # where a value was returned
    findings: list[BrokenRule]


def make_probes(points: int, seed: int) -> Probes:
    """Make about this many points, half on lines and half scattered; the seed fixes them."""
    random = np.random.default_rng(seed)
    lines = max(points // (4 * NODES), 1)
    column, row = _random_columns(random, lines), _random_rows(random, lines)
    loose = max(points - 2 * lines * NODES, 1)
    parts = [column, row, _special_points(), *_scatter_points(random, loose)]
    e0, e1 = (np.concatenate([part[side].ravel() for part in parts]) for side in (0, 1))
    inside = (e1 >= SMALLEST) & (e1 < e0) & (e1 <= 1 - e0)
    inside[: 2 * lines * NODES] = True  # lines are inside, and stay whole
    return Probes(e0[inside], e1[inside], lines, lines)


def call_mechanism(function: Function, e0: Floats, e1: Floats) -> ProbeOutputs:
    """Call the function block by block, as certification does; one finding per broken rule."""
    values, answered = np.full(e0.shape, np.nan), np.zeros(e0.shape, dtype=bool)
    broken: dict[str, list[BrokenRule]] = {}
    for start in range(0, len(e0), BLOCK):
        block = slice(start, start + BLOCK)
        top, rest = e0[block].copy(), e1[block].copy()
        trouble: BrokenRule | None
        try:
            raw = call_quietly(function, top, rest)
        except Exception as error:  # the user's own code may raise anything
            trouble = _locate_error(function, e0[block], e1[block], error)
        else:
            trouble = _check_output_shape(raw, e0[block], e1[block])
            if trouble is None:
                values[block], answered[block] = raw, True
                trouble = _check_inputs_unchanged(top, rest, e0[block], e1[block])
        if trouble is not None:
            broken.setdefault(trouble.rule, []).append(trouble)
    return ProbeOutputs(
        values, answered, [_merge_broken_rules(several) for several in broken.values()]
    )


def call_quietly(function: Function, e0: Floats, e1: Floats) -> Any:
    """Call the function without numpy's warnings, as the values themselves are judged."""
    with np.errstate(all="ignore"):
        return np.asarray(function(e0, e1))


def _locate_error(function: Function, e0: Floats, e1: Floats, error: Exception) -> BrokenRule:
    """Report an error, with a point at which it is raised alone."""
    start, stop = 0, len(e0)
    while stop - start > 1:
        middle = (start + stop) // 2
        try:
            call_quietly(function, e0[start:middle].copy(), e1[start:middle].copy())
        except Exception as nearer:  # the user's own code may raise anything
            stop, error = middle, nearer
        else:
            start = middle
    at = float(e0[start]), float(e1[start])
    return BrokenRule("answers", *at, None, None, len(e0), f"raises {describe_error(error)}")


def _check_output_shape(raw: Any, e0: Floats, e1: Floats) -> BrokenRule | None:
    """Report an output that is not one real number per point."""
    if raw.shape == e0.shape and raw.dtype.kind in "fiu":
        return None
    at = float(e0[0]), float(e1[0])
    says = f"returns {raw.dtype} of shape {raw.shape} for {len(e0)} points"
    return BrokenRule("shape", *at, None, None, len(e0), says)


def _check_inputs_unchanged(top: Floats, rest: Floats, e0: Floats, e1: Floats) -> BrokenRule | None:
    """Report inputs that the call has changed."""
    other = (top != e0) | (rest != e1)
    if not other.any():
        return None
    at = int(other.argmax())
    says = f"leaves e0 = {top[at]}, e1 = {rest[at]} in its inputs"
    return BrokenRule("inputs", float(e0[at]), float(e1[at]), None, None, int(other.sum()), says)


def _merge_broken_rules(several: list[BrokenRule]) -> BrokenRule:
    """Merge what several blocks report about one rule."""
    first = several[0]
    count = sum(finding.points for finding in several)
    return BrokenRule(first.rule, first.e0, first.e1, None, None, count, first.says)


def _random_columns(random: np.random.Generator, lines: int) -> Pair:
    """(lines, NODES) points; each line has one E_0, and E_1 rises along it."""
    e0 = np.where(
        _flip_coins(random, lines), random.random(lines), _numbers_near_ends(random, lines)
    )
    e0 = np.clip(e0, 2 * SMALLEST, 1 - ULP)[:, None]
    e1 = np.minimum(e0, 1 - e0) * _graded_shares(random, lines)
    return np.broadcast_to(e0, e1.shape), np.clip(e1, SMALLEST, _largest_e1(e0))


def _random_rows(random: np.random.Generator, lines: int) -> Pair:
    """(lines, NODES) points; each line has one E_1, and E_0 rises along it."""
    even, low = random.random(lines) / 2, 0.5 * _log_uniform(random, lines, 300)
    e1 = np.clip(np.where(_flip_coins(random, lines), even, low), SMALLEST, 0.5 - ULP)[:, None]
    e0 = e1 + (1 - 2 * e1) * _graded_shares(random, lines)
    highest = np.nextafter(1 - e1, 0)
    return np.clip(e0, np.nextafter(e1, 1), highest), np.broadcast_to(e1, e0.shape)


def _scatter_points(random: np.random.Generator, count: int) -> list[Pair]:
    """Scatter half of the points evenly over the triangle, the rest near its sides and corners."""
    right, upper = random.random((2, count // 2))
    flip = right + upper > 1
    right, upper = np.where(flip, 1 - right, right), np.where(flip, 1 - upper, upper)
    n = count // 16 + 1
    ends = _numbers_near_ends(random, 2 * n)
    half = 0.5 + random.choice([-1, 1], n) * _log_uniform(random, n, DIGITS) / 2
    tiny = _log_uniform(random, 2 * n, 298)
    slanted = 1 - _log_uniform(random, 2 * n, DIGITS)
    slanted[: n // 2] = 1.0  # on the side, or as near as floating point allows
    return [
        (right + upper / 2, upper / 2),
        _points_at_share(random.random(n), _log_uniform(random, n, 300)),  # E_1 = 0
        _points_at_share(random.random(2 * n), slanted),  # the slanted sides
        _points_at_share(half, 1 - _log_uniform(random, n, DIGITS)),  # (1/2, 1/2)
        _points_at_share(tiny, np.where(_flip_coins(random, 2 * n), tiny, 1 - tiny)),  # (0, 0)
        _points_at_share(ends, _log_uniform(random, 2 * n, 30)),  # (1, 0) and (0, 0)
    ]


def _special_points() -> Pair:
    """Return numbers that are hard for floating point, paired in every way."""
    tops = np.array([1e-299, 1e-12, 0.1, 0.5 - ULP / 2, 0.5, 0.5 + ULP, 0.7, 1 - 1e-12, 1 - 1e-16])
    e0 = tops[:, None]
    lows = [SMALLEST, 1e-100, 1e-12, 1e-3, e0 - 1e-12, np.nextafter(e0, 0), e0 / 2]
    lows += [1 - e0, np.nextafter(1 - e0, 0), 1 - e0 - 1e-12]
    e1 = np.concatenate([np.broadcast_to(low, e0.shape) for low in lows], axis=1)
    return np.broadcast_to(e0, e1.shape), e1


def _points_at_share(e0: Floats, share: Floats) -> Pair:
    """Return points whose E_1 is a share of the largest at their E_0."""
    return e0, np.clip(
        np.minimum(e0, 1 - e0) * share, SMALLEST, np.minimum(_largest_e1(e0), 1 - e0)
    )


def _largest_e1(e0: Floats) -> Floats:
    """The largest E_1 below E_0 that is at most 1 - E_0."""
    return np.minimum(np.nextafter(e0, 0), 1 - e0)


def _graded_shares(random: np.random.Generator, lines: int) -> Floats:
    """(lines, NODES) rising shares of 1: half of them even, the others close to 0 and to 1."""
    quarter = NODES // 4
    low, high = (_log_uniform(random, (lines, quarter), DIGITS) for _ in range(2))
    even = random.random((lines, NODES - 2 * quarter))
    return np.sort(np.concatenate([low, even, 1 - high], axis=1), axis=1)


def _numbers_near_ends(random: np.random.Generator, count: int) -> Floats:
    """Draw numbers close to 0 or to 1."""
    gap = _log_uniform(random, count, DIGITS)
    return np.where(_flip_coins(random, count), gap, 1 - gap)


def _flip_coins(random: np.random.Generator, count: int) -> Bools:
    """Draw True or False, each with probability 1/2."""
    return np.asarray(random.integers(2, size=count) == 1)


def _log_uniform(random: np.random.Generator, shape: int | tuple[int, int], most: float) -> Floats:
    """Draw numbers below 1, spread evenly over `most` powers of ten."""
    return 10.0 ** -(most * random.random(shape))
