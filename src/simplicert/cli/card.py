"""`simplicert card`: what may be said of a run and what may not, on one page."""

from pathlib import Path
from typing import Annotated

import typer

from simplicert.cli.norm_options import RunNormOption, RunSizeOption
from simplicert.cli.saying import print_content, print_lines

FAILED_EXIT = 1  # the card is written, and something about the run does not hold


def card(
    run: Annotated[Path, typer.Argument(help="Run folder.")],
    out: Annotated[
        Path | None, typer.Option(help="File: .md, .html or .svg (a badge); default: printed.")
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="markdown, html, badge or model-card (a Hugging Face README); default: by --out.",
        ),
    ] = None,
    name: Annotated[str | None, typer.Option(help="On the card; default: the folder's.")] = None,
    attack: Annotated[
        Path | None, typer.Option(help="CSV of `simplicert attack`; default: the run's own.")
    ] = None,
    design: Annotated[
        Path | None,
        typer.Option(help="Of the run's population certificate, made before the draws."),
    ] = None,
    certificates: Annotated[
        list[Path] | None,
        typer.Option(help="CSV or Parquet made from the run, to be verified; may be repeated."),
    ] = None,
    radius: Annotated[
        float | None,
        typer.Option(help="Of the statement, fixed beforehand; default: half the noise's scale."),
    ] = None,
    radii: Annotated[str | None, typer.Option(help="Of the table; comma-separated.")] = None,
    draws: Annotated[int, typer.Option(help="Of a served decision.")] = 1000,
    claims: Annotated[
        Path | None, typer.Option(help="Write the run's entry for a board here too, as TOML.")
    ] = None,
    sensitivity: Annotated[
        float | None, typer.Option(help="Of the stage before the noise; default: the run's own.")
    ] = None,
    norm: RunNormOption = None,
    size: RunSizeOption = None,
) -> None:
    """Say what is certified and what is not, what it costs, what was checked, and how to say it.

    Example: simplicert card runs/mine --out card.html

    The run is verified without drawing again; exit code 1: something about it does not hold.

    As the README.md of a Hugging Face model, its results in the metadata:

    Example: simplicert card runs/mine --format model-card --out README.md

    A badge for a README, with the accuracy at one radius, rounded down:

    Example: simplicert card runs/mine --radius .25 --out badge.svg

    With the entry by which a board takes the run:

    Example: simplicert card runs/mine --out card.md --claims runs/board.toml
    """
    from simplicert.cards import card as make_card
    from simplicert.cards.files import choose_form, write_card, write_claims
    from simplicert.cli.progress import show_reading_progress
    from simplicert.cli.table import parse_radii

    chosen = choose_form(form, out)
    with show_reading_progress(quiet=False):
        made = make_card(
            run,
            name=name,
            attack=attack,
            design=design,
            certificates=certificates or (),
            radius=radius,
            radii=parse_radii(radii),
            draws=draws,
            sensitivity=sensitivity,
            norm=norm,
            size=size,
        )
    text = chosen(made)
    if out is None:
        print_content(text)
    else:
        write_card(text, out, run)
        print_lines(f"wrote {out}")
    if claims is not None:
        write_claims(run, claims, made.name)
        print_lines(f"wrote {claims}")
    if not made.believable:
        raise typer.Exit(FAILED_EXIT)
