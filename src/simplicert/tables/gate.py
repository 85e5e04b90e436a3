"""Show the gate's requirements as a table."""

from collections.abc import Sequence

from simplicert.metrics.gate import RequirementCheck, format_check_value
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
            check.shown or format_check_value(check),
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
    return Grid(title, headings, rows, notes, keys=2, bold=bold, name="gate")
