"""Show one line of progress for draws in memory, where somebody is looking.

`show_progress` writes it to the standard error, over and over in the same place, as terminals and
notebooks both do; anywhere else, in a script's log or a test, it writes nothing unless asked.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from simplicert.machine import format_duration
from simplicert.sampling.loop import AfterBatch, go_on

SECONDS = 0.5  # between two writings of the line


@contextmanager
def show_progress(verb: str, inputs: int, draws: int, shown: bool | None) -> Iterator[AfterBatch]:
    """Show the line at once; yield the function to call after every batch.

    `draws` are those of all inputs together, 0 where nobody knows. `shown` None means: on a
    terminal and in a notebook.
    """
    if not (is_watched() if shown is None else shown):
        yield go_on
        return
    line = ProgressLine(verb, inputs, draws)
    line.write()
    try:
        yield line.count
    finally:
        line.end()


def is_watched() -> bool:
    """Tell whether the standard error is a terminal, or this is the kernel of a notebook."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


class ProgressLine:
    """Inputs done, draws a second and the time left, in one line that is written again."""

    def __init__(self, verb: str, inputs: int, draws: int) -> None:
        """Start at zero draws."""
        self.verb, self.inputs, self.planned = verb, inputs, draws
        self.drawn, self.complete, self.width = 0, 0, 0
        self.start = self.written = time.monotonic()

    def count(self, rows: int, complete: int) -> bool:
        """Count the draws of a batch, and write the line when it is due; never stop."""
        self.drawn, self.complete = self.drawn + rows, complete
        if time.monotonic() - self.written >= SECONDS:
            self.write()
        return False

    def describe(self) -> str:
        """Return the line."""
        seconds = time.monotonic() - self.start
        said = [f"{self.verb}: {self.complete} of {self.inputs} inputs"]
        if self.drawn and seconds:
            said.append(f"{self.drawn / seconds:,.0f} draws/s")
        if self.drawn and self.planned > self.drawn:
            left = seconds * (self.planned - self.drawn) / self.drawn
            said.append(f"about {format_duration(left)} left")
        return ", ".join(said)

    def write(self) -> None:
        """Write the line over the one before."""
        text = self.describe()
        sys.stderr.write(f"\r{text:<{self.width}}")
        sys.stderr.flush()
        self.width, self.written = len(text), time.monotonic()

    def end(self) -> None:
        """Take the line away: the result is what stays."""
        sys.stderr.write(f"\r{'':<{self.width}}\r")
        sys.stderr.flush()
