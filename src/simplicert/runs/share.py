"""Share: a run as a process sees it that draws some of its inputs, and reads no other's parts."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from simplicert.runs.folder import Run
from simplicert.runs.parts import may_hold
from simplicert.types import Ints


@dataclass(frozen=True)
class Share(Run):
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
            other = first_input(path) in self.others
            self._known[path.name] = not other or may_hold(path, self.mine, self.manifest)
        return self._known[path.name]


def share_of(run: Run, index: Ints, mine: Ints) -> Share:
    """The run, whose inputs are `index`, for the process that draws `mine`."""
    own = frozenset(mine.tolist())
    return Share(run.folder, run.manifest, own, frozenset(index.tolist()) - own)


def first_input(path: Path) -> int | None:
    """The smallest input of a part by its name; None where the name does not say."""
    number = path.name.partition("-")[0]
    return int(number) if number.isascii() and number.isdecimal() else None
