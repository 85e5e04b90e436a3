"""Remember the number of classes for each shape of inputs, and ask the classifier once for it.

Threads that begin at the same time wait for the first of them: each row costs, and the rows that a
classifier is asked about are then as many as one after another.
"""

import threading
from collections.abc import Callable
from typing import Any

from simplicert.smoothed.prediction import VoteCounter


class ClassCounts:
    """The number of classes by shape of inputs, once known."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self.known: dict[tuple[int, ...], int] = {}
        self._lock = threading.Lock()

    def make_counter(
        self, shape: tuple[int, ...], make: Callable[[int | None], VoteCounter]
    ) -> VoteCounter:
        """Make a counter of votes, which asks for the number of classes where it gets None."""
        if shape not in self.known:
            with self._lock:
                counter = make(self.known.get(shape))
                self.known[shape] = counter.classes
                return counter
        return make(self.known[shape])

    def __getstate__(self) -> dict[str, Any]:
        """Return what goes to another process."""
        return {"known": dict(self.known)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore it, with a lock of its own."""
        self.__dict__.update(state, _lock=threading.Lock())
