"""The gate's requirements as a table for a reader and as a record for machines."""

from collections.abc import Sequence
from typing import Any

from simplicert.metrics.gate import SLACK, RequirementCheck
from simplicert.metrics.numbers import format_down, format_up
from simplicert.tables.grid import Grid


def _format_check_value(item: RequirementCheck) -> str:
    """To the safe side; shares are of whole numbers: six tenths are not to be shown as .5999."""
    least = ">=" in item.requirement
    return format_down(item.value + SLACK, 4) if least else format_up(item.value - SLACK, 4)


def gate_table(found: Sequence[RequirementCheck], stage: str = "") -> Grid:
    """Failed requirements in bold; `stage` is what comes before the noise, in words."""
    rows = [
        (
            item.requirement,
            item.group,
            str(item.inputs),
            item.shown or _format_check_value(item),
            "holds" if item.holds else "FAILS",
        )
        for item in found
    ]
    failed = sum(not item.holds for item in found)
    title = f"{len(found) - failed} of {len(found)} requirements hold"
    bold = frozenset((place, 4) for place, item in enumerate(found) if not item.holds)
    headings = ("requirement", "inputs of", "inputs", "value", "")
    notes = (f"radii are distances of the input of {stage}",) if stage else ()
    return Grid(title, headings, rows, notes, keys=2, bold=bold)


def gate_record(
    found: Sequence[RequirementCheck],
    said: Sequence[dict[str, Any]],
    noted: Sequence[str] = (),
    sensitivity: float = 1.0,
) -> dict[str, Any]:
    """For machines."""
    return {
        "passed": all(item.holds for item in found),
        "checks": [vars(item) for item in found],
        "statements": list(said),
        "sensitivity": sensitivity,
        "remarks": list(noted),
    }
