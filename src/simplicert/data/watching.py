"""Who is told how far the first reading of a data set is: nobody, unless someone asks to be.

Data are loaded deep inside drawing, training and verifying, so the wish is kept in the context and
not handed down through all of them.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Watch = Callable[[str, int, int], None]  # name of the data set, inputs read, inputs in all


def silent(name: str, read: int, count: int) -> None:
    """Tell nobody."""


WATCH: ContextVar[Watch] = ContextVar("WATCH", default=silent)


@contextmanager
def watched(watch: Watch) -> Iterator[None]:
    """Inside, `watch` is told after every part that is read."""
    before = WATCH.set(watch)
    try:
        yield
    finally:
        WATCH.reset(before)
