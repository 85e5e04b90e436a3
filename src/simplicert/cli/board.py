"""`simplicert board`: a site that lists, audits and compares many logs and runs."""

import time
from pathlib import Path
from typing import Annotated

import typer

from simplicert.cli.saying import print_lines, print_note

SECONDS = 10.0  # between lines of progress


def board(
    paths: Annotated[list[Path], typer.Argument(help="Logs, runs, and folders of them.")],
    out: Annotated[Path, typer.Option(help="The new folder of pages.")] = Path("board"),
    alpha: Annotated[
        float, typer.Option(help="At which whatever has counts is certified anew.")
    ] = 0.001,
    claims: Annotated[
        Path | None,
        typer.Option(help="TOML of [[claim]] tables: what the logs do not say, by path."),
    ] = None,
    pages: Annotated[bool, typer.Option(help="A page for each log, and comparisons.")] = True,
) -> None:
    """Read every log and run below the paths, audit them, and write a static site.

    Sigma, draws and alpha come from the log, from its path (sigma_0.25), from a
    board.toml beside it, and are held against the largest radius of the log.
    Whatever is not read is listed with the reason.

    Example: simplicert board logs --out board
    """
    from simplicert.board import make_board

    told = time.monotonic()

    def say(done: int, total: int) -> None:
        nonlocal told
        if time.monotonic() - told > SECONDS:
            told = time.monotonic()
            print_note(f"read {done} of {total} logs")

    made = make_board(paths, out, alpha=alpha, claims=claims, pages=pages, progress=say)
    read, refused = len(made.entries), len(made.refusals)
    flagged = sum(entry.verdict in ("disproved", "doubtful") for entry in made.entries)
    print_lines(
        f"{read} logs read ({flagged} flagged by the audit), {refused} refused, "
        f"{made.others} other files",
        f"wrote {out / 'index.html'}",
    )
