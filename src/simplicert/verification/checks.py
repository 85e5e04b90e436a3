"""Check the files of a run and the draws that they hold.

`VerificationCheck` is one line of a verification. `settings_check`, `part_checks`, `log_check` and
`other_checks` check that each file is as it was when it was written; `file_checks` makes them all,
for a run that is about to be sealed. `draw_checks` checks that the
run holds the draws that its plan allows, each once, for every input that it should have.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from simplicert.data.arrays import UNREADABLE
from simplicert.errors import DamagedRun, SimplicertError
from simplicert.files import read_run_file
from simplicert.store.collect import join_tallies
from simplicert.store.imported import ImportedRun
from simplicert.store.listing import read_settled
from simplicert.store.manifest import NAME, Manifest, matches_checksum
from simplicert.store.parts import PartRecord, VanishedPart, build_tallies, read_part_record
from simplicert.store.run import DAMAGED_FOLDER, PARTS, SCALE, Run
from simplicert.types import Ints, Tally

MOST_INPUTS = 10**8  # a range of more inputs is not written out

Report = Callable[[str, int, int], None]  # gets what is read, how many are, and of how many


def report_nothing(what: str, done: int, count: int) -> None:
    """Ignore the progress."""


class VerificationCheck(NamedTuple):
    """One line of a verification."""

    about: str  # files, draws, certificates, audit, replay or claims
    holds: bool | None  # None: it could not be checked, and the sentence says why
    says: str
    tolerant: bool = False  # it holds within a tolerance that the sentence names, not bit for bit


class VerifiedParts(NamedTuple):
    """The parts that were read and passed their checks, joined where they share no input."""

    tallies: list[Tally]
    damaged: int  # parts that did not pass


def settings_check(folder: Path) -> VerificationCheck:
    """Check run.toml against the checksum in its last line."""
    intact = matches_checksum(read_run_file(folder / NAME))
    says = {
        True: f"{NAME} is as it was written",
        False: f"{NAME} was altered after it was written: its checksum does not match",
        None: f"{NAME} carries no checksum: it was written before simplicert put one there",
    }
    return VerificationCheck("files", intact, says[intact])


def part_checks(
    run: Run, report: Report = report_nothing
) -> tuple[VerifiedParts, list[VerificationCheck]]:
    """Read every part on its own, and check its checksum and that it belongs to this run."""
    records: dict[Path, PartRecord] = {}
    wrong: dict[Path, str] = {}
    count = len(run.paths())

    def read(path: Path) -> None:
        try:
            records[path] = read_part_record(path, run.manifest)
        except VanishedPart:
            raise
        except DamagedRun as error:
            wrong[path] = str(error)
        report("parts", len(records) + len(wrong), count)

    try:
        paths = list(read_settled(run.paths, read))
        lost = []
    except VanishedPart as error:
        paths, lost = run.paths(), [str(error)]
    held = {path: records[path] for path in paths if path in records}
    tallies, more = _build_sound_tallies(
        {path: record.table for path, record in held.items()}, run.manifest
    )
    damage = [*lost, *(wrong[path] for path in paths if path in wrong), *more]
    checks = [VerificationCheck("files", False, sentence) for sentence in damage]
    if tallies:
        good = len(held) - len(more)
        says = f"parts that match their checksums and belong to run {run.manifest.id}: {good}"
        checks.append(VerificationCheck("files", True, says + _describe_merging(held)))
    return VerifiedParts(tallies, len(damage)), checks


def _describe_merging(records: dict[Path, PartRecord]) -> str:
    """Say how many drawn parts are kept in merged ones; "" if none were merged."""
    merged = [record.origins for record in records.values() if len(record.origins) > 1]
    drawn = {name for origins in merged for name in origins}
    return f", {len(merged)} of them merged from {len(drawn)} drawn parts" if merged else ""


def _build_sound_tallies(
    tables: dict[Path, pa.Table], manifest: Manifest
) -> tuple[list[Tally], list[str]]:
    """Build the tallies of all tables together, or one by one if some hold none; name those."""
    if not tables:
        return [], []
    try:
        return build_tallies(list(tables.values()), list(tables), manifest), []
    except DamagedRun:
        tallies, wrong = [], []
    for path, table in tables.items():
        try:
            tallies += build_tallies([table], [path], manifest)
        except DamagedRun as error:
            wrong.append(str(error))
    return tallies, wrong


def log_check(run: ImportedRun) -> VerificationCheck:
    """Check the table of an imported log against its checksum and the number of its rows."""
    try:
        rows, wanted = len(run.columns["index"]), run.manifest.inputs
    except (DamagedRun, OSError, *UNREADABLE) as error:
        return VerificationCheck("files", False, str(error))
    says = f"the imported log matches its checksum and holds {rows} of {wanted} inputs"
    return VerificationCheck("files", rows == wanted, says)


def file_checks(run: Run | ImportedRun) -> Iterator[VerificationCheck]:
    """Check every file that has a checksum, and nothing of what the files say together."""
    yield settings_check(run.folder)
    if isinstance(run, ImportedRun):
        yield log_check(run)
    else:
        yield from part_checks(run)[1]
    yield from other_checks(run)


def other_checks(run: Run | ImportedRun) -> Iterator[VerificationCheck]:
    """Check the noise scale, and note files that do not belong to a run."""
    if isinstance(run, Run) and "noise_scale" in run.manifest.source:
        yield scale_check(run)
    parts = run.folder / PARTS
    if parts.is_dir():
        strange = sorted(p.name for p in parts.iterdir() if p.suffix != ".parquet")
        if strange:
            yield VerificationCheck(
                "files", None, f"left alone in {PARTS}/, no parts: {list_first(strange)}"
            )
    aside = run.folder / DAMAGED_FOLDER
    if aside.is_dir():
        names = sorted(path.name for path in aside.iterdir())
        yield VerificationCheck(
            "files", None, f"set aside in {DAMAGED_FOLDER}/ when found damaged: {list_first(names)}"
        )


def scale_check(run: Run) -> VerificationCheck:
    """Check the file of the noise scale against its checksum in run.toml."""
    try:
        scale = run.noise_scale
    except (DamagedRun, OSError, *UNREADABLE) as error:
        return VerificationCheck("files", False, f"{SCALE} cannot be used: {error}")
    assert scale is not None
    sound = scale.dtype.kind == "f"
    says = f"{SCALE} matches its checksum in {NAME}"
    return VerificationCheck(
        "files", sound, says if sound else f"{SCALE} must hold floats, got {scale.dtype}"
    )


def join_parts(manifest: Manifest, parts: VerifiedParts) -> Tally | VerificationCheck:
    """Join all parts into one tally, or say why that is not possible."""
    try:
        random = manifest.random
        return join_tallies(parts.tallies, random=random)
    except SimplicertError as error:
        return VerificationCheck("draws", False, f"the parts contradict each other: {error}")


def draw_checks(run: Run, parts: VerifiedParts, tally: Tally) -> Iterator[VerificationCheck]:
    """Check the inputs, then the draws of each input, then whether its plan is done."""
    yield from _input_checks(run.manifest, tally)
    if tally.segments is None or run.manifest.plan is None:
        if run.manifest.was_drawn:
            yield VerificationCheck(
                "draws", False, "nothing says which draws they are, as every run drawn does"
            )
            return
        says = (
            f"{len(tally)} inputs with {_describe_range(tally.draws)} draws each, at the word of "
            "the imported counts: nothing says which draws they are"
        )
        yield VerificationCheck("draws", None, says)
        return
    yield _segment_check(run.manifest, tally, tally.segments)
    yield _look_check(run, tally)
    made = sum(int(part.draws.sum()) for part in parts.tallies)
    if made > tally.draws.sum():
        more = made - int(tally.draws.sum())
        yield VerificationCheck(
            "draws", True, f"{more} draws are held by two parts; they count once"
        )


def _input_checks(manifest: Manifest, tally: Tally) -> Iterator[VerificationCheck]:
    """Check that no input is missing and none is there that should not be."""
    wanted = planned_inputs(manifest)
    if wanted is None:
        same = len(tally) == manifest.inputs
        yield VerificationCheck(
            "draws", same, f"{len(tally)} of {manifest.inputs} inputs are there"
        )
        return
    missing, strange = np.setdiff1d(wanted, tally.inputs), np.setdiff1d(tally.inputs, wanted)
    if missing.size:
        says = f"{missing.size} of {wanted.size} inputs are missing: {list_first(missing.tolist())}"
        yield VerificationCheck("draws", False, says)
    if strange.size:
        says = f"inputs that the run was not to hold: {list_first(strange.tolist())}"
        yield VerificationCheck("draws", False, says)
    if wanted.size != manifest.inputs:  # only a list can disagree; a range states its length
        says = f"run.toml counts {manifest.inputs} inputs and lists {wanted.size}"
        yield VerificationCheck("draws", False, says)
    if not missing.size and not strange.size:
        yield VerificationCheck("draws", True, f"all {wanted.size} inputs are there, and no others")


def planned_inputs(manifest: Manifest) -> Ints | None:
    """Return the inputs that the run should hold; None if run.toml only counts them."""
    index = manifest.index
    if not index:
        return None
    if not all(isinstance(number, int) for number in index):
        raise DamagedRun(f"index must hold whole numbers in run.toml, got {list_first(index)}")
    if index[0] < 0:
        return np.array(index[1:], dtype=np.int64)
    if len(index) != 3 or index[2] != manifest.inputs or manifest.inputs > MOST_INPUTS:  # noqa: PLR2004
        raise DamagedRun(
            f"index must be the first input, a step and how many in run.toml, got "
            f"{list_first(index)} "
            f"for {manifest.inputs} inputs"
        )
    first, step, count = index
    return first + step * np.arange(count)


def _segment_check(manifest: Manifest, tally: Tally, segments: Ints) -> VerificationCheck:
    """Check that each input holds the draws 0..n-1 of the run's seed, all of them counted."""
    seed = manifest.source.get("seed")
    says = f"each input holds its draws of seed {seed} from 0 on, without gap and none twice"
    order = np.argsort(tally.inputs)
    firsts = np.zeros(len(tally), np.int64)
    ends_in_order = tally.draws[order]
    if type(seed) is int and np.array_equal(
        segments, np.column_stack([tally.inputs[order], firsts + seed, firsts, ends_in_order])
    ):
        return VerificationCheck("draws", True, says)
    ends = dict(zip(tally.inputs.tolist(), tally.draws.tolist(), strict=True))
    held: dict[int, list[tuple[int, int, int]]] = {item: [] for item in ends}
    for item, *span in segments.tolist():
        held[item].append(tuple(span))
    wrong = [item for item, spans in held.items() if spans != [(seed, 0, ends[item])]]
    if wrong:
        says = f"not the draws 0, 1, 2, ... of seed {seed}, without gap: input {list_first(wrong)}"
        return VerificationCheck("draws", False, says)
    return VerificationCheck("draws", True, says)


def _look_check(run: Run, tally: Tally) -> VerificationCheck:
    """Check that every input stands at a look of the plan where its rule lets it stop."""
    plan = run.manifest.plan
    assert plan is not None and tally.looks is not None
    between = tally.inputs[tally.looks == 0]
    where = f"look{'s' * (len(plan.looks) > 1)} at {list_first(plan.looks, 12)} draws, {plan.rule}"
    if between.size:
        says = f"between the plan's {where}: input {list_first(between.tolist())}"
        return VerificationCheck("draws", False, says)
    unfinished = tally.inputs[run.until(tally) == ""]
    if unfinished.size:
        inputs = list_first(unfinished.tolist())
        says = f"not yet drawn to where the plan ends ({where}): input {inputs}"
        return VerificationCheck("draws", False, says)
    return VerificationCheck(
        "draws", True, f"each input stands where the plan lets it stop ({where})"
    )


def _describe_range(draws: Ints) -> str:
    """Give the least and the most draws, or the one number if they are equal."""
    low, high = int(draws.min()), int(draws.max())
    return str(low) if low == high else f"{low} to {high}"


def list_first(items: Sequence[object], most: int = 5) -> str:
    """List the first few items, and say how many more there are."""
    shown = ", ".join(str(item) for item in items[:most])
    return f"{shown} and {len(items) - most} more" if len(items) > most else shown
