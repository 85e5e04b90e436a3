"""`simplicert history`: the gate's numbers over time, as a table, a figure or JSON."""

from pathlib import Path
from typing import Annotated

import typer

from simplicert.cli.norm_options import RunNormOption, RunSizeOption
from simplicert.cli.saying import print_json, print_lines

PICTURES = (".png", ".pdf", ".svg")


def history(
    runs: Annotated[list[Path], typer.Argument(help="Run folders, in any order.")],
    measure: Annotated[
        list[str] | None,
        typer.Option(help="accuracy@0.25, average_radius, ...; may be repeated."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Table: .md, .tex, .html, .csv, .json; figure: .png, .pdf, .svg."),
    ] = None,
    label: Annotated[list[str] | None, typer.Option(help="RUN=name.")] = None,
    intervals: Annotated[bool, typer.Option(help="95 % intervals over the inputs.")] = True,
    sensitivity: Annotated[
        float | None, typer.Option(help="Of the stage before the noise; default: each run's own.")
    ] = None,
    norm: RunNormOption = None,
    size: RunSizeOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, at full precision.")] = False,
) -> None:
    """Follow the measures of `gate` from run to run, by the date at which each began.

    Measures: accuracy@R, statement@R, average_radius, median_radius, abstained. The commit is shown
    where a build server told it to `sample` (GITHUB_SHA or CI_COMMIT_SHA). Runs may be over
    different inputs, which the table counts; for a test between two of them, use `compare`.

    Example: simplicert history runs/last runs/mine --measure accuracy@0.25

    As a figure, one panel for each measure:

    Example: simplicert history runs/last runs/mine --out history.png
    """
    from simplicert.cli.saying import parse_labels
    from simplicert.cli.screen import print_table
    from simplicert.errors import require
    from simplicert.files import write_atomically
    from simplicert.metrics.history import trace_history
    from simplicert.metrics.measures import parse_measure
    from simplicert.metrics.study import read_studies
    from simplicert.tables import FORMATS
    from simplicert.tables.formats import choose_format
    from simplicert.tables.history import history_table

    asked = [parse_measure(text) for text in measure or ()]
    twice = {item.text for item in asked if asked.count(item) > 1}
    require(not twice, f"measure must be named once each, got {', '.join(sorted(twice))} twice")
    require(not as_json or out is None, "json must come without out: it prints the history")
    picture = out is not None and out.suffix.lower() in PICTURES
    chosen = "screen" if picture else choose_format(None, out)
    if out is not None:
        inside = any(run.resolve() in out.resolve().parents for run in runs)
        require(not inside, f"out must not lie inside a run it is made from, got {str(out)!r}")
        require(out.parent.is_dir(), f"out must lie in a folder that exists, got {str(out)!r}")
    studies = read_studies(
        runs, parse_labels(label or [], runs), sensitivity=sensitivity, norm=norm, size=size
    )
    points = trace_history(studies, asked)
    if as_json:
        print_json({"history": [point.record() for point in points]})
        return
    grid = history_table(points, intervals=intervals)
    if out is None:
        print_table(grid)
        return
    if picture:
        from simplicert.figures.history import save_history

        save_history(points, out)
    else:
        write_atomically(out, FORMATS[chosen](grid).encode())
    print_lines(f"wrote {out}")
