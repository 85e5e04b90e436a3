"""`simplicert watch`: keep a small page about a run up to date while it is drawn.

`keep_page` does the same from within the process that draws, for `sample --watch`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from simplicert.cli.saying import print_lines, print_note

if TYPE_CHECKING:
    from simplicert.drawing import DrawingProgress, Report
    from simplicert.watch import WatchState


def watch(
    run: Annotated[Path, typer.Argument(help="Run folder.")],
    out: Annotated[
        Path | None, typer.Option(help="The page; default: RUN.watch.html, beside the run.")
    ] = None,
    every: Annotated[float, typer.Option(help="Seconds between two pages, at least.")] = 5.0,
    once: Annotated[bool, typer.Option("--once", help="Write one page and stop.")] = False,
) -> None:
    """Keep one local page up to date while a run is drawn; it reads only the folder.

    Inputs done, time left, certified accuracy so far, where the inputs lie. Open
    the page in a browser: it loads itself again. Ctrl-C ends the watching, never
    the run. Looking costs no alpha; the page says what would.

    Example: simplicert watch runs/mine
    """
    import time

    from simplicert.tables.summary import time_left
    from simplicert.watch import PageKeeper

    def say(state: "WatchState") -> str:
        counts = f"{state.status['done']} of {state.status['inputs']} inputs done"
        left = time_left(state.status)
        return f"{counts}, {left}" if left else counts

    keeper = PageKeeper(run, out, every)
    state = keeper.write(last=once)
    print_lines(f"wrote {keeper.page}: open it in a browser")
    said = say(state)
    print_note(said)
    try:
        while not (once or state.ended):
            time.sleep(max(keeper.due - time.monotonic(), 0.0))
            state = keeper.update() or state
            if say(state) != said:
                said = say(state)
                print_note(said)
    except KeyboardInterrupt:
        keeper.write(last=True)
        raise


@contextmanager
def keep_page(run: Path | None, report: "Report") -> Iterator["Report"]:
    """Write the page of a run at its start, after batches when it is due, and at its end.

    Without a run there is no page, and the report stays what it is.
    """
    if run is None:
        yield report
        return
    from simplicert.watch import PageKeeper

    keeper = PageKeeper(run)

    def report_and_update(progress: "DrawingProgress") -> None:
        report(progress)
        keeper.update()

    keeper.write()
    print_note(f"watch it: {keeper.page}")
    try:
        yield report_and_update
    finally:
        keeper.write(last=True)
