"""A block of inputs on its way through the plan of a run, written part by part."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from simplicert.errors import SamplingFailed, SimplicertError
from simplicert.runs.collect import join
from simplicert.runs.counter import Counter
from simplicert.runs.folder import PARTS, Run
from simplicert.runs.parts import write_part
from simplicert.sampling import Sampler
from simplicert.types import Ints, Plan, Tally
from simplicert.types.merging import rows_of
from simplicert.types.selection import some


@dataclass(frozen=True)
class Desk:
    """What drawing into a run needs at hand."""

    run: Run
    sampler: Sampler
    inputs: Any
    labels: Ints | None
    index: Ints

    def part(
        self, items: Ints, span: tuple[int, int], before: Tally | None, counter: Counter
    ) -> Tally | None:
        """These draws of these inputs, written; None if stopped before any was complete."""
        began, rows = time.perf_counter(), rows_of(items, self.index)
        with failures(self.run, items):
            tally = self.sampler.tally(
                self.inputs[rows],
                items,
                span,
                labels=None if self.labels is None else self.labels[rows],
                plan=self.run.manifest.plan,
                before=before,
                after_batch=counter.batch,
            )
        if tally is not None:
            took = time.perf_counter() - began
            write_part(self.run.folder / PARTS, tally, self.run.manifest, took)
            counter.rate = len(tally) * (span[1] - span[0]) / took
        return tally


def draw_block(desk: Desk, fresh: Ints, held: Tally | None, counter: Counter) -> bool:
    """Draw inputs until the run's rule lets each of them go; False when stopped.

    `fresh` have no draws yet, those of `held` some. All inputs at the same number of draws go to
    the next look together, so that they fill whole batches however few of them go on.
    """
    run, size = desk.run, desk.sampler.settings.batch_size
    assert run.manifest.plan is not None
    piles: dict[int, list[Tally]] = {}
    if held is not None:
        piles = {n: [some(held, held.draws == n)] for n in np.unique(held.draws).tolist()}
    while fresh.size or piles:
        before = None if fresh.size else join(piles.pop(level := min(piles)))
        first = 0 if before is None else level
        target = next_target(run.manifest.plan, first)
        items = fresh if before is None else before.inputs
        fresh = fresh[:0]
        while items.size:
            count = counter.part_size(target - first, size)
            mine = None if before is None else some(before, rows_of(items[:count], before.inputs))
            tally = desk.part(items[:count], (first, target), mine, counter)
            if tally is None or len(tally) < len(items[:count]):
                return False
            whole = tally if mine is None else mine + tally
            done = run.until(whole) != ""
            if done.any():
                counter.finished(some(whole, done))
            if not done.all():
                piles.setdefault(target, []).append(some(whole, ~done))
            items = items[count:]
    return True


def next_target(plan: Plan, draws: int) -> int:
    """The look that an input with so many draws goes to: without a rule to stop by, the last."""
    if plan.rule == "fixed":
        return plan.looks[-1]
    return next(look for look in plan.looks if look > draws)


@contextmanager
def failures(run: Run, index: Ints) -> Iterator[None]:
    """An error of the classifier as a sentence that names the inputs; ours pass as they are."""
    try:
        yield
    except SimplicertError:
        raise
    except OSError:  # a full or unreadable disk is not the classifier's doing
        raise
    except Exception as error:  # the classifier is foreign code and may raise anything
        words = str(error).strip().splitlines() or [type(error).__name__]
        raise SamplingFailed(
            f"the classifier failed while inputs {index[0]} to {index[-1]} were drawn "
            f"({words[0]}); what was drawn before is kept in {run.folder}"
        ) from error
