"""Make and open run folders, which many processes may write and which open without the model.

A folder holds run.toml and parts/. `Run` is an opened run: its tally, what is done, missing or
failed, and its certificates.
`begin_run` and `create_run` make new folders. `record_failure`, `read_failures` and
`forget_failures` keep one small file for each input that was given up, until it is tried again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from simplicert.bounds import SCHEMES, bound
from simplicert.certification import certify
from simplicert.data.arrays import read_array
from simplicert.errors import DamagedRun, IncompatibleTallies, InvalidInput, require
from simplicert.files import (
    LOCK,
    content_checksum,
    make_folder,
    read_run_file,
    refuse_existing_folder,
    write_atomically,
)
from simplicert.mechanisms.choice import MechanismLike
from simplicert.noises import GAUSSIAN
from simplicert.stopping import BUDGET, Until
from simplicert.store.collect import join_records
from simplicert.store.features import find_size
from simplicert.store.listing import Watch, list_parts, read_settled, watch_nothing
from simplicert.store.manifest import NAME, Manifest, write_manifest
from simplicert.store.parts import (
    PartRecord,
    read_origins,
    read_part,
    read_part_record,
    sum_seconds,
    write_part,
)
from simplicert.store.settings import DrawingSettings, restore_settings
from simplicert.types import KINDS, Certificates, Ints, Tally
from simplicert.types.arrays import Texts
from simplicert.types.tally import select_inputs

PARTS = "parts"
FAILED_FOLDER = "failed"  # one file per input that was given up
DAMAGED_FOLDER = "damaged"  # parts that were set aside
SCALE = "noise_scale.npy"  # each feature's share of sigma
MOST = 2**20  # bytes of the error of one input


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
        records = read_records(self)
        if not records:
            raise DamagedRun(f"{self.folder} holds no parts: nothing was drawn, or they were lost")
        try:
            return join_records(records, self.manifest)
        except IncompatibleTallies as error:
            raise DamagedRun(f"the parts of {self.folder} contradict each other: {error}") from None

    def paths(self) -> list[Path]:
        """List the parts, in the order of their names; parts elsewhere are no part of a run."""
        if (self.folder / PARTS).is_symlink():
            raise DamagedRun(f"{self.folder / PARTS} must be a folder, got a link")
        return list_parts(self.folder / PARTS)

    def tally(self) -> Tally:
        """Add all parts; an error if a part is damaged or draws would count twice."""
        return self._tally

    @property
    def audit(self) -> tuple[str, ...]:
        """What was doubtful in counts that were imported with more than counts, in sentences."""
        return tuple(self.manifest.source.get("audit", ()))

    @property
    def settings(self) -> DrawingSettings:
        """The settings that the run was drawn with; refused where it was not drawn here."""
        return restore_settings(self.manifest, self.folder, self.noise_scale)

    @property
    def until(self) -> Until:
        """The rule that says when an input has enough draws, by the declared settings."""
        declared = self.manifest
        rule = "fixed" if declared.plan is None else declared.plan.rule
        return Until(
            rule,
            declared.alpha,
            declared.kind,
            declared.scheme,
            declared.find_method(declared.kind, declared.scheme),
            declared.sensitivity,
        )

    @cached_property
    def stopped(self) -> Texts:
        """(N,) why each input of the tally was drawn no further, "" if it needs more draws."""
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
        """Return the indices of the inputs that need no more draws."""
        return self.tally().inputs[self.stopped != ""] if self.paths() else np.zeros(0, np.int64)

    @property
    def seconds(self) -> float:
        """Time spent drawing, over all processes."""
        return sum_seconds(read_settled(self.paths, read_origins).values())

    @property
    def missing(self) -> int:
        """The number of inputs that are not there, or not with all their draws."""
        done = len(self.done())
        if done > self.manifest.inputs:
            raise DamagedRun(
                f"{self.folder} holds {done} inputs, and {NAME} says {self.manifest.inputs}"
            )
        return self.manifest.inputs - done

    @property
    def failed(self) -> dict[int, str]:
        """Inputs that were given up and are not done, each with its error."""
        failures = read_failures(self.folder)
        done = set(self.done().tolist()) if failures else set()
        return {item: error for item, error in failures.items() if item not in done}

    @property
    def noise_scale(self) -> np.ndarray | None:
        """Each feature's share of sigma, if the run has a noise scale."""
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
        """Move damaged parts away, so that their inputs are drawn again, and return their paths.

        The tally checks every part and is cached: parts are checked one by one only if it fails.
        """
        try:
            self.tally()
        except (DamagedRun, FileNotFoundError):
            return [path for path in self.paths() if self._set_aside(path)]
        return []

    def _set_aside(self, path: Path) -> bool:
        """Move this part away if it is damaged; True if this process moved it, and not another."""
        try:
            read_part(path, self.manifest)
        except FileNotFoundError:
            return False
        except DamagedRun:
            aside = make_folder(self.folder / DAMAGED_FOLDER)
            try:
                path.rename(aside / path.name)
            except FileNotFoundError:  # another process moved it first
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
        *,
        norm: str | None = None,
        size: int | None = None,
    ) -> Certificates:
        """Certify by the declared settings, or by others, which are then exploratory.

        The guarantee is for settings chosen before the counts were seen. Another sensitivity is
        not exploratory: it is a fact about the first stage, whatever the counts are. Nor is another
        `norm` that the noise certifies: the radii of all norms hold on the same event. `size`, the
        number of features where the norm needs it, is what the run recorded, if it did.
        """
        declared = self.manifest
        alpha = declared.alpha if alpha is None else alpha
        kind = KINDS.get(kind, kind) if kind is not None else declared.kind
        scheme = scheme if scheme is not None else self._usual_scheme(kind)
        same = (kind, scheme) == (declared.kind, declared.scheme)
        method = method if method is not None else declared.find_method(kind, scheme)
        known = bound(self.tally(), alpha, kind, scheme, method)
        if known.looks is not None:
            known = replace(known, stopped=np.where(self.stopped == "", "unfinished", self.stopped))
        own = declared.find_method(declared.kind, declared.scheme)
        as_declared = same and known.alpha == declared.alpha and known.method == own
        stage = declared.sensitivity if sensitivity is None else sensitivity
        size = find_size(declared, norm, size)
        found = certify(known, mechanisms, stage, norm=norm, size=size)
        return replace(found, exploratory=not as_declared)

    def _usual_scheme(self, kind: str) -> str:
        """Return the declared scheme, or gated for a kind that does not have it."""
        own = self.manifest.scheme
        usual = kind == self.manifest.kind or own in SCHEMES.get(kind, {})
        return own if usual else "gated"


def read_records(run: Run, watch: Watch = watch_nothing) -> dict[Path, PartRecord]:
    """Read every part of a run; an error names the first that is damaged."""
    return read_settled(run.paths, lambda path: read_part_record(path, run.manifest), watch)


def hold_tally(run: Run, tally: Tally) -> None:
    """Let a run keep a tally that was just made of all its parts: they are not read again."""
    run.__dict__["_tally"] = tally


def write_noise_scale(folder: Path, scale: np.ndarray) -> None:
    """Keep the shares in the run: its radii are in the norm that they define."""
    sink = BytesIO()
    np.save(sink, scale)
    write_atomically(folder / SCALE, sink.getvalue(), only_if_new=True)


def begin_run(folder: Path, manifest: Manifest) -> None:
    """Make the folder; if several processes begin at once, one of them writes run.toml."""
    require(
        not folder.exists() or (folder.is_dir() and not _holds_other_files(folder)),
        f"out must be a new or empty folder, and {folder} already holds something",
    )
    (folder / PARTS).mkdir(parents=True, exist_ok=True)
    write_manifest(folder, manifest, only_if_new=True)


def _holds_other_files(folder: Path) -> bool:
    """Tell whether the folder holds anything that a beginning run would not have put there.

    Parts without a run.toml are the rest of a run that lost it: runs must not be mixed.
    """
    if any((folder / PARTS).glob("*.parquet")) and not (folder / NAME).exists():
        return True
    return any(
        path.name not in (PARTS, NAME, SCALE) and path.suffix not in (".tmp", LOCK)
        for path in folder.iterdir()
    )


def create_run(folder: Path | str, manifest: Manifest, tally: Tally) -> Run:
    """Write a tally as a new run of one part; an existing folder is never touched.

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
    require(
        manifest.noise_model in (GAUSSIAN, tally.noise),
        f"manifest must have the tally's noise {tally.noise}, got {manifest.noise_model}",
    )
    manifest = manifest.with_noise(tally.noise)
    manifest = replace(manifest, source=_complete_source(manifest, tally))
    manifest.text()  # raises an error before anything is written
    (folder / PARTS).mkdir(parents=True)
    write_part(folder / PARTS, tally, manifest)
    write_manifest(folder, manifest)  # last: a folder without it is not a run
    return Run(folder, manifest)


def _complete_source(manifest: Manifest, tally: Tally) -> dict[str, Any]:
    """Add what the tally knows of the function that was drawn to what run.toml says of it."""
    source, norm = manifest.source, manifest.function["norm"]
    require(
        tally.norm == norm,
        f"manifest must be of a run in the tally's norm {tally.norm}, got {norm}: draws with a "
        "noise scale are kept by sample, with the scale itself",
    )
    known = {} if tally.grid is None else {"grid": tally.grid}
    known |= {} if tally.lipschitz is None else {"lipschitz": tally.lipschitz}
    known |= {} if tally.reading is None else tally.reading.record()
    for name in ("grid", "lipschitz", *known):
        mine, its = source.get(name, known.get(name)), known.get(name)
        require(mine == its, f"manifest must have the tally's {name}, got {mine} for {its}")
    return {**source, **known}


def record_failure(folder: Path, item: int, error: str) -> None:
    """Record that this input failed, with its error."""
    path = make_folder(folder / FAILED_FOLDER) / f"{item:08d}.txt"
    write_atomically(path, f"{error}\n".encode(), sweep=False)


def read_failures(folder: Path) -> dict[int, str]:
    """Read the inputs that failed, each with its error."""
    if (folder / FAILED_FOLDER).is_symlink():  # files elsewhere are no part of a run
        raise DamagedRun(f"{folder / FAILED_FOLDER} must be a folder, got a link")
    failures = {}
    for path in sorted((folder / FAILED_FOLDER).glob("*.txt")):
        if path.stem.isascii() and path.stem.isdecimal():
            failures[int(path.stem)] = read_run_file(path, MOST).decode(errors="replace").strip()
    return failures


def forget_failures(folder: Path, items: Iterable[int]) -> None:
    """Forget the failures of inputs that are tried again or done."""
    failures = read_failures(folder)
    for item in {int(i) for i in items} & failures.keys() if failures else ():
        (folder / FAILED_FOLDER / f"{item:08d}.txt").unlink(missing_ok=True)
