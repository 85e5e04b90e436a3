"""Progress: a bar on a terminal, a line now and then elsewhere, nothing when quiet."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from simplicert.bounds import bound
from simplicert.cli.saying import note
from simplicert.errors import SimplicertError
from simplicert.runs.counter import Progress
from simplicert.runs.manifest import Manifest
from simplicert.runs.request import Request

EVERY = 10.0  # seconds between lines where there is no terminal

Report = Callable[[Progress], None]


@contextmanager
def shown(request: Request, manifest: Manifest) -> Iterator[Report]:
    """A function that the drawing loop reports to."""
    certified = Certified(manifest)
    if request.quiet:
        yield lambda progress: None
    elif sys.stderr.isatty():
        with bar(certified) as report:
            yield report
    else:
        yield lines(certified)


class Certified:
    """The share of inputs certified so far, by the declared settings."""

    def __init__(self, manifest: Manifest) -> None:
        """None yet."""
        self.manifest, self.inputs, self.issued = manifest, 0, 0

    def share(self, progress: Progress) -> str:
        """Count a new part, if there is one."""
        declared = self.manifest
        if progress.tally is not None:
            try:
                known = bound(progress.tally, declared.alpha, declared.kind, declared.scheme)
            except SimplicertError:  # a scheme that lacks its evidence: certify will say so
                return "-"
            self.inputs += len(known)
            self.issued += int((~known.refused).sum())
        return f"{100 * self.issued / self.inputs:.0f} %" if self.inputs else "-"


def failed(progress: Progress) -> str:
    """How many inputs were given up, if any."""
    return f", {progress.failed} failed" if progress.failed else ""


@contextmanager
def bar(certified: Certified) -> Iterator[Report]:
    """A rich bar: inputs done, draws a second, time left, certified so far."""
    from rich import progress as rich_progress
    from rich.console import Console

    columns = (
        rich_progress.BarColumn(),
        rich_progress.MofNCompleteColumn(),
        rich_progress.TextColumn(
            "inputs  {task.fields[rate]} draws/s  certified {task.fields[share]}"
        ),
        rich_progress.TimeRemainingColumn(),
    )
    with rich_progress.Progress(*columns, console=Console(stderr=True)) as screen:
        task = screen.add_task("", total=None, rate="-", share="-")

        def report(progress: Progress) -> None:
            rate = f"{progress.draws / max(progress.seconds, 1e-9):,.0f}"
            share = certified.share(progress) + failed(progress)
            screen.update(
                task, total=progress.inputs, completed=progress.done, rate=rate, share=share
            )

        yield report


def lines(certified: Certified) -> Report:
    """A line every ten seconds, and one at the end."""
    last = time.monotonic()

    def report(progress: Progress) -> None:
        nonlocal last
        share = certified.share(progress) + failed(progress)
        ended = progress.done == progress.inputs and progress.tally is not None
        if not ended and time.monotonic() - last < EVERY:
            return
        last = time.monotonic()
        rate = progress.draws / max(progress.seconds, 1e-9)
        note(f"{progress.done} of {progress.inputs} inputs, {rate:,.0f} draws/s, certified {share}")

    return report
