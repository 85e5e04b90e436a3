"""What has been drawn so far, by all workers of this process: for the progress line."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from simplicert.types import Tally


@dataclass(frozen=True)
class Progress:
    """What a progress line can show after each batch."""

    inputs: int  # to draw
    done: int
    failed: int
    draws: int
    seconds: float
    tally: Tally | None  # inputs that need no more draws, once their last part is written


class Counter:
    """Counts batches and finished inputs, and tells them on."""

    def __init__(
        self, inputs: int, stop: Callable[[], bool], report: Callable[[Progress], None]
    ) -> None:
        """Nothing drawn yet."""
        self.inputs, self.stop, self.report = inputs, stop, report
        self.start, self.done, self.failed, self.draws = time.perf_counter(), 0, 0, 0

    def batch(self, rows: int, complete: int = 0) -> bool:
        """After each batch, or several of them elsewhere: whether to stop."""
        self.draws += rows
        self._tell(None)
        return self.stop()

    def finished(self, tally: Tally) -> None:
        """These inputs are done."""
        self.done += len(tally)
        self._tell(tally)

    def gave_up(self) -> None:
        """One more input failed for good."""
        self.failed += 1
        self._tell(None)

    def _tell(self, tally: Tally | None) -> None:
        seconds = time.perf_counter() - self.start
        self.report(Progress(self.inputs, self.done, self.failed, self.draws, seconds, tally))
