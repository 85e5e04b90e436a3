"""Lead a drawing: give units to workers and keep their results until the queue is empty.

`drain_queue` is the loop of the leading process.
`ProgressCounter` counts what all workers have drawn, and reports it as `DrawingProgress`.
`Backoff` says how long to wait for a model that fails every time it is called.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from simplicert.atomic import write_atomically
from simplicert.drawing.queue import TRIES, Unit, UnitQueue, UnitResult
from simplicert.drawing.workers import Workers
from simplicert.errors import SamplingFailed
from simplicert.store.parts import read_part
from simplicert.store.run import (
    PARTS,
    Run,
    forget_failures,
    record_failure,
)
from simplicert.types import Ints, Tally
from simplicert.types.merging import has_first_draws
from simplicert.types.tally import select_inputs


@dataclass(frozen=True)
class DrawingProgress:
    """What a progress line can show after each batch."""

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


def _drain_queue(
    run: Run, board: UnitQueue, crew: Workers, counter: ProgressCounter, patience: Backoff
) -> bool:
    """True when every input is done or given up, False when stopped before.

    While the model fails, nothing is handed out for a while, and the pauses grow.
    """
    rates: dict[int, float] = {}
    while True:
        if counter.stop():
            crew.stop()
            if not board.out:
                return not board.left
        elif not board.left and not board.out:
            return True
        elif pause := patience.left():
            time.sleep(min(pause, MOMENT) if not board.out else 0)
        else:
            _assign_units(board, crew, rates)
        for worker, unit, answer in crew.wait(counter.batch):
            if answer.rows:
                counter.batch(answer.rows)
            _record_result(run, board, counter, unit, answer, patience)
            if answer.seconds:
                rates[worker] = len(unit.items) * (unit.span[1] - unit.span[0]) / answer.seconds


def _assign_units(board: UnitQueue, crew: Workers, rates: dict[int, float]) -> None:
    """A unit for everybody who has none."""
    for worker in crew.idle():
        unit = board.next(rates.get(worker, 0.0), crew.size())
        if unit is None:
            return
        crew.assign(worker, unit)


def _record_result(
    run: Run,
    board: UnitQueue,
    counter: ProgressCounter,
    unit: Unit,
    answer: UnitResult,
    patience: Backoff,
) -> None:
    """Enter on the board what became of a unit."""
    if answer.fatal is not None:
        raise answer.fatal
    tally = _store_part(run, answer) if answer.content else None
    if answer.lost:
        tally = _find_orphaned_part(run, unit)
    if answer.error and tally is None:
        # A lost worker is no reason to wait: its unit goes to whoever is free.
        waited = answer.lost or not patience.fail(answer.error)
        for item in board.fail(unit, answer.error, waited=waited):
            record_failure(run.folder, item, answer.error)
            counter.count_failed()
        _check_consecutive_failures(run, board, answer.error, waited)
        return
    if tally is not None:
        patience.end()
    done = board.record_drawn(unit, tally)
    if done is not None:
        counter.count_finished(done)


def _store_part(run: Run, answer: UnitResult) -> Tally:
    """The part's tally; a worker that does not see the run's folder left the writing to us."""
    path = run.folder / PARTS / answer.name
    if not path.exists():
        write_atomically(path, answer.content)
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


def _check_consecutive_failures(run: Run, board: UnitQueue, error: str, waited: bool) -> None:
    """Where one input after another fails, the model is broken, or the machine."""
    if len(board.failed_in_a_row) >= GIVE_UP or (waited and len(board.failing) >= GIVE_UP * TRIES):
        names = ", ".join(
            map(str, board.failed_in_a_row or list(dict.fromkeys(board.failing))[:GIVE_UP])
        )
        raise SamplingFailed(
            f"the classifier failed while inputs {names} were drawn ({error}); "
            f"what was drawn before is kept in {run.folder}"
        )


@dataclass(frozen=True)
class DrawingOutcome:
    """How a drawing ended."""

    complete: bool  # False when stopped
    failed: dict[int, str]  # inputs given up, and what the classifier said


def draw_run(
    run: Run,
    crew: Workers,
    index: Ints,
    *,
    stop: Callable[[], bool] = lambda: False,
    report: Callable[[DrawingProgress], None] = lambda progress: None,
    patience: float = 0.0,
    say: Say = say_nothing,
) -> DrawingOutcome:
    """Draw what is missing of these inputs, by a crew that has joined the run.

    A model that fails is asked again for `patience` seconds, and `say` hears of it.
    """
    assert run.manifest.plan is not None
    held = run.tally() if run.paths() else None
    left = index[~np.isin(index, run.done())]
    forget_failures(run.folder, left)
    before = _select_begun_inputs(held, left)
    fresh = left if before is None else left[~np.isin(left, before.inputs)]
    size = int(run.manifest.source["batch_size"])
    board = UnitQueue(run.manifest.plan, run.until, size, fresh, before)
    counter = ProgressCounter(len(left), stop, report)
    complete = _drain_queue(run, board, crew, counter, Backoff(patience, say))
    return DrawingOutcome(complete, board.failed)


def _select_begun_inputs(held: Tally | None, block: Ints) -> Tally | None:
    """What is held of these inputs from their first draw on; the rest must be drawn again."""
    if held is None:
        return None
    rows = np.isin(held.inputs, block)
    if held.segments is not None:
        rows &= has_first_draws(held.segments, held.inputs, one_seed=False)
    return select_inputs(held, rows) if rows.any() else None
