"""Show the gate's requirements as a table, and return them as values for JSON."""

from collections.abc import Sequence
from typing import Any

from simplicert.metrics.gate import SLACK, RequirementCheck
from simplicert.metrics.numbers import format_down, format_up
from simplicert.noises.words import describe_units
from simplicert.tables.grid import Grid

USUAL = ("l2", "scaled l2")  # norms that need no word


def gate_table(checks: Sequence[RequirementCheck], stage: str = "", norm: str = "l2") -> Grid:
    """Show each requirement, failed ones in bold; `stage` says what comes before the noise."""
    rows = [
        (
            check.requirement,
            check.group,
            str(check.inputs),
            check.shown or _format_check_value(check),
            "holds" if check.holds else "FAILS",
        )
        for check in checks
    ]
    failed = sum(not check.holds for check in checks)
    title = f"{len(checks) - failed} of {len(checks)} requirements hold"
    bold = frozenset((place, 4) for place, check in enumerate(checks) if not check.holds)
    headings = ("requirement", "inputs of", "inputs", "value", "")
    notes = (f"radii are distances of the input of {stage}",) if stage else ()
    if norm not in USUAL:
        notes = (*notes, f"radii are {describe_units(norm)}")
    return Grid(title, headings, rows, notes, keys=2, bold=bold)


def gate_record(
    checks: Sequence[RequirementCheck],
    statements: Sequence[dict[str, Any]],
    remarks: Sequence[str] = (),
    sensitivity: float = 1.0,
    norm: str = "l2",
) -> dict[str, Any]:
    """Return the gate's result as values that JSON can hold."""
    return {
        "passed": all(check.holds for check in checks),
        "checks": [vars(check) for check in checks],
        "statements": list(statements),
        "sensitivity": sensitivity,
        **({} if norm in USUAL else {"norm": norm}),
        "remarks": list(remarks),
    }


def _format_check_value(check: RequirementCheck) -> str:
    """Round to the safe side; SLACK keeps a share of six tenths from being shown as .5999."""
    least = ">=" in check.requirement
    return format_down(check.value + SLACK, 4) if least else format_up(check.value - SLACK, 4)
