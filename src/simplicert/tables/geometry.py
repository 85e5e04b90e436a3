"""Tables of a search for neighbours: what it was worth, and the inputs that it moved."""

from collections.abc import Sequence
from decimal import ROUND_CEILING
from statistics import fmean, median

from simplicert.metrics.numbers import NONE
from simplicert.store.neighbours import INSIDE, NeighbourRow
from simplicert.tables.grid import Grid
from simplicert.types.certificates import format_radius_down, quantize_float

WHERE = f"radii in l2 that hold for {INSIDE} only; column at x: for all perturbed inputs"


def geometry_table(rows: Sequence[NeighbourRow]) -> Grid:
    """Summarise the whole search, one number per row."""
    first, moved = rows[0], [row for row in rows if row.moved]
    cells = [
        ("inputs", f"{len(rows):,}"),
        ("for which a neighbour was drawn", f"{len(moved):,}"),
        ("whose radius is the neighbour's", f"{sum(row.found > row.own for row in rows):,}"),
        ("certified radius, mean", format_radius_down(fmean(row.radius for row in rows))),
        ("certified radius, median", format_radius_down(median(row.radius for row in rows))),
        ("of the run alone, mean", format_radius_down(fmean(row.plain for row in rows))),
        ("of the run alone, median", format_radius_down(median(row.plain for row in rows))),
        *_describe_rival(rows),
        ("draws per input, mean", f"{fmean(row.total_draws for row in rows):,.0f}"),
        ("of these, to choose a neighbour", f"{fmean(row.pilot_draws for row in rows):,.0f}"),
    ]
    title = f"Geometry in [0, 1], sigma {first.sigma:g}, scheme {first.scheme}"
    notes = (
        f"radii in l2 that hold for {INSIDE} only",
        f"alpha {first.alpha:g} for each input; where a neighbour was drawn, it had a share of "
        f"{first.share:g}, and the input itself the rest",
        "the better of this table and the run alone is covered by neither: settle on one before; "
        f"nor is the best of several searches (this one has seed {first.seed})",
    )
    return Grid(title, ("", "value"), cells, notes, name="geometry")


def moved_inputs_table(rows: Sequence[NeighbourRow], most: int) -> Grid | None:
    """List the inputs that have a neighbour, the largest gain over the input itself first."""
    moved = sorted(
        (row for row in rows if row.moved), key=lambda row: (row.own - row.found, row.index)
    )
    if not moved:
        return None
    cells = [
        (
            str(row.index),
            NONE if row.predicted is None else str(row.predicted),
            format_radius_down(row.radius),
            format_radius_down(row.own),
            format_radius_down(row.found),
            str(quantize_float(row.distance or 0.0, 4, ROUND_CEILING)),
            format_radius_down(row.neighbour_radius or 0.0),
        )
        for row in moved[:most]
    ]
    headings = (
        "input",
        "class",
        "radius",
        "at x",
        "by the neighbour",
        "its distance",
        "radius around it",
    )
    notes = [WHERE]
    if len(moved) > most:
        notes.append(f"the first {most} of {len(moved)}")
    return Grid("Inputs with a neighbour", headings, cells, tuple(notes), name="moved_inputs")


def _describe_rival(rows: Sequence[NeighbourRow]) -> list[tuple[str, str]]:
    """Compare with the same number of draws at the input, where they were made."""
    rivals = [row.same_draws for row in rows if row.same_draws is not None]
    if len(rivals) < len(rows):
        return []
    better = sum(row.radius > rival for row, rival in zip(rows, rivals, strict=True))
    worse = sum(row.radius < rival for row, rival in zip(rows, rivals, strict=True))
    return [
        ("of as many draws at x, mean", format_radius_down(fmean(rivals))),
        ("of as many draws at x, median", format_radius_down(median(rivals))),
        ("inputs better than that, worse", f"{better:,}, {worse:,}"),
    ]
