"""`simplicert plan`: what a number of draws can reach and what it costs, before any is made."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from simplicert.cli.saying import print_json, print_lines
from simplicert.cli.threat_options import KeepOption, NormOption, RateOption, SizeOption

if TYPE_CHECKING:
    from simplicert.plan import DeclaredSettings
    from simplicert.store import Run


CONFIDENCE = 0.999  # of a population certificate
PREDICTION = 1000  # most draws of a prediction, unless --draws says otherwise


def plan(
    draws: Annotated[int | None, typer.Option(help="Noisy copies of each input.")] = None,
    sigma: Annotated[float | None, typer.Option(help="Of the noise; default: the run's.")] = None,
    alpha: Annotated[float | None, typer.Option(help="Default: the run's, or 0.001.")] = None,
    kind: Annotated[str | None, typer.Option(help="multinomial or softmax.")] = None,
    scheme: Annotated[str | None, typer.Option(help="gated, joint, paper or split.")] = None,
    classes: Annotated[int | None, typer.Option(help="K; default: the run's, or 10.")] = None,
    reserve: Annotated[
        str | None, typer.Option(help="Share of alpha for later --extend; default: 10%.")
    ] = None,
    sensitivity: Annotated[
        float | None, typer.Option(help="Of the stage before the noise; default: the run's, or 1.")
    ] = None,
    radius: Annotated[
        list[float] | None, typer.Option(help="One radius that is to be reached.")
    ] = None,
    pa: Annotated[float | None, typer.Option(help="Expectation of the top class.")] = None,
    pb: Annotated[float | None, typer.Option(help="Of the runner-up; default: 1 - pa.")] = None,
    run: Annotated[Path | None, typer.Option(help="Pilot run: inputs like these.")] = None,
    throughput: Annotated[
        float | None, typer.Option(help="Draws a second of one worker; default: the run's.")
    ] = None,
    inputs: Annotated[int | None, typer.Option(help="Default: the run's, or 500.")] = None,
    workers: Annotated[int, typer.Option(help="Processes that share the inputs.")] = 1,
    until: Annotated[
        list[str] | None,
        typer.Option(help="radius=R, atol=0.01, rtol=0.05, decided; may be repeated."),
    ] = None,
    serve: Annotated[
        Path | None, typer.Option(help="Run: what predictions of such inputs will cost.")
    ] = None,
    price: Annotated[
        float | None, typer.Option(help="Of an hour of one worker, with --serve.")
    ] = None,
    population: Annotated[
        int | None,
        typer.Option(
            help="All draws: divide them for the largest certified share; with --run, --radius."
        ),
    ] = None,
    confidence: Annotated[
        float | None, typer.Option(help="With --population; default: 0.999.")
    ] = None,
    noise: Annotated[
        str | None, typer.Option(help="Default: the run's, or gaussian; see `radius --help`.")
    ] = None,
    scale: Annotated[float | None, typer.Option(help="Of noise that is not Gaussian.")] = None,
    norm: NormOption = None,
    size: SizeOption = None,
    keep: KeepOption = None,
    rate: RateOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, at full precision.")] = False,
) -> None:
    """Largest radius in reach, fewest draws that certify, radius lost to sampling, cost in time.

    Example: simplicert plan --sigma .5 --draws 100000 --radius .5 --run runs/pilot --workers 4

    Example: simplicert plan --noise laplace --scale .5 --draws 10000 --radius 1 --pa .9

    With --serve: draws, latency, abstentions and cost of predictions, by the tallies of a run.

    Example: simplicert plan --serve runs/mine --draws 500 --throughput 10000 --price 2.50

    With --population: how to divide so many draws into inputs and draws per input, so that the
    largest share of inputs like the run's is certified at --radius. It needs a pilot run (--run):
    what few draws certify depends on what the inputs are like.

    Example: simplicert plan --population 16000 --radius .25 --run runs/pilot
    """
    from simplicert.cli.planned import (
        choose_planned_noise,
        choose_population,
        declare_settings,
        open_pilot,
        planned_work,
    )
    from simplicert.errors import require
    from simplicert.plan import make_plan_report
    from simplicert.store.parsing import parse_reserve
    from simplicert.tables.plan import plan_record, plan_tables
    from simplicert.types.plan import RESERVE

    require(serve is not None or price is None, f"price must come with serve, got {price} alone")
    wanted = _read_one_radius(radius)
    asked = {"noise": noise, "sigma": sigma, "scale": scale, "size": size}
    asked |= {"keep": keep, "rate": rate}
    if serve is not None:
        unwanted: dict[str, object] = {"run": run, "radius": wanted, "pa": pa, "pb": pb}
        unwanted |= {"until": until, "scheme": scheme, "classes": classes, "inputs": inputs}
        _refuse_beside("serve", unwanted | {"reserve": reserve, "norm": norm})
        _print_serving(
            open_pilot(serve, asked),
            draws,
            alpha,
            kind,
            throughput,
            price,
            sensitivity=sensitivity,
            as_json=as_json,
        )
        return
    if population is not None:
        unwanted = {"draws": draws, "pa": pa, "pb": pb, "until": until, "reserve": reserve}
        _refuse_beside("population", unwanted | {"classes": classes, "throughput": throughput})
        require(
            run is not None,
            "run must be given with population: a pilot run of inputs like these; without one "
            "`simplicert population design` assumes a prior",
        )
        require(wanted is not None, "radius must be given with population")
        assert run is not None and wanted is not None
        seen = open_pilot(run, asked)
        require(
            seen.manifest.noise is None and norm in (None, "l2"),
            "population must be left out with another noise than Gaussian and another norm than "
            f"l2: its proof is about those, got {seen.manifest.noise_model} and norm {norm}",
        )
        given = {"sigma": sigma, "alpha": alpha, "kind": kind, "scheme": scheme, "classes": None}
        settings = declare_settings(seen, sensitivity=sensitivity, **given)
        _print_division(seen, settings, population, wanted, confidence, inputs, as_json=as_json)
        return
    require(confidence is None, f"confidence must come with population, got {confidence} alone")
    require(draws is not None, "draws must be given: noisy copies of each input")
    assert draws is not None
    require(
        noise is not None or scale is not None or sigma is not None or run is not None,
        "sigma must be given where there is no pilot run",
    )
    require(
        run is None or pa is None, "pa must not be given with a pilot run, which says what it is"
    )
    require(pb is None or pa is not None, f"pb must come with pa, got pb = {pb} alone")
    pilot = None if run is None else open_pilot(run, asked)
    given = {"alpha": alpha, "kind": kind, "scheme": scheme, "classes": classes, "norm": norm}
    given |= choose_planned_noise(pilot, asked, norm)
    kept = RESERVE if reserve is None else parse_reserve(reserve)
    declared = declare_settings(pilot, reserve=kept, sensitivity=sensitivity, **given)
    work = planned_work(pilot, draws, inputs, workers, throughput)
    report = make_plan_report(
        declared, work, choose_population(pilot, declared, pa, pb), until or (), wanted
    )
    if as_json:
        print_json(plan_record(report))
        return
    from simplicert.cli.saying import print_warning
    from simplicert.cli.screen import print_table

    for place, grid in enumerate(plan_tables(report)):
        if place:
            print_lines()
        print_table(grid)
    if report.certifies_nothing:
        print_warning(
            f"{draws} draws certify nothing at alpha {declared.alpha:g}, even if all agree"
        )


def _refuse_beside(option: str, given: dict[str, object]) -> None:
    """Refuse options that have no place beside another."""
    from simplicert.errors import require

    for name, value in given.items():
        require(value is None, f"{name} has no place beside {option}, got {value}")


def _read_one_radius(given: list[float] | None) -> float | None:
    """Take the radius, which is one: the last of several would answer for all of them."""
    from simplicert.errors import require

    given = given or []
    named = " and ".join(f"{radius:.15g}" for radius in given)
    require(len(given) <= 1, f"radius must be given once, got {named}: plan answers for one radius")
    return given[0] if given else None


def _print_serving(
    run: "Run",
    draws: int | None,
    alpha: float | None,
    kind: str | None,
    throughput: float | None,
    price: float | None,
    *,
    sensitivity: float | None,
    as_json: bool,
) -> None:
    """Print what predictions cost, as a table or as JSON."""
    from simplicert.errors import choose
    from simplicert.plan import (
        ServiceSettings,
        describe_radius_basis,
        estimate_serving,
        pilot_population,
        serving_scheme,
        serving_settings,
    )
    from simplicert.smoothed import operational_radius
    from simplicert.tables.plan import serving_record, serving_table
    from simplicert.types import KINDS

    declared = run.manifest
    wanted = choose("kind", kind or declared.kind, KINDS)
    seconds = None
    if throughput is not None:
        seconds = 1 / throughput
    elif run.seconds > 0:
        seconds = run.seconds / int(run.tally().draws.sum())
    level = declared.alpha if alpha is None else alpha
    service = ServiceSettings(PREDICTION if draws is None else draws, level, seconds, price)
    scheme = serving_scheme(declared, wanted)
    certificates = run.certify(kind=wanted, scheme=scheme, sensitivity=sensitivity)
    radii = operational_radius(certificates, draws=service.draws, alpha=level)
    basis = describe_radius_basis(declared, certificates)
    function = serving_settings(certificates.known)
    seen = pilot_population(run.tally(), wanted)
    estimate = estimate_serving(service, seen, radii, basis=basis, function=function)
    if as_json:
        print_json(serving_record(estimate))
        return
    from simplicert.cli.screen import print_table

    print_table(serving_table(estimate))


def _print_division(
    pilot: "Run",
    declared: "DeclaredSettings",
    budget: int,
    radius: float,
    confidence: float | None,
    inputs: int | None,
    *,
    as_json: bool,
) -> None:
    """Print what each division of a budget of draws promises, as a table or as JSON."""
    from simplicert.plan.division import divide_budget
    from simplicert.tables.population import division_table

    level = CONFIDENCE if confidence is None else confidence
    division = divide_budget(pilot.tally(), declared, budget, radius, level, inputs)
    if as_json:
        rows = [row._asdict() for row in division.rows]
        print_json({**vars(division), "rows": rows})
        return
    from simplicert.cli.screen import print_table

    print_table(division_table(division))
