"""`simplicert import`: runs from other people's logs."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Make a run from another tool's log.", no_args_is_help=True)


@app.callback()
def formats() -> None:
    """Make a run from another tool's log."""


@app.command()
def counts(
    file: Annotated[Path, typer.Argument(help="Text: K counts, then the label; or npz.")],
    sigma: Annotated[float, typer.Option(help="Standard deviation of the noise of the draws.")],
    out: Annotated[Path, typer.Option(help="The new run folder.")],
    labels: Annotated[bool, typer.Option(help="Whether the last column is the label.")] = True,
    pilot: Annotated[
        Path | None, typer.Option(help="Counts of separate draws, for scheme split.")
    ] = None,
    alpha: Annotated[float, typer.Option(help="Failure probability of one certificate.")] = 0.001,
    kind: Annotated[
        str, typer.Option(help="multinomial (hard) or softmax (soft).")
    ] = "multinomial",
    scheme: Annotated[str, typer.Option(help="gated, paper or split.")] = "gated",
) -> None:
    """A table of class counts, one row an input: text, or npz with arrays named as in Tally.

    Alpha, kind and scheme are declared here, before the certificates are seen.
    """
    from simplicert.runs.logs import import_counts

    run = import_counts(
        file, sigma, out, labelled=labels, pilot=pilot, alpha=alpha, kind=kind, scheme=scheme
    )
    typer.echo(f"{run.tally()!r}\nwrote {out}")
