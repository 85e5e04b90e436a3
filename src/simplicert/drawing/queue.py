"""The queue of a drawing: which draws of which inputs remain, and which inputs are done.

`Unit` is a task for one worker: some draws of some inputs. `UnitResult` is its outcome. Both travel
between processes and nodes, so they are small and hold plain values.
`UnitQueue` hands out units and takes back tallies or failures, in any order; each draw of each
input is made once. It reads and writes no files.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from simplicert.sampling.sampler import PilotResult
from simplicert.store.collect import join_tallies
from simplicert.types import Ints, Plan, Tally
from simplicert.types.arrays import Texts, find_rows
from simplicert.types.tally import select_inputs

PART_SECONDS = 15.0  # a killed process loses at most about this much work
MOST_INPUTS = 2000  # inputs in one unit, and inputs waiting between looks
FEWEST_BATCHES = 4  # batches in a unit that was cut short so that every worker has one
TRIES = 3  # tries of an input by itself, before it is given up


@dataclass(frozen=True, eq=False)
class Unit:
    """The draws span[0]..span[1]-1 of each of these inputs."""

    key: int  # its number in the queue
    items: Ints  # numbers of the inputs
    span: tuple[int, int]
    before: PilotResult | None  # what their earlier draws decided; None if there are none


@dataclass(frozen=True)
class UnitResult:
    """A part, or the reason why there is none; neither if the worker was stopped too early."""

    name: str = ""  # of the part's file
    content: bytes = b""  # of the part's file
    written: bool = False  # the worker has written it into the run's folder
    seconds: float = 0.0
    rows: int = 0  # draws that are not yet counted in the progress
    calls: int = 0  # rows that the model was asked about
    spent: str = ""  # why the budget ends the drawing here
    error: str = ""  # the classifier's message when it failed on these inputs
    lost: bool = False  # the worker died or was cut off
    fatal: Exception | None = None  # an error that every other worker would run into, too
    tally: Tally | None = None  # the part's tally, if leader and worker share a process


@dataclass(frozen=True, eq=False)
class InputGroup:
    """Inputs with the same number of draws, and the tally of these draws."""

    items: Ints
    held: Tally | None  # in the order of the items; None before the first draw

    def part(self, rows: slice) -> "InputGroup":
        """Return the group of some of these inputs."""
        items = self.items[rows]
        held = (
            None
            if self.held is None
            else select_inputs(self.held, find_rows(items, self.held.inputs))
        )
        return InputGroup(items, held)


class UnitQueue:
    """The inputs of a drawing: those to draw, those being drawn, and those given up."""

    def __init__(
        self,
        plan: Plan,
        until: Callable[[Tally], Texts],
        batch_size: int,
        fresh: Ints,
        held: Tally | None,
    ) -> None:
        """Start with `fresh` inputs, which have no draws yet, and those of `held`, which have some.

        `until` says for each input of a tally why to draw no more of it, or "" to go on.
        """
        self.plan, self.until, self.batch_size = plan, until, batch_size
        self.fresh = fresh
        self.waiting: dict[int, list[Tally]] = {}  # inputs between looks, by their number of draws
        if held is not None:
            self.waiting = {
                n: [select_inputs(held, held.draws == n)] for n in np.unique(held.draws).tolist()
            }
        self.retries: list[tuple[int, InputGroup]] = []  # failed together, to be tried apart
        # Inputs that failed by themselves are tried last.
        self.single_retries: list[tuple[int, InputGroup]] = []
        self.out: dict[int, tuple[int, InputGroup]] = {}  # units that a worker has
        self.keys = 0
        self.tries: dict[int, int] = {}
        self.successes = 0  # units that came back with draws
        self.suspected: dict[int, int] = {}  # inputs of failed units: the successes until then
        self.failed: dict[int, str] = {}  # inputs given up, and the last error of each
        self.failed_in_a_row: list[int] = []  # inputs given up since the last success
        self.failing: list[int] = []  # first inputs of the units that failed since then

    @property
    def left(self) -> bool:
        """Whether there is a unit to hand out now."""
        return bool(self.fresh.size or self.waiting or self.retries or self.single_retries)

    def next(self, rate: float, workers: int = 1) -> Unit | None:
        """Return the next unit for a worker that makes `rate` draws per second (0: not known)."""
        if self.retries:
            return self._hand_out(*self.retries.pop(0))
        level = self._next_level(rate)
        if level is None:
            return self._hand_out(*self.single_retries.pop(0)) if self.single_retries else None
        size = self._size(level, rate)
        if workers > 1:  # the last units are small, so that all workers end at about the same time
            draws = self._target(level) - level
            fewest = -(-FEWEST_BATCHES * self.batch_size // draws)
            size = min(size, max(fewest, -(-self._count_waiting(level) // (2 * workers))))
        return self._hand_out(level, self._take(level, size))

    def _next_level(self, rate: float) -> int | None:
        """Return how many draws the next inputs have: a full unit between looks, else new inputs.

        This way few inputs wait between looks, and they are packed together in whole batches.
        """
        waiting = {level: self._count_waiting(level) for level in self.waiting}
        if sum(waiting.values()) >= MOST_INPUTS:
            return max(waiting, key=lambda level: (waiting[level], level))
        full = [level for level in waiting if waiting[level] >= self._size(level, rate)]
        if full and rate:
            return max(full)
        if self.fresh.size:
            return 0
        return min(waiting, default=None)

    def _count_waiting(self, level: int) -> int:
        return sum(map(len, self.waiting[level])) if level in self.waiting else len(self.fresh)

    def _target(self, level: int) -> int:
        return next_target(self.plan, level)

    def _size(self, level: int, rate: float) -> int:
        return unit_size(rate, self._target(level) - level, self.batch_size)

    def _take(self, level: int, size: int) -> InputGroup:
        if level not in self.waiting:
            group, self.fresh = InputGroup(self.fresh[:size], None), self.fresh[size:]
            return group
        held = join_tallies(self.waiting.pop(level))
        whole = InputGroup(held.inputs, held)
        if len(held) > size:
            rest = whole.part(slice(size, None)).held
            assert rest is not None
            self.waiting[level] = [rest]
        return whole.part(slice(0, size))

    def _hand_out(self, level: int, group: InputGroup) -> Unit:
        self.keys += 1
        self.out[self.keys] = level, group
        before = None if group.held is None else PilotResult(group.held.pilot, group.held.leaders)
        return Unit(self.keys, group.items, (level, self._target(level)), before)

    def record_drawn(self, unit: Unit, tally: Tally | None) -> Tally | None:
        """Take back a unit, or its first inputs only; return the inputs that are done."""
        level, group = self.out.pop(unit.key)
        count = 0 if tally is None else len(tally)
        if count < len(group.items):
            self.retries.append((level, group.part(slice(count, None))))
        if tally is None:
            return None
        self.failed_in_a_row.clear()
        self.failing.clear()
        self.successes += 1
        held = group.part(slice(0, count)).held
        whole = tally if held is None else held + tally
        done = self.until(whole) != ""
        if not done.all():
            self.waiting.setdefault(unit.span[1], []).append(select_inputs(whole, ~done))
        return select_inputs(whole, done) if done.any() else None

    def fail(self, unit: Unit, error: str, *, waited: bool = True) -> list[int]:
        """Take back a unit that failed, and return the inputs given up.

        Its halves are tried apart, and a single input a few times. An input is given up if others
        were drawn since it was first part of a failure, or if there was enough time for the model
        to come back (`waited`). Otherwise the input may not be the cause.
        """
        level, group = self.out.pop(unit.key)
        for suspect in group.items.tolist():
            self.suspected.setdefault(suspect, self.successes)
        self.failing.append(int(group.items[0]))
        if len(group.items) > 1:
            middle = len(group.items) // 2
            halves = group.part(slice(0, middle)), group.part(slice(middle, None))
            self.retries += [(level, half) for half in halves]
            return []
        item = int(group.items[0])
        self.tries[item] = self.tries.get(item, 0) + 1
        at_fault = waited or self.successes > self.suspected[item]
        if self.tries[item] < TRIES or not at_fault:
            self.single_retries.append((level, group))
            return []
        self.failed[item] = error
        self.failed_in_a_row.append(item)
        return [item]


def next_target(plan: Plan, draws: int) -> int:
    """Return the look that an input goes to after `draws` draws; without a rule, the last look."""
    if plan.rule == "fixed":
        return plan.looks[-1]
    return next(look for look in plan.looks if look > draws)


def unit_size(rate: float, draws: int, batch_size: int) -> int:
    """Return how many inputs make about PART_SECONDS of work; one batch while no rate is known."""
    if rate == 0:
        return max(1, -(-batch_size // draws))
    return int(np.clip(rate * PART_SECONDS / draws, 1, MOST_INPUTS))
