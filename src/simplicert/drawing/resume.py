"""Create, resume or extend a run, and draw what is missing until every input is done.

`resume_or_begin` opens or creates the run, `extend_run` adds one more look, and `draw_run` draws
the missing inputs part by part. `RunShare` is the run as seen by a process that draws some of its
inputs and does not read the parts of the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from simplicert.atomic import make_folder, remove_stale_files
from simplicert.errors import InvalidInput, require
from simplicert.store.manifest import Manifest, manifest_differences, read_manifest, write_manifest
from simplicert.store.parts import may_hold_inputs
from simplicert.store.run import FAILED_FOLDER, PARTS, Run, begin_run
from simplicert.types import Ints


@dataclass(frozen=True)
class RunShare(Run):
    """For drawing alone: its tally holds all draws of `mine`, and of other inputs any or none.

    Every part is some process's to check: by the input of its name, or else everybody's.
    """

    mine: frozenset[int]
    others: frozenset[int]

    def paths(self) -> list[Path]:
        """The parts that may hold draws of these inputs, and those that are nobody's."""
        return [path for path in super().paths() if self._to_read(path)]

    @cached_property
    def _known(self) -> dict[str, bool]:
        """What was found out about parts, which never change, by their names."""
        return {}

    def _to_read(self, path: Path) -> bool:
        if path.name not in self._known:
            other = _first_input(path) in self.others
            self._known[path.name] = not other or may_hold_inputs(path, self.mine, self.manifest)
        return self._known[path.name]


def take_share(run: Run, index: Ints, mine: Ints) -> RunShare:
    """The run, whose inputs are `index`, for the process that draws `mine`."""
    own = frozenset(mine.tolist())
    return RunShare(run.folder, run.manifest, own, frozenset(index.tolist()) - own)


def _first_input(path: Path) -> int | None:
    """The smallest input of a part by its name; None where the name does not say."""
    number = path.name.partition("-")[0]
    return int(number) if number.isascii() and number.isdecimal() else None


def resume_or_begin(folder: Path, manifest: Manifest) -> Run:
    """The run at this folder, which must have been made by the same settings, or a new one."""
    if not (folder / "run.toml").exists():
        begin_run(folder, manifest)
    found = read_manifest(folder)
    refuse_differences(folder, found, manifest)
    remove_stale_files(folder)
    remove_stale_files(make_folder(folder / PARTS))
    if not (folder / FAILED_FOLDER).is_symlink():
        remove_stale_files(folder / FAILED_FOLDER)
    return Run(folder, found)


def refuse_differences(folder: Path, found: Manifest, wanted: Manifest) -> None:
    """A run is resumed by the settings it was made with, or not at all."""
    for name, before, now in manifest_differences(found, wanted):
        raise InvalidInput(
            f"{folder} was made with {name} = {before}, and {name} = {now} was asked for: "
            "use the same settings to resume, or another folder"
        )


def extend_run(folder: Path, draws: int) -> Run:
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


def parse_shard(text: str) -> tuple[int, int]:
    """The numbers of "2/4", the second of four shares of the inputs."""
    first, _, last = text.partition("/")
    good = first.isdigit() and last.isdigit() and 1 <= int(first) <= int(last)
    require(good, f"shard must be i/k with 1 <= i <= k, such as 1/4, got {text!r}")
    return int(first), int(last)


def compress_index(index: Sequence[int] | Ints) -> list[int]:
    """An index as [first, step, count] where it is a range, else as -1 and itself, in order."""
    values = np.asarray(index)
    step = int(values[1] - values[0]) if len(values) > 1 else 1
    if step > 0 and np.array_equal(values, values[0] + step * np.arange(len(values))):
        return [int(values[0]), step, len(values)]
    return [-1, *(int(v) for v in np.sort(values))]
