"""`simplicert population`: certify a share of all inputs, from few draws of many."""

from pathlib import Path
from typing import Annotated

import typer

from simplicert.cli.saying import print_json, print_lines

app = typer.Typer(
    help="Certify a share of all inputs, from few draws of many.", no_args_is_help=True
)


@app.callback()
def _population_options() -> None:
    """Certify a share of all inputs, from few draws of many."""


@app.command("design")
def _design(
    radius: Annotated[
        list[float], typer.Option(help="May be repeated: radii divide the confidence.")
    ],
    draws: Annotated[int, typer.Option(help="k: noisy copies of each input.")],
    inputs: Annotated[
        int, typer.Option(help="How many will be certified, the pilot's not counted.")
    ],
    out: Annotated[Path, typer.Option(help="The new design, a TOML file.")],
    sigma: Annotated[
        float | None, typer.Option(help="Of the noise; needed without a pilot, whose it is else.")
    ] = None,
    pilot: Annotated[Path | None, typer.Option(help="A run on other inputs, with labels.")] = None,
    prior: Annotated[
        str | None,
        typer.Option(
            help="Without a pilot: two parameters of a Beta distribution; default: 0.5,0.5."
        ),
    ] = None,
    confidence: Annotated[float, typer.Option(help="Of all radii together.")] = 0.999,
    classifier: Annotated[
        str, typer.Option(help="smoothed, or randomised: one noisy answer.")
    ] = "smoothed",
    penalty: Annotated[
        float, typer.Option(help="How far below 0 a coefficient of the design may go.")
    ] = 1.0,
    sensitivity: Annotated[
        float, typer.Option(help="Lipschitz constant of a stage that made the data.")
    ] = 1.0,
) -> None:
    """Fix everything before the draws: coefficients, radii, draws per input and confidence.

    Then draw with `sample --draws k`, and certify by this design.

    Example: simplicert population design --pilot runs/pilot --radius .25 --draws 64 --inputs 1000
    --out population.toml

    Without a pilot, and for the classifier that answers by one noisy copy:

    Example: simplicert population design --sigma .25 --radius .1 --draws 4 --inputs 1000
    --classifier randomised --out one.toml
    """
    from simplicert.errors import InvalidInput, MissingEvidence, require
    from simplicert.metrics.numbers import format_exactly
    from simplicert.populations import design_population
    from simplicert.populations.designing import PRIOR
    from simplicert.store import Run, open_run

    run = None
    if pilot is not None:
        found = open_run(pilot)
        if not isinstance(found, Run):
            raise MissingEvidence(f"pilot must hold tallies, and {pilot} is a log without counts")
        run, sigma = found, found.manifest.sigma if sigma is None else sigma
    require(sigma is not None, "sigma must be given where there is no pilot run")
    require(not out.exists(), f"out must be a new file, and {out} is already there")
    require(run is None or prior is None, f"prior must not be given with a pilot, got {prior!r}")
    try:
        first, second = PRIOR if prior is None else (float(word) for word in prior.split(","))
    except ValueError:
        raise InvalidInput(f"prior must be two numbers such as 0.5,0.5, got {prior!r}") from None
    assert sigma is not None
    design = design_population(
        sigma,
        radius,
        draws,
        inputs,
        confidence,
        pilot=run,
        prior=(first, second),
        classifier=classifier,
        penalty=penalty,
        sensitivity=sensitivity,
    )
    design.write(out)
    print_lines(
        f"{out}: recorded at {design.recorded}, fingerprint {design.fingerprint}",
        f"next, on {inputs:,} inputs: simplicert sample --sigma {format_exactly(sigma)} --draws "
        f"{draws} --seed {design.seed} --reserve 0 ...",
    )


@app.command("certify")
def _certify(
    run: Annotated[Path, typer.Argument(help="A run that was drawn for the design.")],
    design: Annotated[Path, typer.Option(help="Made before the draws.")],
    without_pilot: Annotated[
        bool, typer.Option("--without-pilot", help="Leave the inputs of the pilot out.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, at full precision.")] = False,
) -> None:
    """State with confidence for which share of inputs like these the classifier is right within r.

    Example: simplicert population certify runs/few --design few.toml
    """
    from simplicert.populations import population
    from simplicert.store import open_run

    found = population(open_run(run), design, leave_out_pilot=without_pilot)  # type: ignore[arg-type]
    if as_json:
        print_json(found.record())
        return
    from simplicert.cli.screen import print_table
    from simplicert.tables.population import population_table

    print_table(population_table(found))
    for item in found.shares:
        print_lines("", item.sentence)
    for text in found.remarks:
        print_lines("", text)
