"""Drawing into a run folder: create or resume, part by part, until every input is done."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from simplicert.errors import InvalidInput, require
from simplicert.runs.atomic import make_folder, remove_stale
from simplicert.runs.board import Board
from simplicert.runs.counter import Counter, Progress
from simplicert.runs.crew import Crew
from simplicert.runs.driver import drive
from simplicert.runs.failures import FAILED, forget
from simplicert.runs.folder import PARTS, Run, begin_run
from simplicert.runs.manifest import Manifest, differences, read_manifest, write_manifest
from simplicert.runs.patience import Patience, Say, say_nothing
from simplicert.types import Ints, Tally
from simplicert.types.merging import begun
from simplicert.types.selection import some


def resume_or_begin(folder: Path, manifest: Manifest) -> Run:
    """The run at this folder, which must have been made by the same settings, or a new one."""
    if not (folder / "run.toml").exists():
        begin_run(folder, manifest)
    found = read_manifest(folder)
    refuse_differences(folder, found, manifest)
    remove_stale(folder)
    remove_stale(make_folder(folder / PARTS))
    if not (folder / FAILED).is_symlink():
        remove_stale(folder / FAILED)
    return Run(folder, found)


def refuse_differences(folder: Path, found: Manifest, wanted: Manifest) -> None:
    """A run is resumed by the settings it was made with, or not at all."""
    for name, before, now in differences(found, wanted):
        raise InvalidInput(
            f"{folder} was made with {name} = {before}, and {name} = {now} was asked for: "
            "use the same settings to resume, or another folder"
        )


def extend(folder: Path, draws: int) -> Run:
    """One more look, at `draws` draws, with half of what is left of the run's reserve.

    In a run without one it has half of alpha, and all earlier looks then share the other half.
    """
    run = Run(folder, read_manifest(folder))
    require(
        run.manifest.plan is not None, f"{folder} was not drawn by a plan: it cannot be extended"
    )
    assert run.manifest.plan is not None
    plan = run.manifest.plan
    if draws != plan.looks[-1]:  # repeating the command resumes
        write_manifest(folder, replace(run.manifest, plan=plan.extended(draws)))
    return Run(folder, read_manifest(folder))


@dataclass(frozen=True)
class Outcome:
    """How a drawing ended."""

    complete: bool  # False when stopped
    failed: dict[int, str]  # inputs given up, and what the classifier said


def draw_run(
    run: Run,
    crew: Crew,
    index: Ints,
    *,
    stop: Callable[[], bool] = lambda: False,
    report: Callable[[Progress], None] = lambda progress: None,
    patience: float = 0.0,
    say: Say = say_nothing,
) -> Outcome:
    """Draw what is missing of these inputs, by a crew that has joined the run.

    A model that fails is asked again for `patience` seconds, and `say` hears of it.
    """
    assert run.manifest.plan is not None
    held = run.tally() if run.paths() else None
    left = index[~np.isin(index, run.done())]
    forget(run.folder, left)
    before = beginning(held, left)
    fresh = left if before is None else left[~np.isin(left, before.inputs)]
    size = int(run.manifest.source["batch_size"])
    board = Board(run.manifest.plan, run.until, size, fresh, before)
    counter = Counter(len(left), stop, report)
    complete = drive(run, board, crew, counter, Patience(patience, say))
    return Outcome(complete, board.failed)


def beginning(held: Tally | None, block: Ints) -> Tally | None:
    """What is held of these inputs from their first draw on; the rest must be drawn again."""
    if held is None:
        return None
    rows = np.isin(held.inputs, block)
    if held.segments is not None:
        rows &= begun(held.segments, held.inputs, one_seed=False)
    return some(held, rows) if rows.any() else None


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
