"""What is wrong or doubtful in a log: findings, each one sentence, none of them an error.

To add one: write a function from a log to a finding or None, and add it to a table below.
"""

from simplicert.runs.logs import radius_checks, row_checks
from simplicert.runs.logs.finding import Finding
from simplicert.runs.logs.log import Log, Stated

# Checks of a log by itself.
ROWS = (
    row_checks.left_out,
    row_checks.repeated,
    row_checks.missing,
    row_checks.short,
    row_checks.correct,
    row_checks.negative,
    row_checks.skipped,
    row_checks.rounding,
)
# Checks that need sigma, alpha and the draws.
RADII = (
    radius_checks.above_cap,
    radius_checks.sigma,
    radius_checks.bound,
)


def audit(log: Log, stated: Stated | None) -> list[Finding]:
    """All findings; `stated` is None for bare radii, of which nothing is computed."""
    found = [Finding("note", note) for note in log.notes]
    found += [finding for check in ROWS if (finding := check(log))]
    if stated is not None:
        found += [finding for check in RADII if (finding := check(log, stated))]
    return found
