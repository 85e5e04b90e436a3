"""`simplicert table`: compare runs side by side, in the tables that papers print."""

from pathlib import Path
from typing import Annotated

import typer

from simplicert.cli.many_options import CommonOption
from simplicert.cli.norm_options import RunNormOption, RunSizeOption
from simplicert.cli.saying import print_content, print_lines


def table(
    runs: Annotated[list[Path], typer.Argument(help="Run folders, logs, or folders of them.")],
    style: Annotated[str, typer.Option(help="field, paper1, paper2 or pairs.")] = "field",
    format_: Annotated[
        str | None,
        typer.Option(
            "--format", help="screen, markdown, latex, html, csv or json; default: by --out."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="File: .md, .tex, .html, .csv or .json.")] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(help="RUN=name; runs of one method at several sigmas may share a name."),
    ] = None,
    radii: Annotated[
        str | None, typer.Option(help="Comma-separated; default: round ones that the runs reach.")
    ] = None,
    kind: Annotated[str | None, typer.Option(help="Default: each run's own.")] = None,
    column: Annotated[
        str | None, typer.Option(help="radius (the largest), ensemble, two_sided, cohen, ...")
    ] = None,
    population: Annotated[str | None, typer.Option(help="all inputs, or the correct ones.")] = None,
    inclusive: Annotated[
        bool | None, typer.Option("--inclusive", help="Count radius >= r, not radius > r.")
    ] = None,
    intervals: Annotated[
        bool | None, typer.Option(help="95 % intervals over the choice of inputs.")
    ] = None,
    sensitivity: Annotated[
        float | None, typer.Option(help="Of the stage before the noise; default: each run's own.")
    ] = None,
    norm: RunNormOption = None,
    size: RunSizeOption = None,
    common: CommonOption = False,
    published: Annotated[
        str | None,
        typer.Option(
            help="The literature's rows below: cifar10-l2, imagenet-l2, cifar10-l1 or imagenet-l1."
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, at full precision: --format json.")
    ] = False,
    claims: Annotated[
        Path | None,
        typer.Option(help="TOML of [[claim]] tables: what the logs do not say, by path."),
    ] = None,
) -> None:
    """Certified accuracy at radii, the paper's two tables, or runs in pairs.

    Example: simplicert table runs/a runs/b --label runs/a=Cohen --out table.tex

    As a page of its own, or for programs:

    Example: simplicert table runs/a runs/b --out table.html

    Example: simplicert table runs/a runs/b --json

    Over the correctly predicted inputs alone, which the title says:

    Example: simplicert table runs/mine --style paper1 --population correct

    Of an imported log, paper1 has the columns that exist and says which are missing.

    Runs on different inputs stand unpaired, each with its number of inputs; --common
    keeps the inputs that all of them hold, known by number and label:

    Example: simplicert table runs/a runs/b runs/mine --common

    Every two of several runs, with p-values corrected for their number:

    Example: simplicert table runs/a runs/b runs/mine --style pairs --radii 0.5

    Radii in different norms are not compared; --norm names one that all runs certify.

    What papers print, with paper, table and row, below the runs; claimed, not audited:

    Example: simplicert table runs/a runs/b --published cifar10-l2

    Logs of other tools are read as `board` reads them: sigma, draws and alpha come
    from the log, from its path (sigma_0.25), or from a board.toml beside it.

    Example: simplicert table logs --label logs=Cohen
    """
    from simplicert.board.gathering import gather_runs
    from simplicert.cli.saying import parse_labels
    from simplicert.cli.screen import print_table
    from simplicert.errors import choose, require
    from simplicert.files import write_atomically
    from simplicert.metrics.study import read_studies
    from simplicert.tables import FORMATS, STYLES, TableOptions, make_table
    from simplicert.tables.formats import choose_format

    choose("style", style, STYLES)
    require(
        not as_json or (format_ in (None, "json") and out is None),
        "json must come without format and out: it prints the table as JSON",
    )
    chosen = choose_format("json" if as_json else format_, out)
    choices = TableOptions(
        kind, column, population, parse_radii(radii), inclusive, intervals, published,
        common or None,
    )  # fmt: skip
    if out is not None:
        places = (out.resolve(), *out.resolve().parents)
        inside = any(run.resolve() in places for run in runs)
        require(not inside, f"out must not lie inside a run it is made from, got {str(out)!r}")
        require(out.parent.is_dir(), f"out must lie in a folder that exists, got {str(out)!r}")
    with gather_runs(runs, parse_labels(label or [], runs), claims) as gathered:
        studies = read_studies(
            gathered.folders,
            gathered.names,
            one_name_per_sigma=True,
            sensitivity=sensitivity,
            norm=norm,
            size=size,
        )
        grid = make_table(studies, style, choices)
        grid = grid._replace(notes=(*grid.notes, *gathered.notes))
    if chosen == "screen":
        print_table(grid)
        return
    text = FORMATS[chosen](grid)
    if out is None:
        print_content(text)
        return
    write_atomically(out, text.encode())
    print_lines(f"wrote {out}")


def parse_radii(text: str | None) -> tuple[float, ...] | None:
    """Parse comma-separated radii, each once, in rising order."""
    from simplicert.errors import InvalidInput

    if text is None:
        return None
    try:
        return tuple(sorted({float(word) for word in text.split(",")}))
    except ValueError:
        raise InvalidInput(f"radii must be numbers separated by commas, got {text!r}") from None
