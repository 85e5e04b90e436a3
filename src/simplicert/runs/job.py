"""Drawing into a run folder: create or resume, part by part, until every input is done."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from simplicert.errors import InvalidInput, SamplingFailed, SimplicertError, require
from simplicert.runs.folder import PARTS, Run, begin_run
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
    refuse_differences(folder, found, manifest)
    return Run(folder, found)


def refuse_differences(folder: Path, found: Manifest, wanted: Manifest) -> None:
    """A run is resumed by the settings it was made with, or not at all."""
    for name, before, now in differences(found, wanted):
        raise InvalidInput(
            f"{folder} was made with {name} = {before}, and {name} = {now} was asked for: "
            "use the same settings to resume, or another folder"
        )


def extend(folder: Path, draws: int) -> Run:
    """One more look, at `draws` draws; all earlier looks then share half of alpha."""
    run = Run(folder, read_manifest(folder))
    require(
        run.manifest.plan is not None, f"{folder} was not drawn by a plan: it cannot be extended"
    )
    assert run.manifest.plan is not None
    plan = run.manifest.plan
    if draws != plan.looks[-1]:  # repeating the command resumes
        write_manifest(folder, replace(run.manifest, plan=plan.extended(draws)))
    return Run(folder, read_manifest(folder))


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
    target = plan.looks[-1]
    held = run.held(index)
    mine = np.arange(len(index)) % shard[1] == shard[0] - 1
    counter = Counter(int((mine & (held < target)).sum()), stop, report)
    for before in np.unique(held[mine & (held < target)]).tolist():
        left = np.flatnonzero(mine & (held == before))
        while left.size:
            size = part_size(counter.rate, target - before, sampler.settings.batch_size)
            rows, left = left[:size], left[size:]
            began = time.perf_counter()
            with failures(run, index[rows]):
                tally = sampler.tally(
                    inputs[rows],
                    index[rows],
                    (before, target),
                    labels=None if labels is None else labels[rows],
                    plan=plan,
                    after_batch=counter.batch,
                )
            if tally is not None:
                took = time.perf_counter() - began
                write_part(run.folder / PARTS, tally, run.manifest, took)
                counter.part(tally, len(tally) * (target - before) / took)
            if tally is None or len(tally) < len(rows):
                return False
    return True


class Counter:
    """What was drawn so far, for the progress line and for the size of the next part."""

    def __init__(
        self, inputs: int, stop: Callable[[], bool], report: Callable[[Progress], None]
    ) -> None:
        """Nothing drawn yet."""
        self.inputs, self.stop, self.report = inputs, stop, report
        self.start, self.done, self.draws, self.rate = time.perf_counter(), 0, 0, 0.0

    def batch(self, rows: int, complete: int) -> bool:
        """After each batch: whether to stop."""
        self.draws += rows
        self._tell(self.done + complete, None)
        return self.stop()

    def part(self, tally: Tally, rate: float) -> None:
        """After each part."""
        self.done, self.rate = self.done + len(tally), rate
        self._tell(self.done, tally)

    def _tell(self, done: int, tally: Tally | None) -> None:
        seconds = time.perf_counter() - self.start
        self.report(Progress(self.inputs, done, self.draws, seconds, tally))


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
    """An index as [first, step, count] where it is a range, else as -1 and itself, in order."""
    values = np.asarray(index)
    step = int(values[1] - values[0]) if len(values) > 1 else 1
    if step > 0 and np.array_equal(values, values[0] + step * np.arange(len(values))):
        return [int(values[0]), step, len(values)]
    return [-1, *(int(v) for v in np.sort(values))]
