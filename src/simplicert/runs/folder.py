"""The run folder: run.toml and parts/. Written once, opened without model or data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import add
from pathlib import Path

from simplicert.bounds import SCHEMES, bound
from simplicert.certification import Own, certify
from simplicert.errors import DamagedRun, IncompatibleTallies, require
from simplicert.runs.manifest import NAME, Manifest, read_manifest, write_manifest
from simplicert.runs.parts import read_part, write_part
from simplicert.types import KINDS, Certificates, Tally

PARTS = "parts"


@dataclass(frozen=True)
class Run:
    """An opened run: its settings, its tally, its certificates by the declared settings."""

    folder: Path
    manifest: Manifest

    @cached_property
    def _tally(self) -> Tally:
        manifest = self.manifest
        paths = sorted((self.folder / PARTS).glob("*.parquet"))
        if not paths:
            raise DamagedRun(f"{self.folder} holds no parts: nothing was drawn, or they were lost")
        try:
            return reduce(add, (read_part(path, manifest) for path in paths))
        except IncompatibleTallies as error:
            raise DamagedRun(f"the parts of {self.folder} contradict each other: {error}") from None

    def tally(self) -> Tally:
        """All parts added; refused where a part is damaged or draws would count twice."""
        return self._tally

    @property
    def missing(self) -> int:
        """Inputs that the run was to hold and does not."""
        return self.manifest.inputs - len(self.tally())

    def certify(
        self,
        alpha: float | None = None,
        kind: str | None = None,
        scheme: str | None = None,
        method: str | None = None,
        mechanisms: Sequence[str] | Mapping[str, str | Own] | None = None,
    ) -> Certificates:
        """Certificates by the declared settings, or by others, which are then exploratory.

        The guarantee is that of settings chosen before the counts were seen.
        """
        declared = self.manifest
        alpha = declared.alpha if alpha is None else alpha
        kind = KINDS.get(kind, kind) if kind is not None else declared.kind
        scheme = scheme if scheme is not None else declared.scheme
        same = (kind, scheme) == (declared.kind, declared.scheme)
        method = method if method is not None else (declared.method if same else None)
        known = bound(self.tally(), alpha, kind, scheme, method)
        own = declared.method or next(iter(SCHEMES[declared.kind][declared.scheme]))
        as_declared = same and known.alpha == declared.alpha and known.method == own
        return replace(certify(known, mechanisms), exploratory=not as_declared)


def create_run(folder: Path | str, manifest: Manifest, tally: Tally) -> Run:
    """Write a new run of one part; an existing folder is never touched."""
    folder = Path(folder)
    require(
        not folder.exists() or (folder.is_dir() and not any(folder.iterdir())),
        f"out must be a new or empty folder, and {folder} already holds something",
    )
    (folder / PARTS).mkdir(parents=True)
    write_part(folder / PARTS, tally)
    write_manifest(folder, manifest)  # last: a folder without it is not a run
    return Run(folder, manifest)


def open_run(folder: Path | str) -> Run:
    """Open a run folder for analysis."""
    folder = Path(folder)
    require(folder.exists(), f"run must be a folder that exists, got {str(folder)!r}")
    require(folder.is_dir(), f"run must be a folder that holds {NAME}, got the file {folder}")
    return Run(folder, read_manifest(folder))
