"""`simplicert status`: how far a run is, from any terminal or node."""

from pathlib import Path
from typing import Annotated

import typer

from simplicert.cli.saying import say


def status(
    run: Annotated[Path, typer.Argument(help="Run folder.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Inputs done and missing, draws, time spent and time left; reads only the folder.

    Example: simplicert status runs/mine
    """
    import json

    from simplicert.analysis.tables import status_lines
    from simplicert.runs import open_run
    from simplicert.runs.status import state_of

    opened = open_run(run)
    state = state_of(opened)
    if state.get("holds") == "expectations":
        from simplicert.analysis.evidence import top_alone_sentence

        state["mechanisms"] = top_alone_sentence(opened.certify())
    say(*([json.dumps(state)] if as_json else status_lines(str(run), state)))
