"""`simplicert status`: show how far a run is, from any terminal or node."""

from pathlib import Path
from typing import Annotated

import typer

from simplicert.cli.saying import print_json, print_lines


def status(
    run: Annotated[Path, typer.Argument(help="Run folder.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, at full precision.")] = False,
) -> None:
    """Inputs done and missing, draws, time spent and time left; reads only the folder.

    Example: simplicert status runs/mine

    For programs, with the keys that docs/results.md lists:

    Example: simplicert status runs/mine --json
    """
    from simplicert.drawing.status import read_status
    from simplicert.store import open_run
    from simplicert.tables.summary import status_lines

    opened = open_run(run)
    state = read_status(opened)
    if state.get("holds") == "expectations":
        from simplicert.metrics.study import explain_no_comparison

        state["mechanisms"] = explain_no_comparison(opened.certify())
    if as_json:
        print_json({"run": run.resolve().name, **state})
    else:
        print_lines(*status_lines(str(run), state))
