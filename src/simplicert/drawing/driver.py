"""Lead a drawing: give units to workers and keep their results until the queue is empty.

`drain_queue` is the loop of the leading process.
`ProgressCounter` counts what all workers have drawn, and reports it as `DrawingProgress`.
`Backoff` decides how long to wait for a model that fails every time it is called.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simplicert.drawing.queue import TRIES, Unit, UnitQueue, UnitResult
from simplicert.errors import SamplingFailed
from simplicert.store.keeping import keep_part
from simplicert.store.parts import VanishedPart, read_part
from simplicert.store.run import PARTS, Run, record_failure
from simplicert.types import Tally

if TYPE_CHECKING:
    from simplicert.drawing.workers import Workers


FIRST_PAUSE, LONGEST_PAUSE = 0.5, 60.0  # seconds
SHORTEST_ANNOUNCED = 1.0  # seconds: a shorter pause is over before anyone has read of it
STOP_CHECK_SECONDS = 0.1  # seconds between checks whether to stop, during a pause
GIVE_UP = 10  # after this many inputs in a row have failed, the inputs are not the cause

Say = Callable[[str], None]


def drain_queue(
    run: Run, queue: UnitQueue, workers: "Workers", counter: "ProgressCounter", backoff: "Backoff"
) -> bool:
    """Draw until every input is done or given up; return False if stopped before that.

    While the model fails, the loop hands out no units during pauses that grow.
    """
    rates: dict[int, float] = {}
    while True:
        if counter.stop():
            workers.stop()
            if not queue.out:
                return not queue.left
        elif not queue.left and not queue.out:
            return True
        elif pause := backoff.left():
            time.sleep(min(pause, STOP_CHECK_SECONDS) if not queue.out else 0)
        else:
            _assign_units(queue, workers, rates)
        for worker, unit, result in workers.wait(counter.count_batch):
            if result.rows:
                counter.count_batch(result.rows)
            _record_result(run, queue, counter, unit, result, backoff)
            if result.seconds:
                rates[worker] = len(unit.items) * (unit.span[1] - unit.span[0]) / result.seconds


def _assign_units(queue: UnitQueue, workers: "Workers", rates: dict[int, float]) -> None:
    """Give a unit to each idle worker."""
    for worker in workers.idle():
        unit = queue.next(rates.get(worker, 0.0), workers.size())
        if unit is None:
            return
        workers.assign(worker, unit)


def _record_result(
    run: Run,
    queue: UnitQueue,
    counter: "ProgressCounter",
    unit: Unit,
    result: UnitResult,
    backoff: "Backoff",
) -> None:
    """Store the part of a unit and tell the queue about it, or handle the unit's failure."""
    if result.fatal is not None:
        raise result.fatal
    counter.count_calls(result)
    tally = _store_part(run, result) if result.content else None
    if result.lost:
        tally = _find_orphaned_part(run, unit)
    if result.error and tally is None:
        # A lost worker is no reason to wait: its unit goes to any idle worker.
        waited = result.lost or not backoff.fail(result.error)
        for item in queue.fail(unit, result.error, waited=waited):
            record_failure(run.folder, item, result.error)
            counter.count_failed()
        _check_consecutive_failures(run, queue, result.error, waited)
        return
    if tally is not None:
        backoff.end()
    done = queue.record_drawn(unit, tally)
    if done is not None:
        counter.count_finished(done)


def _store_part(run: Run, result: UnitResult) -> Tally:
    """Write the part, unless its worker has done so, and return its tally.

    The tally of a worker in this process needs no decoding.
    """
    path = run.folder / PARTS / result.name
    if not (result.written and path.exists()):
        keep_part(run.folder, run.manifest, result.name, result.content)
    if result.tally is not None:
        return result.tally
    return read_part(path, run.manifest, result.content)


def _find_orphaned_part(run: Run, unit: Unit) -> Tally | None:
    """Return the tally of a unit whose worker wrote the part and died before it could reply."""
    for path in (run.folder / PARTS).glob(f"{int(unit.items.min()):08d}-*.parquet"):
        try:
            tally = read_part(path, run.manifest)
        except VanishedPart:  # merged by another process: then it is drawn again, and counts once
            continue
        spans = None if tally.segments is None else tally.segments[:, 2:]
        if (
            spans is not None
            and np.array_equal(tally.inputs, unit.items)
            and (spans == unit.span).all()
        ):
            return tally
    return None


def _check_consecutive_failures(run: Run, queue: UnitQueue, error: str, waited: bool) -> None:
    """Give up when many inputs fail in a row: then the model or the machine is broken."""
    if len(queue.failed_in_a_row) >= GIVE_UP or (waited and len(queue.failing) >= GIVE_UP * TRIES):
        names = ", ".join(
            map(str, queue.failed_in_a_row or list(dict.fromkeys(queue.failing))[:GIVE_UP])
        )
        raise SamplingFailed(
            f"the classifier failed while inputs {names} were drawn ({error}); "
            f"what was drawn before is kept in {run.folder}"
        )


@dataclass(frozen=True)
class DrawingProgress:
    """What a progress line can show after each batch.

    >>> now = DrawingProgress(inputs=500, done=20, failed=0, draws=40_000, seconds=8.0, tally=None)
    >>> f"{now.done} of {now.inputs} inputs, {now.draws / now.seconds:,.0f} draws/s"
    '20 of 500 inputs, 5,000 draws/s'
    """

    inputs: int  # to draw
    done: int
    failed: int
    draws: int
    seconds: float
    tally: Tally | None  # inputs that need no more draws, once their last part is written
    left: int | None = None  # draws still to make; with a stopping rule, at most

    @property
    def seconds_left(self) -> float | None:
        """The time that the draws left take at the speed so far; None while nothing is known."""
        if self.left is None or not self.draws:
            return None
        return self.left * self.seconds / self.draws


class ProgressCounter:
    """Counts draws and finished inputs, and reports both after every batch."""

    def __init__(
        self,
        inputs: int,
        stop: Callable[[], bool],
        report: Callable[[DrawingProgress], None],
        planned: int | None = None,
        each: int = 0,
    ) -> None:
        """Start at zero; `planned` draws are to make, so that an input has `each` at most."""
        self.inputs, self.report = inputs, report
        self._stop = stop
        self.planned, self.each = planned, each
        self.calls, self.spent = 0, ""  # rows sent to the model, and why a budget ended it
        self.saved = 0  # planned draws of inputs that are done with fewer
        self.start, self.done, self.failed, self.draws = time.perf_counter(), 0, 0, 0

    def stop(self) -> bool:
        """Return whether to stop: the caller says so, or the budget is spent."""
        return bool(self.spent) or self._stop()

    def count_calls(self, result: UnitResult) -> None:
        """Count what the model was asked for a unit, and notice the end of the budget."""
        self.calls += result.calls
        self.spent = self.spent or result.spent

    def count_batch(self, rows: int) -> bool:
        """Count the draws of one or more batches; return whether to stop."""
        self.draws += rows
        self._report(None)
        return self.stop()

    def count_finished(self, tally: Tally) -> None:
        """Count these inputs as done: what their plans left over is not drawn."""
        self.done += len(tally)
        self.saved += int(np.maximum(self.each - tally.draws, 0).sum())
        self._report(tally)

    def count_failed(self) -> None:
        """Count one more input as given up."""
        self.failed += 1
        self._report(None)

    def _report(self, tally: Tally | None) -> None:
        seconds = time.perf_counter() - self.start
        left = None
        if self.planned is not None:  # draws that failed are made twice, so that it may be below 0
            left = max(self.planned - self.saved - self.draws, 0)
        self.report(
            DrawingProgress(self.inputs, self.done, self.failed, self.draws, seconds, tally, left)
        )


def say_nothing(sentence: str) -> None:
    """Ignore the sentence."""


def log_warning(sentence: str) -> None:
    """Log a sentence as a warning; engines do this, as they have no screen."""
    logging.getLogger("simplicert").warning("simplicert: %s", sentence)


class Backoff:
    """Pauses that double until the model works, or until it has failed for `seconds` seconds."""

    def __init__(self, seconds: float, say: Say = say_nothing) -> None:
        """Start without a failure; `say` gets a sentence about each long pause."""
        self.seconds, self.say = seconds, say
        self.since: float | None = None  # when the model began to fail
        self.pause, self.until = 0.0, 0.0

    def fail(self, error: str) -> bool:
        """Begin a pause after a failure; return False if there is no time left for one."""
        now = time.monotonic()
        if self.since is None:
            self.since, self.pause = now, FIRST_PAUSE
        elif now < self.until:  # one of several that failed together
            return True
        else:
            self.pause = min(2 * self.pause, LONGEST_PAUSE)
        left = self.seconds - (now - self.since)
        if left <= 0:
            return False
        pause = min(self.pause, left)
        self.until = now + pause
        if pause >= SHORTEST_ANNOUNCED:
            self.say(f"the model failed ({error}); trying again in {pause:.0f} s")
        return True

    def end(self) -> None:
        """End the pauses: the model works again."""
        self.since = None

    def left(self) -> float:
        """Return the seconds until the pause is over."""
        return 0.0 if self.since is None else max(self.until - time.monotonic(), 0.0)

    def wait(self) -> None:
        """Sleep until the pause is over, or until a signal handler raises."""
        time.sleep(self.left())
