"""`simplicert report`: one self-contained HTML page of runs, or the simplex explorer."""

from pathlib import Path
from typing import Annotated

import typer


def report(
    runs: Annotated[
        list[Path] | None, typer.Argument(help="Run folders; none: the simplex explorer.")
    ] = None,
    out: Annotated[Path, typer.Option(help="The page.")] = Path("report.html"),
    label: Annotated[list[str] | None, typer.Option(help="RUN=name, on the page.")] = None,
    data: Annotated[
        str | None, typer.Option(help="Where the inputs are, for thumbnails; default: the run's.")
    ] = None,
    images: Annotated[bool, typer.Option(help="Thumbnails of the inputs.")] = True,
) -> None:
    """Write one HTML file that holds all it shows and calls nothing over the network.

    Example: simplicert report runs/mine --out report.html
    """
    from simplicert.analysis.report import write_report
    from simplicert.analysis.study import parse_labels, read_studies
    from simplicert.errors import require

    folders = runs or []
    given = [name for name, value in (("label", label), ("data", data)) if value]
    require(bool(folders) or not given, f"{' and '.join(given)} must come with a run, got none")
    studies = read_studies(folders, parse_labels(label or [], folders)) if folders else []
    write_report(studies, out, data=data, images=images)
    typer.echo(f"wrote {out}")
