"""What a process has drawn so far: for the progress line, and for the size of the next part."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from simplicert.types import Tally

PART_SECONDS = 15.0  # a killed process loses at most about this much work
MOST_INPUTS = 2000  # in one part


@dataclass(frozen=True)
class Progress:
    """What a progress line can show after each batch."""

    inputs: int  # to draw in this process
    done: int
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
        self.start, self.done, self.draws, self.rate = time.perf_counter(), 0, 0, 0.0

    def batch(self, rows: int, complete: int) -> bool:
        """After each batch: whether to stop."""
        self.draws += rows
        self._tell(None)
        return self.stop()

    def finished(self, tally: Tally) -> None:
        """These inputs are done."""
        self.done += len(tally)
        self._tell(tally)

    def part_size(self, draws: int, batch_size: int) -> int:
        """Inputs of the next part, of so many draws each."""
        return part_size(self.rate, draws, batch_size)

    def _tell(self, tally: Tally | None) -> None:
        seconds = time.perf_counter() - self.start
        self.report(Progress(self.inputs, self.done, self.draws, seconds, tally))


def part_size(rate: float, draws: int, batch_size: int) -> int:
    """Inputs of the next part: about PART_SECONDS of work, whole batches at first."""
    if rate == 0:
        return max(1, -(-batch_size // draws))
    return int(np.clip(rate * PART_SECONDS / draws, 1, MOST_INPUTS))
