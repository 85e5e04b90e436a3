"""The progress of a data set's first reading: a line now and then where it takes long."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from simplicert.cli.saying import note
from simplicert.data.watching import Watch, watched

FIRST, EVERY = 5.0, 60.0  # seconds to the first line, and from each to the next


@contextmanager
def reading_shown(quiet: bool) -> Iterator[None]:
    """Inside, data sets that are loaded in this process say how far they are."""
    if quiet:
        yield
        return
    with watched(lines()):
        yield


def lines() -> Watch:
    """Lines on stderr, also on a terminal: a bar may be there already, and stays below them."""
    begun = due = 0.0

    def watch(name: str, read: int, count: int) -> None:
        nonlocal begun, due
        now = time.monotonic()
        if not begun:
            begun, due = now, now + FIRST
        if read < count and now >= due:
            due = now + EVERY
            note(f"reading {name}: {read:,} of {count:,} inputs")
        if read == count:
            begun = 0.0  # the next data set has its own time

    return watch
