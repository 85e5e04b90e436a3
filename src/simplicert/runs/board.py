"""Board: which draws of which inputs are still to make, and who is done. No input, no output.

Whoever draws (this process, several, a cluster) takes units from one board and brings back
tallies or failures, in any order; each draw of each input is made once.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from simplicert.runs.collect import join
from simplicert.runs.units import Unit
from simplicert.sampling.sampler import Earlier
from simplicert.types import Ints, Plan, Tally
from simplicert.types.arrays import Texts
from simplicert.types.merging import rows_of
from simplicert.types.selection import some

PART_SECONDS = 15.0  # a killed process loses at most about this much work
MOST_INPUTS = 2000  # in one unit, and waiting between looks
FEWEST_BATCHES = 4  # in a unit that was cut short so that every worker has one
TRIES = 3  # of an input by itself, before it is given up


@dataclass(frozen=True, eq=False)
class Lot:
    """Inputs at the same number of draws, and what is held of them."""

    items: Ints
    held: Tally | None  # in the order of the items

    def part(self, rows: slice) -> "Lot":
        """Some of them."""
        items = self.items[rows]
        held = None if self.held is None else some(self.held, rows_of(items, self.held.inputs))
        return Lot(items, held)


class Board:
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
        self.piles: dict[int, list[Tally]] = {}  # by draws: inputs that go on from there
        if held is not None:
            self.piles = {n: [some(held, held.draws == n)] for n in np.unique(held.draws).tolist()}
        self.again: list[tuple[int, Lot]] = []  # failed together, to be tried apart
        self.alone: list[tuple[int, Lot]] = []  # inputs that failed by themselves: tried last
        self.out: dict[int, tuple[int, Lot]] = {}  # units that a worker has
        self.keys = 0
        self.tries: dict[int, int] = {}
        self.answers = 0  # units that came back with draws
        self.suspected: dict[int, int] = {}  # inputs of units that failed: the answers until then
        self.failed: dict[int, str] = {}  # inputs given up, and the last error of each
        self.row: list[int] = []  # those given up since anything was drawn
        self.failing: list[int] = []  # the first inputs of units that failed since then

    @property
    def left(self) -> bool:
        """Whether there is anything to hand out now."""
        return bool(self.fresh.size or self.piles or self.again or self.alone)

    def next(self, rate: float, workers: int = 1) -> Unit | None:
        """The next unit for a worker that makes `rate` draws a second (0: not known yet)."""
        if self.again:
            return self._hand_out(*self.again.pop(0))
        level = self._level(rate)
        if level is None:
            return self._hand_out(*self.alone.pop(0)) if self.alone else None
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
        waiting = {level: self._waiting(level) for level in self.piles}
        if sum(waiting.values()) >= MOST_INPUTS:
            return max(waiting, key=lambda level: (waiting[level], level))
        full = [level for level in waiting if waiting[level] >= self._size(level, rate)]
        if full and rate:
            return max(full)
        if self.fresh.size:
            return 0
        return min(waiting, default=None)

    def _waiting(self, level: int) -> int:
        return sum(map(len, self.piles[level])) if level in self.piles else len(self.fresh)

    def _target(self, level: int) -> int:
        return next_target(self.plan, level)

    def _size(self, level: int, rate: float) -> int:
        return unit_size(rate, self._target(level) - level, self.batch_size)

    def _take(self, level: int, size: int) -> Lot:
        if level not in self.piles:
            lot, self.fresh = Lot(self.fresh[:size], None), self.fresh[size:]
            return lot
        held = join(self.piles.pop(level))
        whole = Lot(held.inputs, held)
        if len(held) > size:
            rest = whole.part(slice(size, None)).held
            assert rest is not None
            self.piles[level] = [rest]
        return whole.part(slice(0, size))

    def _hand_out(self, level: int, lot: Lot) -> Unit:
        self.keys += 1
        self.out[self.keys] = level, lot
        before = None if lot.held is None else Earlier(lot.held.pilot, lot.held.leaders)
        return Unit(self.keys, lot.items, (level, self._target(level)), before)

    def drawn(self, unit: Unit, tally: Tally | None) -> Tally | None:
        """A unit came back, whole or with its first inputs only; the inputs that are done."""
        level, lot = self.out.pop(unit.key)
        count = 0 if tally is None else len(tally)
        if count < len(lot.items):
            self.again.append((level, lot.part(slice(count, None))))
        if tally is None:
            return None
        self.row.clear()
        self.failing.clear()
        self.answers += 1
        held = lot.part(slice(0, count)).held
        whole = tally if held is None else held + tally
        done = self.until(whole) != ""
        if not done.all():
            self.piles.setdefault(unit.span[1], []).append(some(whole, ~done))
        return some(whole, done) if done.any() else None

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
            self.again += [(level, half) for half in halves]
            return []
        item = int(lot.items[0])
        self.tries[item] = self.tries.get(item, 0) + 1
        its_own = waited or self.answers > self.suspected[item]
        if self.tries[item] < TRIES or not its_own:
            self.alone.append((level, lot))
            return []
        self.failed[item] = error
        self.row.append(item)
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
