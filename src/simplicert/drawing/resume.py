"""Create, resume or extend the run that a drawing writes into.

`prepare_run` lets one worker load and probe, then creates or resumes the run, or refuses before
anything is written. `RunShare` is the run as seen by a process that draws some of its inputs and
does not read the parts of the others.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from simplicert.drawing.driver import Backoff, Say, say_nothing
from simplicert.errors import InvalidInput, require
from simplicert.files import make_folder, wait_for_name
from simplicert.sampling.forward import ClassifierFailed
from simplicert.store.differences import manifest_differences
from simplicert.store.manifest import (
    NAME,
    Manifest,
    read_manifest,
    write_manifest,
)
from simplicert.store.parts import may_hold_inputs
from simplicert.store.run import FAILED_FOLDER, PARTS, Run, begin_run, write_noise_scale
from simplicert.store.settings import DrawingSettings
from simplicert.temporary import remove_stale_files
from simplicert.types import Ints

if TYPE_CHECKING:
    from simplicert.drawing.preparation import Preparation
    from simplicert.drawing.workers import Workers

MEANINGS = {  # of settings whose names do not say what differs
    "data_fingerprint": "the inputs, their order or their labels are others; ",
    "model_fingerprint": "the model's code or weights are others; ",
}


@dataclass(frozen=True, eq=False)
class PreparedRun:
    """This process's share of a run, its inputs in order, and warnings for the user."""

    run: "RunShare"
    index: Ints
    warnings: tuple[str, ...]
    calls: int = 0  # rows that the probe asked the model about


def prepare_run(
    settings: DrawingSettings, workers: "Workers", say: Say = say_nothing
) -> PreparedRun:
    """Let one worker load and probe; then create or resume the run, and let all workers join."""
    out = settings.out
    before = read_manifest(out) if (out / NAME).exists() else None
    if settings.extend:
        require(before is not None, f"out must be a run to extend, and {out} is none")
    prepared = _prepare_with_retries(workers, before, Backoff(settings.patience, say))
    manifest = prepared.manifest
    if settings.extend and before is not None:
        refuse_differences(out, before, replace(manifest, plan=before.plan))
        manifest = replace(manifest, plan=_extend_run(out, settings.draws).manifest.plan)
    run = _resume_or_begin(out, manifest)
    if prepared.noise_scale is not None:
        write_noise_scale(run.folder, prepared.noise_scale)
    workers.join(run.manifest)
    number, shares = settings.shard
    mine = prepared.index[np.arange(len(prepared.index)) % shares == number - 1]
    share = take_share(run, prepared.index, mine)
    return PreparedRun(share, mine, prepared.warnings, prepared.calls)


def _prepare_with_retries(
    workers: "Workers", before: Manifest | None, backoff: Backoff
) -> "Preparation":
    """Let a worker prepare; a model that fails while it is probed is called again later."""
    while True:
        try:
            return workers.prepare(before)
        except ClassifierFailed as error:
            if not backoff.fail(error.words):
                raise
            backoff.wait()


@dataclass(frozen=True)
class RunShare(Run):
    """A run of which only some parts are read: use it for drawing, not for results.

    Its tally holds all draws of the inputs `mine`, and any or none of the others. Each part is
    checked by the process that draws the input in the part's name, or else by all processes.
    """

    mine: frozenset[int]
    others: frozenset[int]

    def paths(self) -> list[Path]:
        """Return the parts that may hold draws of `mine`, and those without an owner."""
        return [path for path in super().paths() if self._must_read(path)]

    @cached_property
    def _decisions(self) -> dict[str, bool]:
        """Which parts to read, by their names; parts never change."""
        return {}

    def _must_read(self, path: Path) -> bool:
        if path.name not in self._decisions:
            other = _first_input(path) in self.others
            self._decisions[path.name] = not other or may_hold_inputs(
                path, self.mine, self.manifest
            )
        return self._decisions[path.name]


def take_share(run: Run, index: Ints, mine: Ints) -> RunShare:
    """Return the run, whose inputs are `index`, for the process that draws `mine`."""
    own = frozenset(mine.tolist())
    return RunShare(run.folder, run.manifest, own, frozenset(index.tolist()) - own)


def _first_input(path: Path) -> int | None:
    """Return the smallest input of a part by its name; None if the name does not say."""
    number = path.name.partition("-")[0]
    return int(number) if number.isascii() and number.isdecimal() else None


def _resume_or_begin(folder: Path, manifest: Manifest) -> Run:
    """Return the run in this folder, which must have the same settings, or begin a new one."""
    if not (folder / NAME).exists():
        begin_run(folder, manifest)
        wait_for_name(folder / NAME)
    existing = read_manifest(folder)
    refuse_differences(folder, existing, manifest)
    remove_stale_files(folder)
    remove_stale_files(make_folder(folder / PARTS))
    if not (folder / FAILED_FOLDER).is_symlink():
        remove_stale_files(folder / FAILED_FOLDER)
    return Run(folder, existing)


def refuse_differences(folder: Path, existing: Manifest, wanted: Manifest) -> None:
    """Refuse to resume a run with other settings than it was made with."""
    for name, before, now in manifest_differences(existing, wanted):
        hint = MEANINGS.get(name, "")
        if name == "draws" and isinstance(before, int) and (now or 0) > before:
            hint = "extend (--extend) adds draws to a run; else "
        raise InvalidInput(
            f"{folder} was made with {name} = {before}, and {name} = {now} was asked for: "
            f"{hint}use the same settings to resume, or another folder"
        )


def _extend_run(folder: Path, draws: int) -> Run:
    """Add one more look, at `draws` draws, with half of what is left of the run's reserve.

    In a run without a reserve it has half of alpha, and all earlier looks share the other half.
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
