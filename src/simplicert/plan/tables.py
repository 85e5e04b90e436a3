"""A plan as tables for a reader and as a record for machines."""

from typing import Any

from simplicert.analysis.tables import Grid
from simplicert.analysis.tables.numbers import NONE, down, up
from simplicert.plan.report import Loss, Report

MINUTE, HOUR, DAY = 60, 3600, 86400


def tables(report: Report) -> list[Grid]:
    """Reach, loss and cost, each under a title that says what was assumed."""
    return [reach_table(report), loss_table(report), cost_table(report)]


def reach_table(report: Report) -> Grid:
    """How far the draws can reach, and the fewest that reach anything."""
    declared, wanted = report.declared, report.radius
    title = (
        f"largest radius where all {report.work.draws:,} draws agree: sigma {declared.sigma:g}, "
        f"alpha {declared.alpha:g}, {declared.kind}, {declared.classes} classes"
    )
    headings = ["scheme", "of alpha", "two_sided", "cohen", "fewest draws"]
    headings += [f"for radius {wanted:g}"] if wanted is not None else []
    rows = []
    for row in report.reach:
        cells = [row.scheme, f"{row.share:g}", down(row.two_sided, 4), down(row.cohen, 4)]
        cells += [whole(row.fewest, declared.most)]
        cells += [whole(row.fewest_for_radius, declared.most)] if wanted is not None else []
        rows.append(tuple(cells))
    once = report.reach[0].share
    notes = [
        f"a fixed plan has {once:g} of alpha, the last look of one that stops early half of it"
    ]
    if declared.reserve:
        kept = f"{100 * declared.reserve:g} % of alpha is kept for a later --extend"
        notes.append(f"{kept}; `sample --reserve 0` keeps none")
    if declared.sensitivity != 1:
        notes.append(
            f"radii are distances of the input of a first stage of sensitivity "
            f"{declared.sensitivity:g}"
        )
    if declared.kind == "multinomial":
        notes.append("split, one_sided is Cohen et al. (2019): 100 draws more select the class")
    return Grid(title, tuple(headings), rows, tuple(notes))


def loss_table(report: Report) -> Grid:
    """What sampling costs in radius."""
    several = len(report.population) > 1
    title = f"radius lost to sampling: {report.population.source}"
    rows = [(f"{row.draws:,}", *certified_and_lost(row)) for row in report.losses]
    notes = ("counts at their expectation", *["mean radii over the inputs"] * several)
    headings = ("draws", "certified", "with endless draws", "lost", "lost %")
    return Grid(title, headings, rows, ("; ".join(notes),))


def certified_and_lost(row: Loss) -> tuple[str, str, str, str]:
    """The certified radius rounded down, the loss rounded up."""
    lost = row.true - row.certified
    return (
        down(row.certified, 4),
        down(row.true, 4),
        up(lost, 4),
        up(100 * lost / row.true if row.true else None, 1),
    )


def cost_table(report: Report) -> Grid:
    """Draws and time by each rule."""
    work, fixed = report.work, report.costs[0]
    title = f"{work.inputs:,} inputs of up to {work.draws:,} draws: {report.population.source}"
    together = f"{work.workers} workers" if work.workers > 1 else ""
    headings = ["until", "draws an input", "of fixed", "certified", "mean radius", "one worker"]
    headings += [together] if together else []
    rows = []
    for row in report.costs:
        share = f"{up(100 * row.draws / fixed.draws, 1)} %"
        cells = [row.rule, f"{row.draws:,.0f}", share, f"{down(100 * row.certified, 1)} %"]
        cells += [down(row.mean_radius, 4), duration(row.seconds)]
        cells += [duration(row.shared)] if together else []
        rows.append(tuple(cells))
    notes = ["simulated, with a fixed seed; an input that stops early is certified at its look"]
    if report.radius is not None:
        notes.append(f"certified: at radius {report.radius:g} or more")
    if report.simulated != report.declared.scheme:
        notes.append(
            f"simulated by scheme {report.simulated}, which takes more draws than "
            f"{report.declared.scheme}"
        )
    if work.throughput is None:
        notes.append("no times: give a throughput, or a pilot run that was drawn here")
    elif together:
        notes.append("workers: until the one with most to draw is done")
    return Grid(title, tuple(headings), rows, tuple(notes))


def whole(number: int | None, most: int) -> str:
    """A number of draws, or that there is none in reach."""
    return f"over {most:,}" if number is None else f"{number:,}"


def duration(seconds: float | None) -> str:
    """Seconds as a reader says them, two units at most."""
    if seconds is None:
        return NONE
    if seconds < MINUTE:
        return f"{up(seconds, 1)} s"
    if seconds < HOUR:
        return f"{seconds // MINUTE:.0f} min {seconds % MINUTE:.0f} s"
    if seconds < DAY:
        return f"{seconds // HOUR:.0f} h {seconds % HOUR // MINUTE:.0f} min"
    return f"{seconds // DAY:,.0f} d {seconds % DAY // HOUR:.0f} h"


def record(report: Report) -> dict[str, Any]:
    """The same for machines, at full precision."""
    return {
        "declared": vars(report.declared),
        "work": vars(report.work),
        "radius": report.radius,
        "population": {"source": report.population.source, "inputs": len(report.population)},
        "reach": [row._asdict() for row in report.reach],
        "losses": [{**row._asdict(), "lost": row.true - row.certified} for row in report.losses],
        "costs": [row._asdict() for row in report.costs],
        "simulated_by": report.simulated,
    }
