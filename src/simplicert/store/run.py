"""The run folder: run.toml and parts/, written by many processes, opened without the model.

`Run` is an opened run: its tally, what is done, missing or failed, and its certificates.
`begin_run` and `create_run` make new folders.
`record_failure`, `read_failures` and `forget_failures` keep one small file for each input that a
run had to give up, until it is tried again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from simplicert.atomic import (
    LOCK,
    content_checksum,
    make_folder,
    refuse_existing_folder,
    write_atomically,
)
from simplicert.bounds import SCHEMES, bound
from simplicert.certification import MechanismLike, certify
from simplicert.data.arrays import read_array
from simplicert.errors import DamagedRun, IncompatibleTallies, InvalidInput, require
from simplicert.files import read_run_file
from simplicert.stopping import BUDGET, Until
from simplicert.store.collect import join_tallies
from simplicert.store.manifest import NAME, Manifest, write_manifest
from simplicert.store.parts import read_part, read_parts, read_seconds, write_part
from simplicert.types import KINDS, Certificates, Ints, Tally
from simplicert.types.arrays import Texts
from simplicert.types.tally import select_inputs

FAILED_FOLDER = "failed"

MOST = 2**20  # bytes of what one input's error says


def record_failure(folder: Path, item: int, error: str) -> None:
    """Note that this input failed, and how."""
    write_atomically(make_folder(folder / FAILED_FOLDER) / f"{item:08d}.txt", f"{error}\n".encode())


def read_failures(folder: Path) -> dict[int, str]:
    """The inputs noted, each with its error."""
    if (folder / FAILED_FOLDER).is_symlink():  # what lies elsewhere is no part of a run
        raise DamagedRun(f"{folder / FAILED_FOLDER} must be a folder, got a link")
    found = {}
    for path in sorted((folder / FAILED_FOLDER).glob("*.txt")):
        if path.stem.isascii() and path.stem.isdecimal():
            found[int(path.stem)] = read_run_file(path, MOST).decode(errors="replace").strip()
    return found


def forget_failures(folder: Path, items: Iterable[int]) -> None:
    """These inputs are about to be tried again, or done."""
    noted = read_failures(folder)
    for item in {int(i) for i in items} & noted.keys() if noted else ():
        (folder / FAILED_FOLDER / f"{item:08d}.txt").unlink(missing_ok=True)


PARTS = "parts"

DAMAGED_FOLDER = "damaged"

SCALE = "noise_scale.npy"


@dataclass(frozen=True)
class Run:
    """An opened run: its settings, its tally, its certificates by the declared settings.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     settings = Manifest(sigma=0.5, inputs=2, classes=3)
    ...     run = create_run(f"{folder}/run", settings, Tally([[990, 8, 2]], sigma=0.5))
    ...     run.missing, run.certify().radius.round(3)
    (1, array([0.992]))
    """

    folder: Path
    manifest: Manifest

    @cached_property
    def _tally(self) -> Tally:
        paths = self.paths()
        if not paths:
            raise DamagedRun(f"{self.folder} holds no parts: nothing was drawn, or they were lost")
        try:
            random = bool(self.manifest.source.get("random", False))
            return join_tallies(read_parts(paths, self.manifest), random=random)
        except IncompatibleTallies as error:
            raise DamagedRun(f"the parts of {self.folder} contradict each other: {error}") from None

    def paths(self) -> list[Path]:
        """The parts, in the order of their names."""
        return sorted((self.folder / PARTS).glob("*.parquet"))

    def tally(self) -> Tally:
        """All parts added; refused where a part is damaged or draws would count twice."""
        return self._tally

    @property
    def until(self) -> Until:
        """When an input of this run has been drawn often enough, by the declared settings."""
        declared = self.manifest
        rule = "fixed" if declared.plan is None else declared.plan.rule
        return Until(
            rule,
            declared.alpha,
            declared.kind,
            declared.scheme,
            declared.method,
            declared.sensitivity,
        )

    @cached_property
    def stopped(self) -> Texts:
        """(N,) for each input of the tally why it was drawn no further, "" if it is to be."""
        tally = self.tally()
        reasons = np.full(len(tally), BUDGET, dtype=np.dtype("U16"))
        if tally.plan is None:
            return reasons
        assert tally.looks is not None
        reasons[tally.draws < tally.plan.looks[-1]] = ""
        at_look = tally.looks > 0
        if at_look.any():
            reasons[at_look] = self.until(select_inputs(tally, at_look))
        return reasons

    def done(self) -> Ints:
        """Numbers of the inputs that need no more draws."""
        return self.tally().inputs[self.stopped != ""] if self.paths() else np.zeros(0, np.int64)

    @property
    def seconds(self) -> float:
        """Time spent drawing, over all processes."""
        return sum(read_seconds(path) for path in self.paths())

    @property
    def missing(self) -> int:
        """Inputs that the run was to hold and does not, or not with all their draws."""
        done = len(self.done())
        if done > self.manifest.inputs:
            raise DamagedRun(
                f"{self.folder} holds {done} inputs, and {NAME} says {self.manifest.inputs}"
            )
        return self.manifest.inputs - done

    @property
    def failed(self) -> dict[int, str]:
        """Inputs that were given up and are not done, each with its error."""
        noted = read_failures(self.folder)
        done = set(self.done().tolist()) if noted else set()
        return {item: error for item, error in noted.items() if item not in done}

    @property
    def noise_scale(self) -> np.ndarray | None:
        """Each feature's share of sigma, where the run has one."""
        path = self.folder / SCALE
        if "noise_scale" not in self.manifest.source:
            return None
        try:
            scale = read_array(path, follow=False)
        except InvalidInput as error:
            raise DamagedRun(f"{path} was altered: {error}") from None
        if (
            content_checksum(np.ascontiguousarray(scale).tobytes())
            != self.manifest.source["noise_scale"]
        ):
            raise DamagedRun(f"{path} was altered: it does not match {NAME}")
        return np.asarray(scale)

    def set_aside_damage(self) -> list[Path]:
        """Move damaged parts out of the way, so that their inputs are drawn again; their names.

        The tally checks every part and is kept: parts are looked at one by one only if it fails.
        """
        try:
            self.tally()
        except (DamagedRun, FileNotFoundError):
            return [path for path in self.paths() if self._set_aside(path)]
        return []

    def _set_aside(self, path: Path) -> bool:
        """Whether this part was damaged and is now set aside, by us and not by another process."""
        try:
            read_part(path, self.manifest)
        except FileNotFoundError:
            return False
        except DamagedRun:
            aside = make_folder(self.folder / DAMAGED_FOLDER)
            try:
                path.rename(aside / path.name)
            except FileNotFoundError:  # another process met it too, and was faster
                return False
            return True
        return False

    def certify(
        self,
        alpha: float | None = None,
        kind: str | None = None,
        scheme: str | None = None,
        method: str | None = None,
        mechanisms: Sequence[str] | Mapping[str, str | MechanismLike] | None = None,
        sensitivity: float | None = None,
    ) -> Certificates:
        """Certificates by the declared settings, or by others, which are then exploratory.

        The guarantee is that of settings chosen before the counts were seen. Another sensitivity
        is not exploratory: it is a fact about the first stage, whatever the counts are.
        """
        declared = self.manifest
        alpha = declared.alpha if alpha is None else alpha
        kind = KINDS.get(kind, kind) if kind is not None else declared.kind
        scheme = scheme if scheme is not None else declared.scheme
        same = (kind, scheme) == (declared.kind, declared.scheme)
        method = method if method is not None else (declared.method if same else None)
        known = bound(self.tally(), alpha, kind, scheme, method)
        if known.looks is not None:
            known = replace(known, stopped=np.where(self.stopped == "", "unfinished", self.stopped))
        own = declared.method or next(iter(SCHEMES[declared.kind][declared.scheme]))
        as_declared = same and known.alpha == declared.alpha and known.method == own
        stage = declared.sensitivity if sensitivity is None else sensitivity
        return replace(certify(known, mechanisms, stage), exploratory=not as_declared)


def begin_run(folder: Path, manifest: Manifest) -> None:
    """Make the folder; of several processes that begin at once one writes run.toml."""
    require(
        not folder.exists() or (folder.is_dir() and not _holds_other_files(folder)),
        f"out must be a new or empty folder, and {folder} already holds something",
    )
    (folder / PARTS).mkdir(parents=True, exist_ok=True)
    write_manifest(folder, manifest, only_if_new=True)


def _holds_other_files(folder: Path) -> bool:
    """Whether the folder holds anything that a beginning run would not have put there.

    Parts without a run.toml are the rest of a run that lost it: they are not to be mixed.
    """
    if any((folder / PARTS).glob("*.parquet")) and not (folder / NAME).exists():
        return True
    return any(
        path.name not in (PARTS, NAME, SCALE) and path.suffix not in (".tmp", LOCK)
        for path in folder.iterdir()
    )


def create_run(folder: Path | str, manifest: Manifest, tally: Tally) -> Run:
    """Write a new run of one part; an existing folder is never touched.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     settings = Manifest(sigma=0.5, inputs=1, classes=3)
    ...     create_run(f"{folder}/run", settings, Tally([[990, 8, 2]], sigma=0.5)).tally()
    Tally(1 inputs, 3 classes, sigma 0.5, 1000 draws each)
    """
    folder = Path(folder)
    refuse_existing_folder(folder)
    for name in ("sigma", "classes", "plan"):
        mine, its = getattr(manifest, name), getattr(tally, name)
        require(mine == its, f"manifest must have the tally's {name}, got {mine} for {its}")
    require(
        len(tally) <= manifest.inputs,
        f"manifest must count all {len(tally)} inputs of the tally, got {manifest.inputs}",
    )
    manifest = replace(manifest, source=_complete_source(manifest, tally))
    manifest.text()  # what cannot be written is refused before anything is
    (folder / PARTS).mkdir(parents=True)
    write_part(folder / PARTS, tally, manifest)
    write_manifest(folder, manifest)  # last: a folder without it is not a run
    return Run(folder, manifest)


def _complete_source(manifest: Manifest, tally: Tally) -> dict[str, Any]:
    """What run.toml says of the function that was drawn, with all that the tally knows of it."""
    source, norm = manifest.source, manifest.function["norm"]
    require(
        tally.norm == norm,
        f"manifest must be of a run in the tally's norm {tally.norm}, got {norm}: draws with a "
        "noise scale are kept by sample, with the scale itself",
    )
    said = {} if tally.grid is None else {"grid": tally.grid}
    said |= {} if tally.reading is None else tally.reading.record()
    for name in ("grid", *said):
        mine, its = source.get(name, said.get(name)), said.get(name)
        require(mine == its, f"manifest must have the tally's {name}, got {mine} for {its}")
    return {**source, **said}
