"""Show a plan, and what predictions will cost, as tables; return both as values for JSON."""

from typing import Any

from simplicert import machine
from simplicert.mechanisms.naming import UNITS
from simplicert.metrics.numbers import NONE, format_down, format_up
from simplicert.noises import GAUSSIAN, say_noise
from simplicert.plan.declared import DeclaredSettings
from simplicert.plan.report import PlanReport, SamplingLoss
from simplicert.plan.serving import REPEATS, ServingEstimate
from simplicert.tables.grid import Grid


def plan_tables(report: PlanReport) -> list[Grid]:
    """Show reach, loss and cost, each under a title that says what was assumed."""
    return [_reach_table(report), _loss_table(report), _cost_table(report)]


def _reach_table(report: PlanReport) -> Grid:
    """Show the largest radius that the draws can reach, and the fewest draws that certify."""
    declared, wanted = report.declared, report.radius
    title = (
        f"largest radius{_describe_unit(declared)} where all {report.work.draws:,} draws agree: "
        f"{say_noise(declared.noise, declared.sigma)}, "
        f"alpha {declared.alpha:.15g}, {declared.kind}, {declared.classes} classes"
    )
    headings = ["scheme", "of alpha", "two_sided", declared.one_sided, "fewest draws"]
    headings += [f"for radius {wanted:.15g}"] if wanted is not None else []
    decimals = 0 if declared.threat.whole else 4
    rows = []
    for row in report.reach:
        cells = [
            row.scheme,
            f"{row.share:g}",
            format_down(row.two_sided, decimals),
            format_down(row.one_sided, decimals),
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
        says = "is Cohen et al. (2019)" if declared.one_sided == "cohen" else "reads e0 alone"
        notes.append(f"split, one_sided {says}: 100 draws more select the class")
    return Grid(title, tuple(headings), rows, tuple(notes), name="reach")


def _loss_table(report: PlanReport) -> Grid:
    """Show the radius that is lost to sampling."""
    several = len(report.population) > 1
    title = f"radius lost to sampling: {report.population.source}"
    rows = [(f"{row.draws:,}", *_loss_cells(row)) for row in report.losses]
    notes = ("counts at their expectation", *["mean radii over the inputs"] * several)
    headings = ("draws", "certified", "with endless draws", "lost", "lost %")
    return Grid(title, headings, rows, ("; ".join(notes),), name="loss")


def _loss_cells(row: SamplingLoss) -> tuple[str, str, str, str]:
    """Return a row's cells: radii rounded down, the loss rounded up."""
    lost = row.true - row.certified
    return (
        format_down(row.certified, 4),
        format_down(row.true, 4),
        format_up(lost, 4),
        format_up(100 * lost / row.true if row.true else None, 1),
    )


def _cost_table(report: PlanReport) -> Grid:
    """Show the draws and the time that each rule takes."""
    work, fixed = report.work, report.costs[0]
    title = f"{work.inputs:,} inputs of up to {work.draws:,} draws: {report.population.source}"
    together = f"{work.workers} workers" if work.workers > 1 else ""
    headings = ["until", "draws per input", "of fixed", "certified", "mean radius", "one worker"]
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
        notes.append(f"certified: at radius {report.radius:.15g} or more")
    elif report.declared.threat.whole:
        notes.append("certified: at radius 1 or more")
    if report.simulated != report.declared.scheme:
        notes.append(
            f"simulated by scheme {report.simulated}, which takes more draws than "
            f"{report.declared.scheme}"
        )
    if work.throughput is None:
        notes.append("no times: give a throughput, or a pilot run that was drawn here")
    elif together:
        notes.append("workers: until the one with most to draw is done")
    return Grid(title, tuple(headings), rows, tuple(notes), name="cost")


def plan_record(report: PlanReport) -> dict[str, Any]:
    """Return a plan at full precision, as values that JSON can hold."""
    one_sided = report.declared.one_sided
    return {
        "declared": _declared_record(report.declared),
        "work": vars(report.work),
        "radius": report.radius,
        "population": {"source": report.population.source, "inputs": len(report.population)},
        "reach": [
            {one_sided if name == "one_sided" else name: value for name, value in row}
            for row in (row._asdict().items() for row in report.reach)
        ],
        "losses": [{**row._asdict(), "lost": row.true - row.certified} for row in report.losses],
        "costs": [row._asdict() for row in report.costs],
        "simulated_by": report.simulated,
    }


def _declared_record(declared: DeclaredSettings) -> dict[str, Any]:
    """Return the settings as JSON holds them; noise and norm where they are not the usual ones."""
    held = dict(vars(declared))
    noise, norm = held.pop("noise"), held.pop("norm")
    plain = noise == GAUSSIAN and declared.usual
    return held if plain else {**held, "noise": noise.record(), "norm": norm}


def _describe_unit(declared: DeclaredSettings) -> str:
    """Return what radii are measured in, where it is not l2: " in l1", " in features"."""
    if declared.noise == GAUSSIAN and declared.usual:
        return ""
    return f" in {UNITS.get(declared.norm or '', declared.norm)}"


def serving_table(estimate: ServingEstimate) -> Grid:
    """Show what predictions of inputs like these will cost."""
    service = estimate.service
    rows = [
        ("draws of a prediction, mean", f"{estimate.mean:,.1f}"),
        ("draws of a prediction, 99 % are below", f"{estimate.slow:,.0f}"),
        ("seconds of one worker, mean", _format_seconds(estimate.mean, service.seconds)),
        ("seconds of one worker, 99 % are below", _format_seconds(estimate.slow, service.seconds)),
        ("abstains", f"{format_up(100 * estimate.abstained, 2)} %"),
        ("gives another class than the run's", f"{format_up(100 * estimate.disagreed, 2)} %"),
    ]
    if estimate.radius is not None:
        live = estimate.radius > 0
        rows.append(
            ("has an operational radius", f"{format_down(100 * live.mean(), 1)} % of inputs")
        )
        rows.append(
            ("operational radius, mean over all", format_down(float(estimate.radius.mean()), 4))
        )
    rows.append(
        (
            "a million predictions cost",
            NONE if estimate.million is None else f"{estimate.million:,.2f}",
        )
    )
    notes = [
        *([estimate.basis] if estimate.basis else []),
        *([_describe_function(estimate.function)] if estimate.function else []),
        f"simulated with a fixed seed, {REPEATS} predictions per input: {estimate.source}",
        "an input by itself; together they fill batches and take less",
        *(["no times: the run was not drawn here"] if service.seconds is None else []),
        *(["no costs: give the price of an hour of one worker"] if service.price is None else []),
    ]
    title = f"predict with up to {service.draws:,} draws at alpha {service.alpha:g}"
    return Grid(title, ("", "value"), rows, tuple(notes), name="serving")


def serving_record(estimate: ServingEstimate) -> dict[str, Any]:
    """Return the estimate as values that JSON can hold."""
    service = estimate.service
    return {
        "draws_at_most": service.draws,
        "alpha": service.alpha,
        "mean_draws": estimate.mean,
        "slow_draws": estimate.slow,
        "seconds_a_draw": service.seconds,
        "abstained": estimate.abstained,
        "disagreed": estimate.disagreed,
        "price_a_million": estimate.million,
        "smoothed": estimate.function,
        "operational_radius_rests_on": estimate.basis,
        "operational_radius": None if estimate.radius is None else estimate.radius.tolist(),
    }


def _describe_function(function: dict[str, Any]) -> str:
    """Say in a sentence which smoothed classifier predicts."""
    shown = {
        name: f"{value:g}" if type(value) is float else value for name, value in function.items()
    }
    listed = ", ".join(f"{name} {value}" for name, value in shown.items())
    return f"of the run's own function, and of no other: Smoothed with {listed}"


def _format_seconds(draws: float, seconds: float | None) -> str:
    """Format the seconds of some draws, rounded up."""
    return NONE if seconds is None else format_up(draws * seconds, 4)


def _format_draws(number: int | None, most: int) -> str:
    """Format a number of draws, or say that it is over the most that can be planned."""
    return f"over {most:,}" if number is None else f"{number:,}"


def format_duration(seconds: float | None) -> str:
    """Format seconds in at most two units, such as 3 h 22 min."""
    return NONE if seconds is None else machine.format_duration(seconds)
