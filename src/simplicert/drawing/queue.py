"""The queue of a drawing: which draws of which inputs remain, and which inputs are done.

`Unit` is some draws of some inputs, the next task of one worker; `UnitResult` is its outcome. Both
travel between processes and nodes, so they are small and hold plain values.
`UnitQueue` hands out units and takes back tallies or failures, in any order; each draw of each
input is made once. It reads and writes no files.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from simplicert.sampling.sampler import PilotResult
from simplicert.store.collect import join_tallies
from simplicert.types import Ints, Plan, Tally
from simplicert.types.arrays import Texts
from simplicert.types.merging import find_rows
from simplicert.types.tally import select_inputs


@dataclass(frozen=True, eq=False)
class Unit:
    """The draws span[0]..span[1]-1 of each of these inputs."""

    key: int  # by which the board knows it
    items: Ints  # numbers of the inputs
    span: tuple[int, int]
    before: PilotResult | None  # what their earlier draws decided; None where there are none


@dataclass(frozen=True)
class UnitResult:
    """A part, or the reason why there is none; neither if it was stopped too early for one."""

    name: str = ""  # of the part's file
    content: bytes = b""  # the part
    seconds: float = 0.0
    rows: int = 0  # draws that no progress line was told of yet
    error: str = ""  # what the classifier said when it failed on these inputs
    lost: bool = False  # the worker died or was cut off
    fatal: Exception | None = None  # something that no other worker would do better
    tally: Tally | None = None  # what the part holds, where leader and worker share a process


PART_SECONDS = 15.0  # a killed process loses at most about this much work

MOST_INPUTS = 2000  # in one unit, and waiting between looks

FEWEST_BATCHES = 4  # in a unit that was cut short so that every worker has one

TRIES = 3  # of an input by itself, before it is given up


@dataclass(frozen=True, eq=False)
class InputGroup:
    """Inputs at the same number of draws, and what is held of them."""

    items: Ints
    held: Tally | None  # in the order of the items

    def part(self, rows: slice) -> "InputGroup":
        """Some of them."""
        items = self.items[rows]
        held = (
            None
            if self.held is None
            else select_inputs(self.held, find_rows(items, self.held.inputs))
        )
        return InputGroup(items, held)


class UnitQueue:
    """The state of a drawing."""

    def __init__(
        self,
        plan: Plan,
        until: Callable[[Tally], Texts],
        batch_size: int,
        fresh: Ints,
        held: Tally | None,
    ) -> None:
        """`fresh` have no draws yet, those of `held` some; `until` says why to draw no more."""
        self.plan, self.until, self.batch_size = plan, until, batch_size
        self.fresh = fresh
        self.waiting: dict[int, list[Tally]] = {}  # by draws: inputs that go on from there
        if held is not None:
            self.waiting = {
                n: [select_inputs(held, held.draws == n)] for n in np.unique(held.draws).tolist()
            }
        self.retries: list[tuple[int, InputGroup]] = []  # failed together, to be tried apart
        self.single_retries: list[
            tuple[int, InputGroup]
        ] = []  # inputs that failed by themselves: tried last
        self.out: dict[int, tuple[int, InputGroup]] = {}  # units that a worker has
        self.keys = 0
        self.tries: dict[int, int] = {}
        self.answers = 0  # units that came back with draws
        self.suspected: dict[int, int] = {}  # inputs of units that failed: the answers until then
        self.failed: dict[int, str] = {}  # inputs given up, and the last error of each
        self.failed_in_a_row: list[int] = []  # those given up since anything was drawn
        self.failing: list[int] = []  # the first inputs of units that failed since then

    @property
    def left(self) -> bool:
        """Whether there is anything to hand out now."""
        return bool(self.fresh.size or self.waiting or self.retries or self.single_retries)

    def next(self, rate: float, workers: int = 1) -> Unit | None:
        """The next unit for a worker that makes `rate` draws a second (0: not known yet)."""
        if self.retries:
            return self._hand_out(*self.retries.pop(0))
        level = self._level(rate)
        if level is None:
            return self._hand_out(*self.single_retries.pop(0)) if self.single_retries else None
        size = self._size(level, rate)
        if workers > 1:  # the last units are small, so that all workers end at about the same time
            draws = self._target(level) - level
            fewest = -(-FEWEST_BATCHES * self.batch_size // draws)
            size = min(size, max(fewest, -(-self._waiting(level) // (2 * workers))))
        return self._hand_out(level, self._take(level, size))

    def _level(self, rate: float) -> int | None:
        """The draws of the inputs to go on with: a full unit between looks, else new inputs.

        So few wait between looks, and those that do are packed together in whole batches.
        """
        waiting = {level: self._waiting(level) for level in self.waiting}
        if sum(waiting.values()) >= MOST_INPUTS:
            return max(waiting, key=lambda level: (waiting[level], level))
        full = [level for level in waiting if waiting[level] >= self._size(level, rate)]
        if full and rate:
            return max(full)
        if self.fresh.size:
            return 0
        return min(waiting, default=None)

    def _waiting(self, level: int) -> int:
        return sum(map(len, self.waiting[level])) if level in self.waiting else len(self.fresh)

    def _target(self, level: int) -> int:
        return next_target(self.plan, level)

    def _size(self, level: int, rate: float) -> int:
        return unit_size(rate, self._target(level) - level, self.batch_size)

    def _take(self, level: int, size: int) -> InputGroup:
        if level not in self.waiting:
            lot, self.fresh = InputGroup(self.fresh[:size], None), self.fresh[size:]
            return lot
        held = join_tallies(self.waiting.pop(level))
        whole = InputGroup(held.inputs, held)
        if len(held) > size:
            rest = whole.part(slice(size, None)).held
            assert rest is not None
            self.waiting[level] = [rest]
        return whole.part(slice(0, size))

    def _hand_out(self, level: int, lot: InputGroup) -> Unit:
        self.keys += 1
        self.out[self.keys] = level, lot
        before = None if lot.held is None else PilotResult(lot.held.pilot, lot.held.leaders)
        return Unit(self.keys, lot.items, (level, self._target(level)), before)

    def record_drawn(self, unit: Unit, tally: Tally | None) -> Tally | None:
        """A unit came back, whole or with its first inputs only; the inputs that are done."""
        level, lot = self.out.pop(unit.key)
        count = 0 if tally is None else len(tally)
        if count < len(lot.items):
            self.retries.append((level, lot.part(slice(count, None))))
        if tally is None:
            return None
        self.failed_in_a_row.clear()
        self.failing.clear()
        self.answers += 1
        held = lot.part(slice(0, count)).held
        whole = tally if held is None else held + tally
        done = self.until(whole) != ""
        if not done.all():
            self.waiting.setdefault(unit.span[1], []).append(select_inputs(whole, ~done))
        return select_inputs(whole, done) if done.any() else None

    def fail(self, unit: Unit, error: str, *, waited: bool = True) -> list[int]:
        """A unit failed: its halves are tried apart, an input alone a few times; those given up.

        An input is given up if others were drawn since it was first part of a failure, or if there
        was time enough for the model to come back (`waited`). Else it may not be the input.
        """
        level, lot = self.out.pop(unit.key)
        for each in lot.items.tolist():
            self.suspected.setdefault(each, self.answers)
        self.failing.append(int(lot.items[0]))
        if len(lot.items) > 1:
            middle = len(lot.items) // 2
            halves = lot.part(slice(0, middle)), lot.part(slice(middle, None))
            self.retries += [(level, half) for half in halves]
            return []
        item = int(lot.items[0])
        self.tries[item] = self.tries.get(item, 0) + 1
        its_own = waited or self.answers > self.suspected[item]
        if self.tries[item] < TRIES or not its_own:
            self.single_retries.append((level, lot))
            return []
        self.failed[item] = error
        self.failed_in_a_row.append(item)
        return [item]


def next_target(plan: Plan, draws: int) -> int:
    """The look that an input with so many draws goes to: without a rule to stop by, the last."""
    if plan.rule == "fixed":
        return plan.looks[-1]
    return next(look for look in plan.looks if look > draws)


def unit_size(rate: float, draws: int, batch_size: int) -> int:
    """Inputs of a unit of so many draws each: about PART_SECONDS of work, one batch at first."""
    if rate == 0:
        return max(1, -(-batch_size // draws))
    return int(np.clip(rate * PART_SECONDS / draws, 1, MOST_INPUTS))
