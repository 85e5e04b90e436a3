"""Count what is sent to the classifier, and stop before a budget is exceeded.

Every row that the classifier is asked about is one call: those of the probe, of the pilot, of the
draws, of padding and of attempts that failed. `CallMeter` stands between a batch and the
classifier, so that nothing passes by uncounted. No answer is ever used twice: fresh noise is what
makes a certificate true, so there is no cache.
"""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from simplicert.errors import SamplingFailed, require


class BudgetSpent(SamplingFailed):
    """The next batch would be more calls than the budget has left."""


class CallMeter:
    """Counts calls; with a limit it refuses the one that would exceed it.

    >>> meter = CallMeter(100)
    >>> meter.spend(64)
    >>> meter.count, meter.left
    (64, 36)
    """

    def __init__(self, limit: int | None = None, beside: "CallMeter | None" = None) -> None:
        """Start at zero; `beside` is another meter, without a limit, that counts the same calls."""
        whole = isinstance(limit, (int, np.integer)) and not isinstance(limit, bool)
        require(
            limit is None or (bool(whole) and limit > 0),
            f"budget must be a positive whole number of calls, got {limit!r}",
        )
        self.limit, self.beside, self.count = limit, beside, 0
        self._lock = threading.Lock()

    @property
    def left(self) -> int | None:
        """Calls that may still be made; None without a limit."""
        return None if self.limit is None else self.limit - self.count

    def spend(self, rows: int) -> None:
        """Count a batch of rows that is about to be classified."""
        with self._lock:
            if self.limit is not None and self.count + rows > self.limit:
                raise BudgetSpent(
                    f"the budget of {self.limit:,} calls is spent: {self.count:,} were made, and "
                    f"the next batch has {rows:,}"
                )
            self.count += rows
        if self.beside is not None:
            self.beside.spend(rows)

    def afford(self, inputs: int, rows: int) -> int:
        """Return how many of these inputs, at so many rows each, there are calls for; at least 1.

        A budget without calls for one of them is spent.
        """
        if self.limit is None:
            return inputs
        most = (self.limit - self.count) // max(rows, 1)
        if most == 0:
            raise BudgetSpent(
                f"the budget of {self.limit:,} calls is spent: {self.count:,} were made, and the "
                f"next input takes {rows:,}"
            )
        return min(inputs, most)

    def count_calls(self, classify: Callable[[Any], np.ndarray]) -> Callable[[Any], np.ndarray]:
        """Return the same function of a batch; each of its rows is counted before it is called."""

        def counted(rows: Any) -> np.ndarray:
            self.spend(len(rows))
            return classify(rows)

        return counted

    def __getstate__(self) -> dict[str, Any]:
        """Return what goes to another process, which counts on its own from there."""
        return {**self.__dict__, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the counts, with a lock of its own."""
        self.__dict__.update(state, _lock=threading.Lock())
