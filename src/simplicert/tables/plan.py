"""A plan as tables for a reader, and as a record for machines."""

from typing import Any

from simplicert.metrics.numbers import NONE, format_down, format_up
from simplicert.plan.report import PlanReport, SamplingLoss
from simplicert.plan.serving import REPEATS, ServingEstimate
from simplicert.tables.grid import Grid


def serving_table(found: ServingEstimate) -> Grid:
    """As a reader sees it."""
    service = found.service
    rows = [
        ("draws of a prediction, mean", f"{found.mean:,.1f}"),
        ("draws of a prediction, 99 % are below", f"{found.slow:,.0f}"),
        ("seconds of one worker, mean", _format_seconds(found.mean, service.seconds)),
        ("seconds of one worker, 99 % are below", _format_seconds(found.slow, service.seconds)),
        ("abstains", f"{format_up(100 * found.abstained, 2)} %"),
        ("gives another class than the run's", f"{format_up(100 * found.disagreed, 2)} %"),
    ]
    if found.radius is not None:
        live = found.radius > 0
        rows.append(
            ("has an operational radius", f"{format_down(100 * live.mean(), 1)} % of inputs")
        )
        rows.append(
            ("operational radius, mean over all", format_down(float(found.radius.mean()), 4))
        )
    rows.append(
        ("a million predictions cost", NONE if found.million is None else f"{found.million:,.2f}")
    )
    notes = [
        *([found.basis] if found.basis else []),
        *([_describe_function(found.function)] if found.function else []),
        f"simulated with a fixed seed, {REPEATS} predictions an input: {found.source}",
        "an input by itself; together they fill batches and take less",
        *(["no times: the run was not drawn here"] if service.seconds is None else []),
        *(["no costs: give the price of an hour of one worker"] if service.price is None else []),
    ]
    title = f"predict with up to {service.draws:,} draws at alpha {service.alpha:g}"
    return Grid(title, ("", "value"), rows, tuple(notes))


def _describe_function(function: dict[str, Any]) -> str:
    """Which function predicts, in a sentence."""
    shown = {
        name: f"{value:g}" if type(value) is float else value for name, value in function.items()
    }
    listed = ", ".join(f"{name} {value}" for name, value in shown.items())
    return f"of the run's own function, and of no other: Smoothed with {listed}"


def _format_seconds(draws: float, seconds: float | None) -> str:
    """Seconds, rounded up."""
    return NONE if seconds is None else format_up(draws * seconds, 4)


def serving_record(found: ServingEstimate) -> dict[str, Any]:
    """For machines."""
    service = found.service
    return {
        "draws_at_most": service.draws,
        "alpha": service.alpha,
        "mean_draws": found.mean,
        "slow_draws": found.slow,
        "seconds_a_draw": service.seconds,
        "abstained": found.abstained,
        "disagreed": found.disagreed,
        "price_a_million": found.million,
        "smoothed": found.function,
        "operational_radius_rests_on": found.basis,
        "operational_radius": None if found.radius is None else found.radius.tolist(),
    }


MINUTE, HOUR, DAY = 60, 3600, 86400


def plan_tables(report: PlanReport) -> list[Grid]:
    """Reach, loss and cost, each under a title that says what was assumed."""
    return [_reach_table(report), _loss_table(report), _cost_table(report)]


def _reach_table(report: PlanReport) -> Grid:
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
        cells = [
            row.scheme,
            f"{row.share:g}",
            format_down(row.two_sided, 4),
            format_down(row.cohen, 4),
        ]
        cells += [_format_draws(row.fewest, declared.most)]
        cells += [_format_draws(row.fewest_for_radius, declared.most)] if wanted is not None else []
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


def _loss_table(report: PlanReport) -> Grid:
    """What sampling costs in radius."""
    several = len(report.population) > 1
    title = f"radius lost to sampling: {report.population.source}"
    rows = [(f"{row.draws:,}", *_loss_cells(row)) for row in report.losses]
    notes = ("counts at their expectation", *["mean radii over the inputs"] * several)
    headings = ("draws", "certified", "with endless draws", "lost", "lost %")
    return Grid(title, headings, rows, ("; ".join(notes),))


def _loss_cells(row: SamplingLoss) -> tuple[str, str, str, str]:
    """The certified radius rounded down, the loss rounded up."""
    lost = row.true - row.certified
    return (
        format_down(row.certified, 4),
        format_down(row.true, 4),
        format_up(lost, 4),
        format_up(100 * lost / row.true if row.true else None, 1),
    )


def _cost_table(report: PlanReport) -> Grid:
    """Draws and time by each rule."""
    work, fixed = report.work, report.costs[0]
    title = f"{work.inputs:,} inputs of up to {work.draws:,} draws: {report.population.source}"
    together = f"{work.workers} workers" if work.workers > 1 else ""
    headings = ["until", "draws an input", "of fixed", "certified", "mean radius", "one worker"]
    headings += [together] if together else []
    rows = []
    for row in report.costs:
        share = f"{format_up(100 * row.draws / fixed.draws, 1)} %"
        cells = [row.rule, f"{row.draws:,.0f}", share, f"{format_down(100 * row.certified, 1)} %"]
        cells += [format_down(row.mean_radius, 4), format_duration(row.seconds)]
        cells += [format_duration(row.shared)] if together else []
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


def _format_draws(number: int | None, most: int) -> str:
    """A number of draws, or that there is none in reach."""
    return f"over {most:,}" if number is None else f"{number:,}"


def format_duration(seconds: float | None) -> str:
    """Seconds as a reader says them, two units at most."""
    if seconds is None:
        return NONE
    if seconds < MINUTE:
        return f"{format_up(seconds, 1)} s"
    if seconds < HOUR:
        return f"{seconds // MINUTE:.0f} min {seconds % MINUTE:.0f} s"
    if seconds < DAY:
        return f"{seconds // HOUR:.0f} h {seconds % HOUR // MINUTE:.0f} min"
    return f"{seconds // DAY:,.0f} d {seconds % DAY // HOUR:.0f} h"


def plan_record(report: PlanReport) -> dict[str, Any]:
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
