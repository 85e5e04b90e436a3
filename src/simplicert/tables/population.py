"""Show a population certificate, and the divisions of a budget of draws, as tables."""

from simplicert.metrics.numbers import NONE, format_down, format_exactly, format_percent_exactly
from simplicert.plan.division import BudgetDivision, BudgetRow
from simplicert.populations import PopulationCertificate
from simplicert.populations.certificate import say_draws
from simplicert.tables.grid import Grid


def population_table(certificate: PopulationCertificate) -> Grid:
    """Show one row per radius: the share that is certified, and the mean it is a limit of."""
    rows = [
        (
            format_exactly(item.radius),
            f"{format_down(100 * item.share, 2)} %",
            f"{format_down(100 * item.mean, 2)} %",
        )
        for item in certificate.shares
    ]
    left_out = f", {certificate.left_out:,} of the pilot left out" if certificate.left_out else ""
    title = (
        f"{certificate.classifier} classifier: {say_draws(certificate.draws)} of each of "
        f"{certificate.inputs:,} inputs{left_out}"
    )
    notes = (
        f"certified: at least, with {format_percent_exactly(certificate.confidence)} % confidence "
        "for all radii together",
        "mean value: what the inputs count on average by the design's coefficients; the certified "
        "share is a lower limit for it",
        f"design {certificate.fingerprint}",
    )
    return Grid(title, ("radius", "certified share", "mean value"), rows, notes, name="population")


def division_table(division: BudgetDivision) -> Grid:
    """Show what each division of the budget is expected to certify, the best in bold."""
    rows = [_division_cells(row) for row in division.rows]
    best = max(range(len(rows)), key=lambda place: division.rows[place].share)
    title = (
        f"{division.budget:,} draws divided: share to expect as certified at radius "
        f"{format_exactly(division.radius)} with {format_percent_exactly(division.confidence)} % "
        "confidence"
    )
    notes = (
        division.source,
        "population: a design of `simplicert population`; each input: certificates of `certify`",
        f"endless draws of endless inputs: {format_down(100 * division.true, 2)} %",
        "in bold: the largest share",
    )
    headings = ("by", "draws per input", "inputs", "share")
    bold = frozenset({(best, 3)})
    return Grid(title, headings, rows, notes, bold=bold, name="division")


def _division_cells(row: BudgetRow) -> tuple[str, str, str, str]:
    """Return a row's cells."""
    share = f"{format_down(100 * row.share, 2)} %" if row.share > 0 else NONE
    return row.method, f"{row.draws:,}", f"{row.inputs:,}", share
