"""Does a run hold what it says? Files, draws, certificates, and some inputs drawn again.

Checksums guard against accidents, not against forgers, who can compute them anew; the replay and
the certificates made again from the tallies are what a forger has to get past.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from simplicert.data.arrays import UNREADABLE
from simplicert.errors import DamagedRun, SimplicertError, require
from simplicert.runs.audit import disproofs, findings_of
from simplicert.runs.folder import PARTS, Run
from simplicert.runs.known import KnownRun
from simplicert.runs.manifest import NAME
from simplicert.runs.opening import open_run
from simplicert.runs.verification.certificates import certificate_checks, found
from simplicert.runs.verification.check import Check
from simplicert.runs.verification.coverage import draw_checks, joined
from simplicert.runs.verification.files import (
    Part,
    other_checks,
    part_checks,
    settings_check,
)
from simplicert.runs.verification.log import log_checks
from simplicert.runs.verification.replay import Replay, cannot, replay_checks

__all__ = ["Check", "Replay", "verify"]


def verify(
    folder: Path | str,
    certificates: Sequence[Path] = (),
    replay: Replay | None = None,
    sensitivity: float | None = None,
) -> Iterator[Check]:
    """Everything that can be checked of a run, one after another, as it is found.

    `certificates` are files made from it; by default those that lie where the commands put them.
    `sensitivity` is the verifier's word for the stage before the noise, instead of the run's.
    """
    folder = Path(folder)
    for path in certificates:
        require(path.is_file(), f"certificates must be files that exist, got {str(path)!r}")
    require(replay is None or replay.count > 0, "replay must be a positive number of inputs")
    require((folder / NAME).is_file() or (folder / PARTS).is_dir(), f"{folder} is not a run folder")
    try:
        run = open_run(folder)
    except DamagedRun as error:
        yield Check("files", False, str(error))
        return
    yield settings_check(folder)
    files = certificates or found(folder)
    if isinstance(run, KnownRun):
        yield from of_log(run, files, replay, sensitivity)
        return
    parts, checks = part_checks(run)
    yield from checks
    yield from other_checks(run)
    whole = joined(run.manifest, parts) if parts else Check("draws", False, "no part is left")
    if isinstance(whole, Check):
        yield whole
        return
    try:
        yield from draw_checks(run, parts, whole)
    except SimplicertError as error:  # settings that contradict the tallies, or make no sense
        yield Check("draws", False, str(error))
    if len(parts) < len(run.paths()):
        yield Check("certificates", None, "not made again: a part of the tallies is damaged")
    else:
        yield from of_files(run, files, sensitivity)
    if replay is not None:
        yield from replayed(run, parts, replay)


def replayed(run: Run, parts: Sequence[Part], replay: Replay) -> Iterator[Check]:
    """The replay, or why there is none."""
    reason = cannot(run)
    if reason is not None:
        yield unable(reason)
        return
    try:
        yield from replay_checks(run, parts, replay)
    except KeyError as error:
        yield unable(f"{NAME} lacks the setting {error}")
    except (SimplicertError, OSError, ValueError, TypeError) as error:
        yield unable(str(error))


def of_log(
    run: KnownRun, files: Sequence[Path], replay: Replay | None, sensitivity: float | None
) -> Iterator[Check]:
    """An imported log: its one file, and certificates made of it."""
    try:
        checks = list(log_checks(run))
    except (DamagedRun, *UNREADABLE) as error:
        checks = [Check("files", False, str(error))]
    sound = all(check.holds for check in checks)
    yield from checks
    yield from other_checks(run)
    if run.holds == "radii":
        yield Check("certificates", None, "the log gives bare radii: there is nothing to recompute")
    elif sound:
        yield from of_files(run, files, sensitivity)
    if sound:
        yield from audit_checks(run)
    if replay is not None:
        yield unable(cannot(run) or "")


def audit_checks(run: KnownRun) -> Iterator[Check]:
    """What the audit of the log disproved fails; its other findings are repeated as notes."""
    wrong = disproofs(run)
    for sentence in wrong:
        yield Check("audit", False, f"the stated level is disproved: {sentence}")
    for finding in findings_of(run):
        if not finding.disproves:
            yield Check("audit", None, finding.sentence)
    if not wrong:
        stated = f"sigma {run.manifest.sigma:g} and alpha {run.manifest.alpha:g}"
        yield Check("audit", True, f"nothing in the log disproves {stated}, stated with it")


def of_files(
    run: Run | KnownRun, files: Sequence[Path], sensitivity: float | None
) -> Iterator[Check]:
    """Every file of certificates."""
    for path in files:
        yield from certificate_checks(run, path, sensitivity)
    if not files:
        yield Check("certificates", None, "no file of certificates beside the run, and none named")


def unable(reason: str) -> Check:
    """A replay that was asked for and cannot be made."""
    return Check("replay", None, f"cannot be drawn again: {reason}")
