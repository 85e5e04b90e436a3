"""Search for radii on whole arrays, quickly and without ever overstating one.

A certificate may be too small, never too large. So a search either returns a point that was
checked on the safe side, or only proposes a point at which the caller evaluates a formula that
is valid everywhere: stopping early costs radius, not truth.
"""

from collections.abc import Callable

import numpy as np

from simplicert.types import Floats

ArrayFunction = Callable[..., Floats]

BLOCK = 1 << 14  # points evaluated together: enough to amortise numpy, few enough for the cache


def find_last_below(
    f: ArrayFunction, target: Floats, low: Floats, high: Floats, steps: int = 60
) -> Floats:
    """Return the largest x found in [low, high] with f(x) <= target, f increasing; low if none."""
    lo, hi = np.array(low, dtype=float), np.array(high, dtype=float)
    for _ in range(steps):
        middle = (lo + hi) / 2
        safe = f(middle) <= target
        lo, hi = np.where(safe, middle, lo), np.where(safe, hi, middle)
    return lo


def find_turning_point(
    slope: ArrayFunction, low: Floats, high: Floats, args: tuple[Floats, ...]
) -> Floats:
    """Propose where a function that rises and then falls has its top; an end if not inside.

    `slope(x, *args)` needs the derivative's sign, not its size.
    """
    from scipy.optimize import elementwise  # takes 0.1 s to import, which not every command needs

    rising_at_high = slope(high, *args) > 0
    tolerances = {"xatol": 1e-7, "xrtol": 1e-7, "fatol": 0.0, "frtol": 0.0}
    found = elementwise.find_root(slope, (low, high), args=args, tolerances=tolerances)
    return np.where(found.success, found.x, np.where(rising_at_high, high, low))


def round_toward_zero(radius: Floats, error: Floats) -> Floats:
    """Lower a radius by a bound on its rounding error, but never below zero."""
    lowered = np.maximum(radius - error, 0.0)
    return np.where(np.isinf(lowered), lowered, np.nextafter(lowered, 0.0))


def evaluate_in_blocks(f: ArrayFunction, *columns: Floats) -> Floats:
    """Apply f to equally long columns, a block at a time, so that memory stays modest."""
    out = np.empty(columns[0].shape)
    for start in range(0, len(out), BLOCK):
        block = slice(start, start + BLOCK)
        out[block] = f(*(column[block] for column in columns))
    return out
