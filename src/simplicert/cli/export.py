"""`simplicert export`: write the certificates of a run as another tool's log."""

from pathlib import Path
from typing import Annotated

import typer

from simplicert.cli.saying import print_content, print_lines


def export(
    log: Annotated[str, typer.Argument(help="cohen.")],
    run: Annotated[Path, typer.Argument(help="The run folder.")],
    out: Annotated[Path | None, typer.Option(help="The log; default: the screen.")] = None,
    column: Annotated[
        str, typer.Option(help="cohen, ensemble, two_sided, radius (the largest), ...")
    ] = "cohen",
    kind: Annotated[str | None, typer.Option(help="Default: the run's own.")] = None,
    sensitivity: Annotated[
        float | None, typer.Option(help="Of the stage before the noise; default: the run's own.")
    ] = None,
) -> None:
    """Write certificates as another tool's log, radii rounded down.

    Example: simplicert export cohen runs/mine --out certified.tsv
    """
    from simplicert.errors import require
    from simplicert.files import write_atomically
    from simplicert.logs.cohen import export_log
    from simplicert.store import Run, open_run

    opened = open_run(run)
    require(not opened.missing, f"run {run} must be complete: {opened.missing} inputs are missing")
    certificates = opened.certify(kind=kind, sensitivity=sensitivity)
    require(
        certificates.sensitivity == 1,
        f"sensitivity must be 1 in a log, whose readers know of none, and it is "
        f"{certificates.sensitivity:g}: --sensitivity 1 writes radii at the noise",
    )
    seconds = opened.seconds / len(certificates) if isinstance(opened, Run) else 0.0
    text = export_log(certificates, log, column, seconds)
    if out is None:
        print_content(text)
        return
    write_atomically(out, text.encode())
    print_lines(f"wrote {out}")
