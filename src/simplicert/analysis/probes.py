"""Points at which a mechanism is put to the test: spread over the simplex, and close to its sides.

All have 1e-300 <= E_1 < E_0 and E_1 <= 1 - E_0 in floating point, as certification asks them.
"""

from typing import NamedTuple

import numpy as np

from simplicert.types import Bools, Floats

SMALLEST = 1e-300
DIGITS = 16.0  # decades down to the last digit of a number near 1
NODES = 256  # on a line
ULP = np.finfo(float).eps

Pair = tuple[Floats, Floats]


class Probes(NamedTuple):
    """Flat points; the first `columns` lines of NODES have one E_0, the next `rows` one E_1."""

    e0: Floats
    e1: Floats
    columns: int
    rows: int


def probes(points: int, seed: int) -> Probes:
    """About so many points, the same for the same seed: a half on lines, a half scattered."""
    random = np.random.default_rng(seed)
    lines = max(points // (4 * NODES), 1)
    column, row = columns(random, lines), rows(random, lines)
    loose = max(points - 2 * lines * NODES, 1)
    parts = [column, row, special(), *scattered(random, loose)]
    e0, e1 = (np.concatenate([part[side].ravel() for part in parts]) for side in (0, 1))
    inside = (e1 >= SMALLEST) & (e1 < e0) & (e1 <= 1 - e0)
    inside[: 2 * lines * NODES] = True  # lines are inside, and stay whole
    return Probes(e0[inside], e1[inside], lines, lines)


def columns(random: np.random.Generator, lines: int) -> Pair:
    """(lines, NODES) points of one E_0 each, E_1 rising."""
    e0 = np.where(coin(random, lines), random.random(lines), near_ends(random, lines))
    e0 = np.clip(e0, 2 * SMALLEST, 1 - ULP)[:, None]
    e1 = np.minimum(e0, 1 - e0) * graded(random, lines)
    return np.broadcast_to(e0, e1.shape), np.clip(e1, SMALLEST, below(e0))


def rows(random: np.random.Generator, lines: int) -> Pair:
    """(lines, NODES) points of one E_1 each, E_0 rising."""
    even, low = random.random(lines) / 2, 0.5 * decades(random, lines, 300)
    e1 = np.clip(np.where(coin(random, lines), even, low), SMALLEST, 0.5 - ULP)[:, None]
    e0 = e1 + (1 - 2 * e1) * graded(random, lines)
    highest = np.nextafter(1 - e1, 0)
    return np.clip(e0, np.nextafter(e1, 1), highest), np.broadcast_to(e1, e0.shape)


def scattered(random: np.random.Generator, count: int) -> list[Pair]:
    """A half evenly over the triangle, the rest close to each side and each corner."""
    right, upper = random.random((2, count // 2))
    flip = right + upper > 1
    right, upper = np.where(flip, 1 - right, right), np.where(flip, 1 - upper, upper)
    n = count // 16 + 1
    ends = near_ends(random, 2 * n)
    half = 0.5 + random.choice([-1, 1], n) * decades(random, n, DIGITS) / 2
    tiny = decades(random, 2 * n, 298)
    slanted = 1 - decades(random, 2 * n, DIGITS)
    slanted[: n // 2] = 1.0  # as near as can be, or on it
    return [
        (right + upper / 2, upper / 2),
        hung(random.random(n), decades(random, n, 300)),  # E_1 = 0
        hung(random.random(2 * n), slanted),  # the slanted sides
        hung(half, 1 - decades(random, n, DIGITS)),  # (1/2, 1/2)
        hung(tiny, np.where(coin(random, 2 * n), tiny, 1 - tiny)),  # (0, 0)
        hung(ends, decades(random, 2 * n, 30)),  # (1, 0) and (0, 0)
    ]


def special() -> Pair:
    """Numbers on which floating point trips, paired in every way."""
    tops = np.array([1e-299, 1e-12, 0.1, 0.5 - ULP / 2, 0.5, 0.5 + ULP, 0.7, 1 - 1e-12, 1 - 1e-16])
    e0 = tops[:, None]
    lows = [SMALLEST, 1e-100, 1e-12, 1e-3, e0 - 1e-12, np.nextafter(e0, 0), e0 / 2]
    lows += [1 - e0, np.nextafter(1 - e0, 0), 1 - e0 - 1e-12]
    e1 = np.concatenate([np.broadcast_to(low, e0.shape) for low in lows], axis=1)
    return np.broadcast_to(e0, e1.shape), e1


def hung(e0: Floats, share: Floats) -> Pair:
    """Points whose E_1 is a share of the largest at their E_0."""
    return e0, np.clip(np.minimum(e0, 1 - e0) * share, SMALLEST, np.minimum(below(e0), 1 - e0))


def below(e0: Floats) -> Floats:
    """The next number below, and never above what E_0 leaves."""
    return np.minimum(np.nextafter(e0, 0), 1 - e0)


def graded(random: np.random.Generator, lines: int) -> Floats:
    """(lines, NODES) rising shares of 1: even ones, and ones close to 0 and to 1."""
    quarter = NODES // 4
    low, high = (decades(random, (lines, quarter), DIGITS) for _ in range(2))
    even = random.random((lines, NODES - 2 * quarter))
    return np.sort(np.concatenate([low, even, 1 - high], axis=1), axis=1)


def near_ends(random: np.random.Generator, count: int) -> Floats:
    """Numbers close to 0, or to 1."""
    gap = decades(random, count, DIGITS)
    return np.where(coin(random, count), gap, 1 - gap)


def coin(random: np.random.Generator, count: int) -> Bools:
    """Heads or tails."""
    return np.asarray(random.integers(2, size=count) == 1)


def decades(random: np.random.Generator, shape: int | tuple[int, int], most: float) -> Floats:
    """Numbers below 1, evenly over so many powers of ten."""
    return 10.0 ** -(most * random.random(shape))
