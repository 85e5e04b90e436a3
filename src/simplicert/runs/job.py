"""Drawing into a run folder: create or resume, part by part, until every input is done."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from simplicert.errors import InvalidInput, require
from simplicert.runs.folder import Run, begin_run, open_run
from simplicert.runs.manifest import Manifest, differences, read_manifest, write_manifest
from simplicert.runs.parts import write_part
from simplicert.sampling import Sampler
from simplicert.types import Ints, Tally

PART_SECONDS = 15.0  # a killed process loses at most about this much work
MOST_INPUTS = 2000  # in one part


@dataclass(frozen=True)
class Progress:
    """What a progress line can show after each batch."""

    inputs: int  # to draw in this process
    done: int
    draws: int
    seconds: float
    tally: Tally | None  # the newest part, once it is written


def resume_or_begin(folder: Path, manifest: Manifest) -> Run:
    """The run at this folder, which must have been made by the same settings, or a new one."""
    if not (folder / "run.toml").exists():
        begin_run(folder, manifest)
    found = read_manifest(folder)
    for name, before, now in differences(found, manifest):
        raise InvalidInput(
            f"{folder} was made with {name} = {before}, and {name} = {now} was asked for: "
            "use the same settings to resume, or another folder"
        )
    return open_run(folder)


def extend(folder: Path, draws: int) -> Run:
    """One more look, at `draws` draws; all earlier looks then share half of alpha."""
    from dataclasses import replace

    run = open_run(folder)
    require(
        run.manifest.plan is not None, f"{folder} was not drawn by a plan: it cannot be extended"
    )
    assert run.manifest.plan is not None
    plan = run.manifest.plan
    if draws != plan.looks[-1]:  # repeating the command resumes
        write_manifest(folder, replace(run.manifest, plan=plan.extended(draws)))
    return open_run(folder)


def draw_run(
    run: Run,
    sampler: Sampler,
    inputs: Any,
    labels: Ints | None,
    index: Ints,
    *,
    shard: tuple[int, int] = (1, 1),
    stop: Callable[[], bool] = lambda: False,
    report: Callable[[Progress], None] = lambda progress: None,
) -> bool:
    """Draw what is missing; True when this process's share is complete, False when stopped."""
    plan = run.manifest.plan
    assert plan is not None
    held = run.held(index)
    mine = np.arange(len(index)) % shard[1] == shard[0] - 1
    target = plan.looks[-1]
    start, done, drawn = time.perf_counter(), 0, 0
    total = int((mine & (held < target)).sum())
    rate = 0.0
    for before in np.unique(held[mine & (held < target)]):
        left = np.flatnonzero(mine & (held == before))
        while left.size:
            size = part_size(rate, target - int(before), sampler.settings.batch_size)
            rows, left = left[:size], left[size:]
            began = time.perf_counter()

            def after_batch(count: int, finished: int, before_part: int = done) -> bool:
                nonlocal drawn
                drawn += count
                seconds = time.perf_counter() - start
                report(Progress(total, before_part + finished, drawn, seconds, None))
                return stop()

            tally = sampler.tally(
                inputs[rows],
                index[rows],
                (int(before), target),
                labels=None if labels is None else labels[rows],
                plan=plan,
                after_batch=after_batch,
            )
            took = time.perf_counter() - began
            if tally is not None:
                write_part(run.folder / "parts", tally, run.manifest, took)
                done += len(tally)
                rate = len(tally) * (target - int(before)) / took
                report(Progress(total, done, drawn, time.perf_counter() - start, tally))
            if tally is None or len(tally) < len(rows):
                return False
    return True


def part_size(rate: float, draws: int, batch_size: int) -> int:
    """Inputs of the next part: about PART_SECONDS of work, whole batches at first."""
    if rate == 0:
        return max(1, -(-batch_size // draws))
    return int(np.clip(rate * PART_SECONDS / draws, 1, MOST_INPUTS))


def parse_shard(text: str) -> tuple[int, int]:
    """The numbers of "2/4", the second of four shares of the inputs."""
    first, _, last = text.partition("/")
    good = first.isdigit() and last.isdigit() and 1 <= int(first) <= int(last)
    require(good, f"shard must be i/k with 1 <= i <= k, such as 1/4, got {text!r}")
    return int(first), int(last)


def arithmetic(index: Sequence[int] | Ints) -> list[int]:
    """An index as [first, step, count] where it is a range, else as itself; for run.toml."""
    values = np.asarray(index)
    step = int(values[1] - values[0]) if len(values) > 1 else 1
    if step > 0 and np.array_equal(values, values[0] + step * np.arange(len(values))):
        return [int(values[0]), step, len(values)]
    return [int(v) for v in values]
