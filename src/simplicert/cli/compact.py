"""`simplicert compact`: merge the small parts of runs into few large ones."""

from pathlib import Path
from typing import Annotated

import typer

from simplicert.cli.saying import print_lines


def compact(
    runs: Annotated[list[Path], typer.Argument(help="Run folders.")],
) -> None:
    """Merge the small parts of runs into few large ones; nothing else about them changes.

    A complete run of many parts is merged by itself. Others may read and draw meanwhile, and a
    killed process loses nothing: give the command again.

    Example: simplicert compact runs/mine
    """
    from simplicert.store.compaction import compact_run

    for run in runs:
        done = compact_run(run)
        says = f"{done.before} parts before, {done.after} now" if done.written else "nothing to do"
        left = f", {done.removed} removed" if done.removed and not done.written else ""
        print_lines(f"{run}: {says}{left}")
