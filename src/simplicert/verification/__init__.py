"""Verify a run: does it hold what it says? Files, draws, certificates, and inputs drawn again.

`verify_run` yields every check as it is made. A run of tallies is checked part by part; the numbers
of an imported log must follow from the text that it printed.
Checksums protect against accidents, not against forgers, who can compute new ones. A forger has to
get past the replay and the certificates recomputed from the tallies.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from simplicert.data.arrays import UNREADABLE
from simplicert.errors import DamagedRun, SimplicertError, require
from simplicert.logs.audit import find_disproofs, read_findings
from simplicert.logs.log import Log, StatedSettings, log_expectations
from simplicert.logs.table import parse_number_text
from simplicert.noises import say_noise
from simplicert.store import open_run
from simplicert.store.imported import ImportedRun
from simplicert.store.manifest import NAME
from simplicert.store.run import PARTS, Run, hold_tally
from simplicert.verification.certificates import certificate_checks, find_certificate_files
from simplicert.verification.checks import (
    Report,
    VerificationCheck,
    VerifiedParts,
    draw_checks,
    join_parts,
    list_first,
    log_check,
    other_checks,
    part_checks,
    report_nothing,
    settings_check,
)
from simplicert.verification.claims import claim_checks
from simplicert.verification.replay import Replay, no_replay_reason, replay_checks
from simplicert.verification.seals import seal_checks

__all__ = ["Replay", "VerificationCheck", "verify_run"]
ROUNDING = 1e-9  # relative change that other library versions may cause
LAST_BIT = 2.0**-50  # absolute change of 1 - E0, which may be tiny itself
ABOUT = "draws"  # what the checks of a log are about

# Columns of an imported log that Log takes as they are.
FIELDS = ("label", "correct", "seconds", "draws", "count")

# What reading raises if columns contradict each other.
COLUMN_ERRORS = (
    SimplicertError,
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    ArithmeticError,
)


def verify_run(
    folder: Path | str,
    certificates: Sequence[Path] = (),
    replay: Replay | None = None,
    sensitivity: float | None = None,
    claims: Path | None = None,
    report: Report = report_nothing,
    *,
    key: Path | None = None,
) -> Iterator[VerificationCheck]:
    """Check everything that can be checked about a run, and yield each result as it is made.

    `certificates` are files made from the run; by default those where the commands put them.
    `sensitivity` replaces the run's own for the stage before the noise, at the verifier's word.
    `claims` is its entry for a board, whose settings must be those of the run. `report` is called
    with what is being read, how much of it was, and how much there is. `key` is the public key of
    whoever sealed the run.
    """
    folder = Path(folder)
    for path in certificates:
        require(path.is_file(), f"certificates must be plain files that exist, got {str(path)!r}")
    there = claims is None or claims.is_file()
    require(there, f"claims must be a file that exists, got {str(claims)!r}")
    require(replay is None or replay.count > 0, "replay must be a positive number of inputs")
    require((folder / NAME).is_file() or (folder / PARTS).is_dir(), f"{folder} is not a run folder")
    try:
        run = open_run(folder)
    except DamagedRun as error:
        yield VerificationCheck("files", False, str(error))
        return
    yield settings_check(folder)
    files = certificates or find_certificate_files(folder)
    yield from seal_checks(run, key, files)
    if isinstance(run, ImportedRun):
        yield from _verify_log(run, files, replay, sensitivity)
        yield from _claims_or_nothing(run, claims)
        return
    parts, checks = part_checks(run, report)
    yield from checks
    yield from other_checks(run)
    whole = (
        join_parts(run.manifest, parts)
        if parts.tallies
        else VerificationCheck("draws", False, "no part is left")
    )
    if isinstance(whole, VerificationCheck):
        yield whole
        return
    try:
        yield from draw_checks(run, parts, whole)
    except SimplicertError as error:  # settings contradict the tallies or make no sense
        yield VerificationCheck("draws", False, str(error))
    if parts.damaged:
        yield VerificationCheck(
            "certificates", None, "not made again: a part of the tallies is damaged"
        )
    else:
        hold_tally(run, whole)
        yield from _verify_files(run, files, sensitivity, report)
        yield from _claims_or_nothing(run, claims)
    if replay is not None:
        yield from _replay_or_explain(run, parts, replay)
    elif run.manifest.lipschitz is not None:
        yield VerificationCheck(
            "lipschitz",
            None,
            f"the constant {run.manifest.lipschitz!r} of the scores is taken as given: --replay "
            "opens the model and proves it again",
        )


def _claims_or_nothing(run: Run | ImportedRun, claims: Path | None) -> Iterator[VerificationCheck]:
    """Check the entry for a board, where one is named."""
    if claims is not None:
        yield from claim_checks(run, claims)


def _verify_files(
    run: Run | ImportedRun,
    files: Sequence[Path],
    sensitivity: float | None,
    report: Report = report_nothing,
) -> Iterator[VerificationCheck]:
    """Check every file of certificates."""
    for path in files:
        yield from certificate_checks(run, path, sensitivity, report)
    if not files:
        yield VerificationCheck(
            "certificates", None, "no file of certificates beside the run, and none named"
        )


def _replay_or_explain(
    run: Run, parts: VerifiedParts, replay: Replay
) -> Iterator[VerificationCheck]:
    """Draw inputs again, or say why that is not possible."""
    reason = no_replay_reason(run)
    if reason is not None:
        yield _note_no_replay(reason)
        return
    try:
        yield from replay_checks(run, parts, replay)
    except KeyError as error:
        yield _note_no_replay(f"{NAME} lacks the setting {error}")
    except (SimplicertError, OSError, ValueError, TypeError) as error:
        yield _note_no_replay(str(error))


def _note_no_replay(reason: str) -> VerificationCheck:
    """Say that a replay was requested and cannot be made."""
    return VerificationCheck("replay", None, f"cannot be drawn again: {reason}")


def _verify_log(
    run: ImportedRun, files: Sequence[Path], replay: Replay | None, sensitivity: float | None
) -> Iterator[VerificationCheck]:
    """Check an imported log: its one file, and certificates made from it."""
    try:
        checks = list(_log_checks(run))
    except (DamagedRun, *UNREADABLE) as error:
        checks = [VerificationCheck("files", False, str(error))]
    sound = all(check.holds for check in checks)
    yield from checks
    yield from other_checks(run)
    if run.holds == "radii":
        yield VerificationCheck(
            "certificates", None, "the log gives bare radii: there is nothing to recompute"
        )
    elif sound:
        yield from _verify_files(run, files, sensitivity)
    if sound:
        yield from _audit_checks(run)
    if replay is not None:
        yield _note_no_replay(no_replay_reason(run) or "")


def _audit_checks(run: ImportedRun) -> Iterator[VerificationCheck]:
    """Fail what the audit of the log disproved; repeat its other findings as notes."""
    wrong = find_disproofs(run)
    for sentence in wrong:
        yield VerificationCheck("audit", False, f"the stated level is disproved: {sentence}")
    for finding in read_findings(run):
        if not finding.disproves:
            yield VerificationCheck("audit", None, finding.sentence)
    if not wrong:
        noise = say_noise(run.manifest.noise_model, run.manifest.sigma)
        stated = f"{noise} and alpha {run.manifest.alpha:g}"
        yield VerificationCheck(
            "audit", True, f"nothing in the log disproves {stated}, stated with it"
        )


def _log_checks(run: ImportedRun) -> Iterator[VerificationCheck]:
    """Check the number of rows, and every number computed from the text of the log."""
    check = log_check(run)
    yield check
    if not check.holds:
        return
    held = run.columns
    if "radius_text" not in held:
        yield VerificationCheck(ABOUT, False, "the text of the log's radii is not there")
        return
    try:
        wrong = list(_log_differences(run, held))
    except COLUMN_ERRORS as error:
        yield VerificationCheck(ABOUT, False, f"the imported log contradicts itself: {error}")
        return
    if wrong:
        says = f"what was kept of the log does not follow from its text: {list_first(wrong, 3)}"
        yield VerificationCheck(ABOUT, False, says)
        return
    origin = "sha256 of the log: " + str(run.manifest.source.get("sha256", "not kept"))
    says = f"{run.holds} follow from the text of the log; that the text is its author's is not"
    yield VerificationCheck(ABOUT, True, f"{says} shown here ({origin})")


def _log_differences(run: ImportedRun, held: dict[str, Any]) -> Iterator[str]:
    """Name each column that does not follow from the log's text, with the first such input."""
    log = Log(
        index=held["index"],
        predicted=held["predicted"],
        radius_text=tuple(parse_number_text(text) for text in held["radius_text"]),
        **{name: held[name] for name in FIELDS if name in held},
    )
    if run.manifest.source.get("method") == "bound":
        texts = tuple(parse_number_text(text) for text in held["bound_text"])
        log = replace(log, bound_text=texts, bound_is_e0=True, cohen=False)
    if run.holds == "radii":
        wanted: dict[str, Any] = {"radius": log.radius.value}
    else:
        if log.count is not None and log.draws is None:
            raise ValueError("it has counts and no draws")
        run.expectations()  # raises an error if they are not valid
        noise = run.manifest.noise_model
        stated = StatedSettings(run.manifest.sigma, run.manifest.alpha, noise=noise)
        known = log_expectations(log, stated)
        wanted = {"e0": known.e0, "e1": known.e1, "reason": known.reason}
        if known.method != run.manifest.source.get("method"):
            yield f"the method is {known.method}"
    for name, values in wanted.items():
        same = _columns_match(np.asarray(held[name]), values)
        if not same.all():
            row = int(np.argmin(same))
            yield f"{name} of input {log.index[row]} is {values[row]}, not {held[name][row]}"


def _columns_match(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return (N,) whether two columns agree, numbers up to rounding."""
    if other.dtype.kind != "f":
        return np.asarray(one == other)
    return np.asarray(np.isclose(one, other, rtol=ROUNDING, atol=LAST_BIT, equal_nan=True))
