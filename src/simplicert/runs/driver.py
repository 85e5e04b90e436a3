"""The process that leads: hands out units, keeps what comes back, until the board is empty."""

import time

import numpy as np

from simplicert.errors import SamplingFailed
from simplicert.runs.atomic import write_whole
from simplicert.runs.board import TRIES, Board
from simplicert.runs.counter import Counter
from simplicert.runs.crew import Crew
from simplicert.runs.failures import record
from simplicert.runs.folder import PARTS, Run
from simplicert.runs.parts import read_part
from simplicert.runs.patience import Patience
from simplicert.runs.units import Answer, Unit
from simplicert.types import Tally

MOMENT = 0.1  # seconds between looks whether to stop, in a pause
GIVE_UP = 10  # inputs that fail one after another: then it is not the inputs


def drive(run: Run, board: Board, crew: Crew, counter: Counter, patience: Patience) -> bool:
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
            hand_out(board, crew, rates)
        for worker, unit, answer in crew.wait(counter.batch):
            if answer.rows:
                counter.batch(answer.rows)
            settle(run, board, counter, unit, answer, patience)
            if answer.seconds:
                rates[worker] = len(unit.items) * (unit.span[1] - unit.span[0]) / answer.seconds


def hand_out(board: Board, crew: Crew, rates: dict[int, float]) -> None:
    """A unit for everybody who has none."""
    for worker in crew.idle():
        unit = board.next(rates.get(worker, 0.0), crew.size())
        if unit is None:
            return
        crew.give(worker, unit)


def settle(
    run: Run, board: Board, counter: Counter, unit: Unit, answer: Answer, patience: Patience
) -> None:
    """Enter on the board what became of a unit."""
    if answer.fatal is not None:
        raise answer.fatal
    tally = kept(run, answer) if answer.content else None
    if answer.lost:
        tally = left_behind(run, unit)
    if answer.error and tally is None:
        # A lost worker is no reason to wait: its unit goes to whoever is free.
        waited = answer.lost or not patience.fail(answer.error)
        for item in board.fail(unit, answer.error, waited=waited):
            record(run.folder, item, answer.error)
            counter.gave_up()
        refuse_to_go_on(run, board, answer.error, waited)
        return
    if tally is not None:
        patience.end()
    done = board.drawn(unit, tally)
    if done is not None:
        counter.finished(done)


def kept(run: Run, answer: Answer) -> Tally:
    """The part's tally; a worker that does not see the run's folder left the writing to us."""
    path = run.folder / PARTS / answer.name
    if not path.exists():
        write_whole(path, answer.content)
    return read_part(path, run.manifest, answer.content)


def left_behind(run: Run, unit: Unit) -> Tally | None:
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


def refuse_to_go_on(run: Run, board: Board, error: str, waited: bool) -> None:
    """Where one input after another fails, the model is broken, or the machine."""
    if len(board.row) >= GIVE_UP or (waited and len(board.failing) >= GIVE_UP * TRIES):
        names = ", ".join(map(str, board.row or list(dict.fromkeys(board.failing))[:GIVE_UP]))
        raise SamplingFailed(
            f"the classifier failed while inputs {names} were drawn ({error}); "
            f"what was drawn before is kept in {run.folder}"
        )
