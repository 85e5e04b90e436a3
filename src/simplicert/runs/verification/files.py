"""The files of a run folder: is each what it was when it was written?"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from simplicert.data.arrays import UNREADABLE
from simplicert.errors import DamagedRun
from simplicert.files import read_run_file
from simplicert.runs.folder import DAMAGED, PARTS, SCALE, Run
from simplicert.runs.known import KnownRun
from simplicert.runs.manifest import NAME, unaltered
from simplicert.runs.parts import read_part
from simplicert.runs.verification.check import Check, listed
from simplicert.types import Tally


class Part(NamedTuple):
    """A part that was read and believed."""

    path: Path
    tally: Tally


def settings_check(folder: Path) -> Check:
    """run.toml against the checksum in its last line."""
    intact = unaltered(read_run_file(folder / NAME))
    says = {
        True: f"{NAME} is as it was written",
        False: f"{NAME} was altered after it was written: its checksum does not match",
        None: f"{NAME} carries no checksum: it was written before simplicert put one there",
    }
    return Check("files", intact, says[intact])


def part_checks(run: Run) -> tuple[list[Part], list[Check]]:
    """Every part read on its own: its checksum, and that it says it is of this run."""
    good, bad = [], []
    for path in run.paths():
        try:
            good.append(Part(path, read_part(path, run.manifest)))
        except DamagedRun as error:
            bad.append(Check("files", False, str(error)))
    says = f"parts that match their checksums and belong to run {run.manifest.id}: {len(good)}"
    return good, [*bad, *([Check("files", True, says)] if good else [])]


def other_checks(run: Run | KnownRun) -> Iterator[Check]:
    """The shares of the noise, and files that are no part of a run."""
    if isinstance(run, Run) and "noise_scale" in run.manifest.source:
        yield scale_check(run)
    parts = run.folder / PARTS
    if parts.is_dir():
        strange = sorted(p.name for p in parts.iterdir() if p.suffix != ".parquet")
        if strange:
            yield Check("files", None, f"left alone in {PARTS}/, no parts: {listed(strange)}")
    aside = run.folder / DAMAGED
    if aside.is_dir():
        names = sorted(path.name for path in aside.iterdir())
        yield Check("files", None, f"set aside in {DAMAGED}/ when found damaged: {listed(names)}")


def scale_check(run: Run) -> Check:
    """The file of shares against its checksum in run.toml."""
    try:
        scale = run.noise_scale
    except (DamagedRun, OSError, *UNREADABLE) as error:
        return Check("files", False, f"{SCALE} cannot be used: {error}")
    assert scale is not None
    sound = scale.dtype.kind == "f"
    says = f"{SCALE} matches its checksum in {NAME}"
    return Check("files", sound, says if sound else f"{SCALE} must hold floats, got {scale.dtype}")
