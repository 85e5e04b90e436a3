"""Which values the colours of a map tell apart, and the numbers beside them."""

import numpy as np

from simplicert.errors import require
from simplicert.types import Floats

BULK = (0.5, 99.5)  # per cent of the area whose values the colours tell apart
FLAT = 1e-9  # values that differ by less are the same
DECADES = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)  # ratios beyond either end share its colour
TICKS = 7  # on a bar of ratios


def colour_limits(
    finite: Floats,
    centre: float | None,
    limits: tuple[float, float] | None,
    logarithmic: bool = False,
) -> tuple[float, float]:
    """Values of the first and last colour: the limits, widened to lie evenly about a centre."""
    low, high = limits or (float(finite.min()), float(finite.max()))
    require(low < high, f"limits must rise, got {low} and {high}; equal values need their own")
    if logarithmic:
        low, high = min(max(low, DECADES[0]), DECADES[-2]), max(min(high, DECADES[-1]), DECADES[1])
    if centre is None:
        return low, high
    if logarithmic:
        times = max(high / centre, centre / low)
        return centre / times, centre * times
    reach = max(high - centre, centre - low)
    return centre - reach, centre + reach


def bulk(values: Floats, equal: float) -> tuple[float, float]:
    """Limits that a few extreme places do not stretch; some, where all values are the same."""
    finite = values[np.isfinite(values)]
    low, high = np.percentile(finite, BULK) if finite.size else (equal, equal)
    return (float(low), float(high)) if high - low > FLAT else (equal - 0.5, equal + 0.5)


def levels(low: float, high: float) -> list[float]:
    """Round ratios between two others, so few that their names do not touch."""
    even = [step * np.arange(1, 10 / step) for step in (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)]
    inside = [[x for x in np.round(row, 2).tolist() if low <= x <= high] for row in even]
    return next(
        (row for row in inside if len(row) <= TICKS), [x for x in DECADES if low <= x <= high]
    )


def written(level: float) -> str:
    """A number as the axes write theirs: with a minus sign, not a hyphen."""
    return f"{level:g}".replace("-", "\N{MINUS SIGN}")
