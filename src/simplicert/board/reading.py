"""Read one source as an entry of the board, by the importer of its format.

`read_entry` raises an error with the reason where a source cannot be read. What has counts is
certified anew at the board's alpha; what has bounds or radii alone keeps the alpha it was made at.
There is one function per format; to add one, write it and add its row to READERS.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from simplicert.board import arrays
from simplicert.board.claims import ALPHA, DRAWS, LogSettings, name_data, require_sigma
from simplicert.board.entry import Entry, entry_of_certificates, keep_one_row
from simplicert.board.sources import Source, checksum_of
from simplicert.bounds import bound
from simplicert.certification import certify, radius
from simplicert.errors import InvalidInput, require
from simplicert.logs import cohen, dsrs, iss, second_order
from simplicert.logs.audit import audit_log, find_disproofs, infer_settings, radius_cap
from simplicert.logs.counts import read_counts
from simplicert.logs.log import Log, StatedSettings, log_expectations
from simplicert.logs.row_checks import AuditFinding, count_in_words, make_finding
from simplicert.store import open_run
from simplicert.store.imported import ImportedRun
from simplicert.types import Floats

ABSURD = 2  # times the cap of one sampling; published radii of two samplings stay below once


def read_entry(source: Source, settings: LogSettings, alpha: float) -> Entry:
    """Read a source; `alpha` is the common one, for what has counts."""
    require(source.format in READERS, f"{source.reason or 'no known format'}")
    return keep_one_row(READERS[source.format](source, settings, alpha))


def _read_log(source: Source, settings: LogSettings, alpha: float) -> Entry:
    """Read a log of radii, Cohen's or one that shares its columns."""
    require_gaussian(settings)
    readers = {"cohen": cohen.read_cohen, "iss": iss.read_iss}
    log = readers[source.format](source.path)
    return _entry_of_log(source, settings, log, require_sigma(settings))


def _read_second_order(source: Source, settings: LogSettings, alpha: float) -> Entry:
    """Read a log of counts of the top class, which bound it at any alpha."""
    require_gaussian(settings)
    log = second_order.read_second_order(source.path)
    require(settings.draws is not None, "counts without their draws: state draws in board.toml")
    sigma = require_sigma(settings)
    stated = StatedSettings(sigma, alpha, settings.draws)
    entry = _entry_of_log(source, settings, log, sigma, stated)
    return replace(
        entry, recertified=True, settings=entry.settings.with_values("counts", alpha=alpha)
    )


def _entry_of_log(
    source: Source,
    settings: LogSettings,
    log: Log,
    sigma: float,
    stated: StatedSettings | None = None,
) -> Entry:
    """Make an entry of a log whose radius is sigma * Phi^-1(E0); radii are computed from E0."""
    inferred = infer_settings(log, sigma)
    guessed = stated is None and not is_stated(settings)
    if stated is None:
        stated = state_settings(settings, sigma, inferred)
    known = log_expectations(log, stated)
    radii = radius("cohen", np.nan_to_num(known.e0, nan=0.5), 0.0, sigma=sigma)
    findings = [_say_guess(one) if guessed else one for one in audit_log(log, stated)]
    abstained = known.abstained
    label = log.label
    right = np.zeros(len(log), bool) if label is None else (log.predicted == label)
    return Entry(
        source=source,
        sha256=checksum_of(source),
        settings=replace(settings, sigma=sigma, norm=settings.norm or "l2"),
        index=log.index,
        radius=np.where(abstained, 0.0, np.asarray(radii)),
        abstained=abstained,
        correct=right & ~abstained,
        rows=len(log),
        label=label,
        e0=known.e0,
        inferred=inferred,
        findings=tuple(findings),
    )


def _say_guess(finding: AuditFinding) -> AuditFinding:
    """A radius above the cap of settings that nobody stated is doubtful, and disproves nothing."""
    if finding.code != "above_cap":
        return finding
    says = f"draws and alpha are not stated; by the usual ones {finding.sentence}"
    return finding._replace(code="above_usual", sentence=says)


def is_stated(settings: LogSettings) -> bool:
    """Whether somebody states how many draws a log had, and at which alpha."""
    return settings.draws is not None and settings.alpha is not None


def state_settings(
    settings: LogSettings, sigma: float, inferred: Sequence[tuple[int, float]]
) -> StatedSettings:
    """Return the settings that a log is held to: the stated, else those of its cap or the usual."""
    if inferred and not is_stated(settings):
        draws, alpha = _choose_inferred(inferred, settings)
    else:
        draws, alpha = settings.draws or DRAWS, settings.alpha or ALPHA
    return StatedSettings(sigma, alpha, draws)


def _choose_inferred(
    inferred: Sequence[tuple[int, float]], settings: LogSettings
) -> tuple[int, float]:
    """Choose among the settings that fit the cap those that agree with what is stated."""
    fits = [pair for pair in inferred if settings.draws in (None, pair[0])]
    fits = [pair for pair in fits if settings.alpha in (None, pair[1])] or list(inferred)
    usual = [pair for pair in fits if pair[0] == DRAWS]
    return (usual or fits)[0]


def _read_bounds(source: Source, settings: LogSettings, alpha: float) -> Entry:
    """Read the bounds of double sampling; only those under Gaussian noise prove a radius here."""
    log, told = dsrs.read_dsrs_bounds(source.path)
    findings = dsrs.audit_dsrs(log, told)
    if told.noise != "gaussian" or "-th" in source.path.stem:
        also = f"; {findings[0].sentence}" if findings else ""
        raise InvalidInput(
            f"bounds on the label's probability under {told.noise} noise, for which no radius here "
            f"is proved; its radii are files of their own{also}"
        )
    stated = StatedSettings(told.sigma, told.alpha, told.draws)
    known = log_expectations(log, stated)
    radii = radius("cohen", np.nan_to_num(known.e0, nan=0.5), 0.0, sigma=told.sigma)
    held = _told_settings(settings, told, "l2")
    return _bare_entry(
        source, held, log, np.asarray(radii), [*audit_log(log, None), *findings], known.e0
    )


def _read_radii(source: Source, settings: LogSettings, alpha: float) -> Entry:
    """Read the radii of double sampling as they are; Cohen's are checked against their cap."""
    told = dsrs.settings_of_name(source.path)
    require(told is not None, "radii without settings: the name of the file does not tell sigma")
    assert told is not None
    plain = told.noise == "gaussian" and source.path.name.startswith("orig-")
    log = dsrs.read_dsrs_radii(source.path, cohen=plain)
    norm = "linf" if "Linfty" in told.noise else "l2"
    stated = StatedSettings(told.sigma, told.alpha, told.draws) if plain else None
    findings = [*audit_log(log, stated), *([] if plain else _flag_absurd_radii(log, told))]
    held = _told_settings(settings, told, norm)
    entry = _bare_entry(source, held, log, log.radius.lower, findings)
    return replace(entry, inferred=infer_settings(log, told.sigma))


def _flag_absurd_radii(log: Log, told: dsrs.DsrsSettings) -> list[AuditFinding]:
    """Find radii far above what one sampling of Gaussian noise can prove; no cap is known here."""
    cap = told.sigma * float(radius_cap(np.array(told.draws), told.alpha))
    above = log.radius.lower > ABSURD * cap
    if not above.any():
        return []
    says = (
        f"the radius is more than {ABSURD} times {cap:.4g}, the largest of one sampling, in "
        f"{count_in_words(above)}: no proof of it is known here"
    )
    return [make_finding(above, "above_usual", says)]


def _told_settings(settings: LogSettings, told: dsrs.DsrsSettings, norm: str) -> LogSettings:
    """Return the settings that a file of double sampling states itself."""
    return settings.with_values(
        "log", noise=told.noise, norm=norm, sigma=told.sigma, draws=told.draws, alpha=told.alpha
    )


def _bare_entry(
    source: Source,
    settings: LogSettings,
    log: Log,
    radii: Floats,
    findings: Sequence[AuditFinding],
    e0: Floats | None = None,
) -> Entry:
    """Make an entry of radii that are taken as they are; class 0 stands for the label."""
    certified = (log.predicted >= 0) & (np.nan_to_num(radii) > 0)
    return Entry(
        source=source,
        sha256=checksum_of(source),
        settings=settings,
        index=log.index,
        radius=np.where(certified, radii, 0.0),
        abstained=~certified,
        correct=certified,
        rows=len(log),
        e0=None if e0 is None else np.where(certified, e0, np.nan),
        findings=tuple(findings),
    )


def _read_count_table(source: Source, settings: LogSettings, alpha: float) -> Entry:
    """Read a table of counts and certify it at the common alpha."""
    tally = read_counts(source.path, require_sigma(settings))
    entry = entry_of_certificates(source, settings, certify(bound(tally, alpha=alpha)))
    held = entry.settings.with_values("counts", alpha=alpha, draws=int(tally.draws.min()))
    return replace(entry, index=entry.index * settings.step, settings=held, recertified=True)


def _read_run(source: Source, settings: LogSettings, alpha: float) -> Entry:
    """Open a run: its tallies are certified at the common alpha, an imported log as it is."""
    run = open_run(source.path)
    manifest = run.manifest
    imported = isinstance(run, ImportedRun)
    certain = manifest.noise_model.name == "splitting"
    certificates = run.certify() if imported or certain else run.certify(alpha=alpha)
    held = settings.with_values(
        "run",
        data=name_data(str(manifest.made.get("data") or settings.data)) or None,
        noise=manifest.noise_model.name,
        alpha=None if certain else manifest.alpha,
    )
    entry = entry_of_certificates(source, held, certificates)
    draws = certificates.known.draws
    held = entry.settings.with_values("run", draws=None if draws is None else int(draws.max()))
    findings = [AuditFinding("above_cap", says) for says in find_disproofs(run)]
    if imported:
        findings += [AuditFinding("note", f"imported: {says}") for says in run.audit]
    elif manifest.alpha != alpha and not certain:
        says = f"declared at alpha {manifest.alpha:g}, certified here at {alpha:g}: exploratory"
        findings.append(AuditFinding("note", says))
    if run.missing:
        says = (
            f"{run.missing} of {manifest.inputs} inputs are missing: averages are over the others"
        )
        findings.append(AuditFinding("missing", says))
    return replace(entry, settings=held, findings=tuple(findings), recertified=not imported)


def require_gaussian(settings: LogSettings) -> None:
    """Refuse a claim that radii of this format are of other noise, or in another norm."""
    require(
        settings.noise == "gaussian" and settings.norm in ("", "l2"),
        "radii of this format are read as those of gaussian noise in l2, and a claim says "
        f"{settings.noise} noise{settings.norm and f' in {settings.norm}'}: `simplicert import "
        "radii --bare` keeps others as they are",
    )


READERS: dict[str, Callable[[Source, LogSettings, float], Entry]] = {
    "cohen": _read_log,
    "iss": _read_log,
    "second-order": _read_second_order,
    "dsrs-bounds": _read_bounds,
    "dsrs-radii": _read_radii,
    "counts": _read_count_table,
    "splitting": arrays.read_splitting_entry,
    "rs4a": arrays.read_rs4a_entry,
    "run": _read_run,
}
