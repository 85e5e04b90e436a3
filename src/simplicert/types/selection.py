"""Some inputs of a tally, as a tally of their own."""

from dataclasses import fields
from typing import Any

import numpy as np

from simplicert.types.arrays import Bools, Ints
from simplicert.types.tally import Tally

WHOLE = ("sigma", "plan", "norm", "grid", "reading", "segments")  # not one row an input


def some(tally: Tally, rows: Ints | Bools) -> Tally:
    """The rows named, with their history; at least one."""
    held: dict[str, Any] = {
        field.name: getattr(tally, field.name)[rows]
        for field in fields(tally)
        if field.name not in WHOLE and getattr(tally, field.name) is not None
    }
    segments = tally.segments
    if segments is not None:
        segments = segments[np.isin(segments[:, 0], held["index"])]
    return Tally(
        **held,
        sigma=tally.sigma,
        plan=tally.plan,
        norm=tally.norm,
        grid=tally.grid,
        reading=tally.reading,
        segments=segments,
    )
