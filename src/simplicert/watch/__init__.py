"""Watch a run while it is drawn: a small page that is kept up to date, from the folder alone.

`read_watch_state` reads the numbers, `render_watch_page` makes the page of them, and `PageKeeper`
writes it anew whenever it is due. Nothing here needs torch, the model or the data, and nothing
changes the run.
"""

from simplicert.watch.keeper import PageKeeper, watch_page_path
from simplicert.watch.page import render_watch_page
from simplicert.watch.state import WatchedShare, WatchState, read_watch_state

__all__ = [
    "PageKeeper",
    "WatchState",
    "WatchedShare",
    "read_watch_state",
    "render_watch_page",
    "watch_page_path",
]
