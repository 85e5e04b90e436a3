"""Lead a drawing: give units to workers and keep their results until the queue is empty.

`drain_queue` is the loop of the leading process.
`ProgressCounter` counts what all workers have drawn, and reports it as `DrawingProgress`.
`Backoff` says how long to wait for a model that fails every time it is called.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simplicert.drawing.queue import TRIES, Unit, UnitQueue, UnitResult
from simplicert.errors import SamplingFailed
from simplicert.files import write_atomically
from simplicert.store.parts import read_part
from simplicert.store.run import PARTS, Run, record_failure
from simplicert.types import Tally

if TYPE_CHECKING:
    from simplicert.drawing.workers import Workers


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


class ProgressCounter:
    """Counts batches and finished inputs, and tells them on."""

    def __init__(
        self, inputs: int, stop: Callable[[], bool], report: Callable[[DrawingProgress], None]
    ) -> None:
        """Nothing drawn yet."""
        self.inputs, self.stop, self.report = inputs, stop, report
        self.start, self.done, self.failed, self.draws = time.perf_counter(), 0, 0, 0

    def batch(self, rows: int, complete: int = 0) -> bool:
        """After each batch, or several of them elsewhere: whether to stop."""
        self.draws += rows
        self._report(None)
        return self.stop()

    def count_finished(self, tally: Tally) -> None:
        """These inputs are done."""
        self.done += len(tally)
        self._report(tally)

    def count_failed(self) -> None:
        """One more input failed for good."""
        self.failed += 1
        self._report(None)

    def _report(self, tally: Tally | None) -> None:
        seconds = time.perf_counter() - self.start
        self.report(
            DrawingProgress(self.inputs, self.done, self.failed, self.draws, seconds, tally)
        )


FIRST, LONGEST = 0.5, 60.0  # seconds of the first pause, and of the longest

WORTH_SAYING = 1.0  # a shorter pause is over before it is read

Say = Callable[[str], None]


def say_nothing(sentence: str) -> None:
    """For those who do not watch."""


def log_warning(sentence: str) -> None:
    """For engines, which have no screen."""
    logging.getLogger("simplicert").warning("simplicert: %s", sentence)


class Backoff:
    """Pauses that double, until the model answers or `seconds` have passed since it last did."""

    def __init__(self, seconds: float, say: Say = say_nothing) -> None:
        """The model has not failed yet; `say` is told of pauses."""
        self.seconds, self.say = seconds, say
        self.since: float | None = None  # the first failure of a row of failures
        self.pause, self.until = 0.0, 0.0

    def fail(self, error: str) -> bool:
        """The model failed: begin a pause, and say so; False if there is no time left for one."""
        now = time.monotonic()
        if self.since is None:
            self.since, self.pause = now, FIRST
        elif now < self.until:  # one of several that failed together
            return True
        else:
            self.pause = min(2 * self.pause, LONGEST)
        left = self.seconds - (now - self.since)
        if left <= 0:
            return False
        pause = min(self.pause, left)
        self.until = now + pause
        if pause >= WORTH_SAYING:
            self.say(f"the model failed ({error}); trying again in {pause:.0f} s")
        return True

    def end(self) -> None:
        """The model answered."""
        self.since = None

    def left(self) -> float:
        """Seconds until the pause is over."""
        return 0.0 if self.since is None else max(self.until - time.monotonic(), 0.0)

    def wait(self) -> None:
        """Sleep until then; a signal handler that raises ends it."""
        time.sleep(self.left())


MOMENT = 0.1  # seconds between looks whether to stop, in a pause

GIVE_UP = 10  # inputs that fail one after another: then it is not the inputs


def drain_queue(
    run: Run, queue: UnitQueue, workers: "Workers", counter: ProgressCounter, patience: Backoff
) -> bool:
    """True when every input is done or given up, False when stopped before.

    While the model fails, nothing is handed out for a while, and the pauses grow.
    """
    rates: dict[int, float] = {}
    while True:
        if counter.stop():
            workers.stop()
            if not queue.out:
                return not queue.left
        elif not queue.left and not queue.out:
            return True
        elif pause := patience.left():
            time.sleep(min(pause, MOMENT) if not queue.out else 0)
        else:
            _assign_units(queue, workers, rates)
        for worker, unit, answer in workers.wait(counter.batch):
            if answer.rows:
                counter.batch(answer.rows)
            _record_result(run, queue, counter, unit, answer, patience)
            if answer.seconds:
                rates[worker] = len(unit.items) * (unit.span[1] - unit.span[0]) / answer.seconds


def _assign_units(queue: UnitQueue, workers: "Workers", rates: dict[int, float]) -> None:
    """A unit for everybody who has none."""
    for worker in workers.idle():
        unit = queue.next(rates.get(worker, 0.0), workers.size())
        if unit is None:
            return
        workers.assign(worker, unit)


def _record_result(
    run: Run,
    queue: UnitQueue,
    counter: ProgressCounter,
    unit: Unit,
    answer: UnitResult,
    patience: Backoff,
) -> None:
    """Enter in the queue what became of a unit."""
    if answer.fatal is not None:
        raise answer.fatal
    tally = _store_part(run, answer) if answer.content else None
    if answer.lost:
        tally = _find_orphaned_part(run, unit)
    if answer.error and tally is None:
        # A lost worker is no reason to wait: its unit goes to whoever is free.
        waited = answer.lost or not patience.fail(answer.error)
        for item in queue.fail(unit, answer.error, waited=waited):
            record_failure(run.folder, item, answer.error)
            counter.count_failed()
        _check_consecutive_failures(run, queue, answer.error, waited)
        return
    if tally is not None:
        patience.end()
    done = queue.record_drawn(unit, tally)
    if done is not None:
        counter.count_finished(done)


def _store_part(run: Run, answer: UnitResult) -> Tally:
    """Write the part, unless its worker has done so, and return its tally.

    The tally of a worker in this process needs no decoding.
    """
    path = run.folder / PARTS / answer.name
    if not path.exists():
        write_atomically(path, answer.content)
    if answer.tally is not None:
        return answer.tally
    return read_part(path, run.manifest, answer.content)


def _find_orphaned_part(run: Run, unit: Unit) -> Tally | None:
    """The part of a worker that wrote it and died before it could say so."""
    for path in (run.folder / PARTS).glob(f"{int(unit.items.min()):08d}-*.parquet"):
        tally = read_part(path, run.manifest)
        spans = None if tally.segments is None else tally.segments[:, 2:]
        if (
            spans is not None
            and np.array_equal(tally.inputs, unit.items)
            and (spans == unit.span).all()
        ):
            return tally
    return None


def _check_consecutive_failures(run: Run, queue: UnitQueue, error: str, waited: bool) -> None:
    """Where one input after another fails, the model is broken, or the machine."""
    if len(queue.failed_in_a_row) >= GIVE_UP or (waited and len(queue.failing) >= GIVE_UP * TRIES):
        names = ", ".join(
            map(str, queue.failed_in_a_row or list(dict.fromkeys(queue.failing))[:GIVE_UP])
        )
        raise SamplingFailed(
            f"the classifier failed while inputs {names} were drawn ({error}); "
            f"what was drawn before is kept in {run.folder}"
        )
