"""Study: one run as the analysis reads it, by name, and several of them side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from simplicert.errors import InvalidInput, SimplicertError, choose, require
from simplicert.runs import Run, open_run
from simplicert.runs.known import KnownRun
from simplicert.types import KINDS, Certificates, Ints, Kind, Tally

NAMED = 10  # missing inputs, one by one


@dataclass(frozen=True)
class Study:
    """An opened run under the name that tables and figures give it.

    Certificates are by the settings the run declared, and so is the other kind's where the run
    holds the evidence for it: its certificates are then marked exploratory.
    """

    name: str
    run: Run | KnownRun

    @property
    def sigma(self) -> float:
        """Of the noise, in units of the input."""
        return self.run.manifest.sigma

    @property
    def data(self) -> str:
        """The data set's name as the run recorded it; of an imported log, its file's name."""
        manifest = self.run.manifest
        return str(manifest.made.get("data") or manifest.source.get("file") or "")

    @property
    def class_names(self) -> tuple[str, ...] | None:
        """A name for each class, where the data had them."""
        names = self.run.manifest.made.get("class_names")
        return None if names is None else tuple(str(name) for name in names)

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds that can be certified from what the run holds, the declared one first."""
        declared = KINDS[self.run.manifest.kind]
        return (declared, *(kind for kind in self._others(declared)))

    def _others(self, declared: Kind) -> list[Kind]:
        found: list[Kind] = []
        for kind in dict.fromkeys(KINDS.values()):
            if kind != declared:
                try:
                    self.certificates(kind)
                except SimplicertError:  # no scores, no votes, or a log: not of this kind
                    continue
                found.append(kind)
        return found

    @cached_property
    def _made(self) -> dict[Kind, Certificates]:
        return {}

    def certificates(self, kind: str | None = None) -> Certificates:
        """Of one kind, by default the declared one; computed once."""
        wanted = choose("kind", kind or self.run.manifest.kind, KINDS)
        if wanted not in self._made:
            self._made[wanted] = self.run.certify(kind=wanted)
        return self._made[wanted]

    @property
    def tally(self) -> Tally:
        """What was seen; an imported log has none, and the error says why."""
        return self.run.tally()

    @property
    def index(self) -> Ints:
        """(N,) numbers of the inputs."""
        found = self.certificates().known.index
        assert found is not None
        return found


def read_studies(
    folders: Sequence[Path | str], labels: Mapping[str, str] | None = None
) -> list[Study]:
    """Open each run; its name is the folder's, or what `labels` gives for the folder as written."""
    require(len(folders) > 0, "runs must name at least one run folder, got none")
    names = dict(labels or {})
    unknown = set(names) - {str(folder) for folder in folders}
    require(not unknown, f"label must name a run that is given, got {', '.join(sorted(unknown))}")
    studies = [
        Study(names.get(str(folder), Path(folder).resolve().name), open_run(folder))
        for folder in folders
    ]
    taken = [study.name for study in studies]
    twice = sorted({name for name in taken if taken.count(name) > 1})
    require(not twice, f"runs must have different names, got {', '.join(twice)} twice: use label")
    return studies


def parse_labels(texts: Sequence[str]) -> dict[str, str]:
    """RUN=name, once for each run that is to have another name."""
    found: dict[str, str] = {}
    for text in texts:
        folder, equals, name = text.rpartition("=")
        require(bool(equals and folder and name), f"label must be RUN=name, got {text!r}")
        found[folder] = name
    return found


def require_same_inputs(studies: Sequence[Study]) -> None:
    """Refuse to compare runs that do not cover the same inputs, naming what is missing."""
    everything = np.unique(np.concatenate([study.index for study in studies]))
    for study in studies:
        lost = np.setdiff1d(everything, study.index)
        if lost.size:
            shown = ", ".join(str(item) for item in lost[:NAMED])
            more = f" and {lost.size - NAMED} more" if lost.size > NAMED else ""
            raise InvalidInput(
                f"runs must cover the same inputs to be compared, and {study.name} lacks "
                f"{lost.size} of {everything.size}: {shown}{more}"
            )
    prints = {study.run.manifest.source.get("data_fingerprint") for study in studies} - {None}
    require(
        len(prints) <= 1,
        "runs must cover the same inputs to be compared, and these were drawn from different data: "
        + ", ".join(f"{study.name} from {study.data or 'unnamed data'}" for study in studies),
    )
