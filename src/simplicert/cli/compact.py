"""`simplicert compact`: merge the small parts of runs into few large ones."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from simplicert.cli.saying import print_lines


def compact(
    runs: Annotated[list[Path], typer.Argument(help="Run folders.")],
) -> None:
    """Merge the small parts of runs into few large ones; nothing else about them changes.

    A complete run of many parts is merged by itself, and one that is
    sealed is left alone. Others may read and draw meanwhile. A killed
    process loses nothing: give the command again.

    Example: simplicert compact runs/mine
    """
    from simplicert.cli.progress import checking_lines
    from simplicert.errors import InvalidInput, SimplicertError
    from simplicert.store.compaction import compact_run

    refused = []
    for run in runs:
        report = checking_lines("reading")
        try:
            done = compact_run(run, partial(report, f"the parts of {run}"))
        except SimplicertError as error:
            if len(runs) == 1:
                raise
            refused.append(str(error))  # the others are merged all the same
            continue
        says = f"{done.before} parts before, {done.after} now" if done.written else "nothing to do"
        left = f", {done.removed} removed" if done.removed and not done.written else ""
        print_lines(f"{run}: {says}{left}")
    if refused:
        raise InvalidInput("; ".join(refused))
