"""Keep the page of a run up to date: write it anew when it is due, whole or not at all."""

import time
from pathlib import Path

from simplicert.errors import DamagedRun, require
from simplicert.files import write_atomically
from simplicert.store import open_run
from simplicert.watch.page import render_watch_page
from simplicert.watch.state import WatchState, read_watch_state

SHARE = 0.1  # of the time, at most, goes into reading the run and writing the page

SECONDS, FASTEST = 5.0, 1.0  # between two pages: the usual number, and the fewest


def watch_page_path(folder: Path) -> Path:
    """Return where the page of a run is written: beside its folder, which holds draws alone."""
    whole = folder.absolute()
    return whole.with_name(f"{whole.name}.watch.html")


class PageKeeper:
    """Writes the page of one run, at most every so many seconds."""

    def __init__(self, folder: Path, page: Path | None = None, seconds: float = SECONDS) -> None:
        """Check where the page goes; nothing is read or written yet."""
        page = watch_page_path(folder) if page is None else page
        require(
            seconds >= FASTEST,
            f"every must be at least {FASTEST:g} s between two pages, got {seconds:g}",
        )
        inside = folder.resolve() in page.resolve().parents
        require(
            not inside,
            f"out must lie outside the run, which holds draws alone, got {str(page)!r}",
        )
        require(page.parent.is_dir(), f"out must lie in a folder that exists, got {str(page)!r}")
        self.folder, self.page, self.seconds = folder, page, seconds
        self.due = 0.0
        self.state: WatchState | None = None  # of the last page

    def update(self) -> WatchState | None:
        """Write the page if it is due, and return its state; None if it is not, or not now.

        Parts come and go while a run is drawn: a run that cannot be read at this moment keeps its
        last page.
        """
        if time.monotonic() < self.due:
            return None
        try:
            return self.write()
        except (DamagedRun, FileNotFoundError):
            if self.state is None:
                raise
            self.due = time.monotonic() + self.seconds
            return None

    def write(self, *, last: bool = False) -> WatchState:
        """Write the page now; the last one does not load itself again."""
        start = time.monotonic()
        state = read_watch_state(open_run(self.folder))
        # Reading a large run takes long: then pages are rarer.
        wait = max(self.seconds, (time.monotonic() - start) / SHARE)
        again = None if last or state.ended else wait
        page = render_watch_page(state, again, before=self.state)
        write_atomically(self.page, page.encode("utf-8", "replace"))
        self.state, self.due = state, time.monotonic() + wait
        return state
