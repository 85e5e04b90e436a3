"""Read one source as an entry of the board, by the importer of its format.

`read_entry` raises an error with the reason where a source cannot be read. What has counts is
certified anew at the board's alpha; what has bounds or radii alone keeps the alpha it was made at.
There is one function per format; to add one, write it and add its row to READERS.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from simplicert.board.claims import LogSettings
from simplicert.board.entry import Entry, keep_one_row
from simplicert.board.sources import Source, checksum_of
from simplicert.bounds import bound
from simplicert.certification import certify, radius
from simplicert.errors import InvalidInput, require
from simplicert.logs import cohen, dsrs, iss, rs4a, second_order, splitting
from simplicert.logs.audit import audit_log, find_disproofs, infer_settings
from simplicert.logs.counts import read_counts
from simplicert.logs.log import Log, StatedSettings, log_expectations
from simplicert.logs.row_checks import AuditFinding
from simplicert.noises import NoiseModel
from simplicert.store import open_run
from simplicert.store.imported import ImportedRun
from simplicert.types import Certificates, Floats

DRAWS, ALPHA = 100_000, 0.001  # the field's usual ones, held against a log that states none
ROOT_3 = np.sqrt(3.0)  # scale of uniform noise over its standard deviation
RANDOM_SPLITTING = "independent splitting"  # noise of rs4a arrays that we have no radius for
LEAST_CHANCE = 0.5


def read_entry(source: Source, settings: LogSettings, alpha: float) -> Entry:
    """Read a source; `alpha` is the common one, for what has counts."""
    require(source.format in READERS, f"{source.reason or 'no known format'}")
    return keep_one_row(READERS[source.format](source, settings, alpha))


def _read_log(source: Source, settings: LogSettings, alpha: float) -> Entry:
    """Read a log of radii, Cohen's or one that shares its columns."""
    readers = {"cohen": cohen.read_cohen, "iss": iss.read_iss}
    log = readers[source.format](source.path)
    return _entry_of_log(source, settings, log, _require_sigma(settings))


def _read_second_order(source: Source, settings: LogSettings, alpha: float) -> Entry:
    """Read a log of counts of the top class, which bound it at any alpha."""
    log = second_order.read_second_order(source.path)
    require(settings.draws is not None, "counts without their draws: state draws in board.toml")
    sigma = _require_sigma(settings)
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
    guessed = stated is None and (settings.draws is None or settings.alpha is None)
    if stated is None:
        draws, level = settings.draws or DRAWS, settings.alpha or ALPHA
        if inferred and guessed:
            draws, level = _choose_inferred(inferred, settings)
        stated = StatedSettings(sigma, level, draws)
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
    entry = _bare_entry(
        source, _told_settings(settings, told, norm), log, log.radius.lower, audit_log(log, stated)
    )
    return replace(entry, inferred=infer_settings(log, told.sigma))


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
    tally = read_counts(source.path, _require_sigma(settings))
    entry = _entry_of_certificates(source, settings, certify(bound(tally, alpha=alpha)))
    held = entry.settings.with_values("counts", alpha=alpha, draws=int(tally.draws.min()))
    return replace(entry, index=entry.index * settings.step, settings=held, recertified=True)


def _read_splitting(source: Source, settings: LogSettings, alpha: float) -> Entry:
    """Read the exact counts of derandomised splitting noise; nothing is left to chance."""
    scale = None if settings.sigma is None else settings.sigma * ROOT_3
    try:
        tally, findings = splitting.read_splitting(source.path, scale, 0, settings.step)
    except InvalidInput:
        tally, findings = splitting.read_splitting(source.path, None, 0, settings.step)
    entry = _entry_of_certificates(source, settings, certify(bound(tally)))
    held = entry.settings.with_values(
        "log", noise="splitting", sigma=tally.sigma / ROOT_3, draws=int(tally.draws.min())
    )
    return replace(entry, settings=held, findings=tuple(findings), recertified=True)


def _read_rs4a(source: Source, settings: LogSettings, alpha: float) -> Entry:
    """Read arrays of bounds under uniform noise, or of radii under noise that is not ours."""
    words = source.path.name.lower()
    noise = (
        settings.noise
        if settings.origin.get("noise")
        else (RANDOM_SPLITTING if "split" in words else "uniform" if "uniform" in words else "")
    )
    require(bool(noise), "arrays without a noise: state noise in board.toml")
    sigma = _require_sigma(settings)
    known_noise = noise != RANDOM_SPLITTING
    model = NoiseModel(noise if known_noise else "uniform")
    scale = sigma * ROOT_3 if model.name == "uniform" else sigma
    read = rs4a.read_rs4a(source.path, model.name, settings.step)
    stated = StatedSettings(scale, settings.alpha or ALPHA, settings.draws or DRAWS, model)
    findings = [*audit_log(read.log, None), *rs4a.audit_rs4a(read, stated, None)]
    e0 = read.log.bounds
    held = settings.with_values("path", noise=noise, norm="l1")
    if known_noise:
        radii = radius("one_sided", np.nan_to_num(e0, nan=0.0), 0.0, noise="uniform", scale=scale)
    else:
        require("l1" in read.radii, f"arrays of {noise} noise without radius_l1")
        radii = np.nan_to_num(read.radii["l1"]).clip(0.0)
        findings.append(
            AuditFinding("note", f"radii of {noise} noise are taken as they are, in l1")
        )
    certified = (read.log.predicted >= 0) & (e0 > LEAST_CHANCE)
    label = read.log.label
    assert label is not None
    return Entry(
        source=source,
        sha256=checksum_of(source),
        settings=held,
        index=read.log.index,
        radius=np.where(certified, np.asarray(radii), 0.0),
        abstained=~certified,
        correct=certified & (read.log.predicted == label),
        rows=len(read.log),
        label=label,
        e0=np.where(certified, e0, np.nan),
        findings=tuple(findings),
    )


def _read_run(source: Source, settings: LogSettings, alpha: float) -> Entry:
    """Open a run: its tallies are certified at the common alpha, an imported log as it is."""
    run = open_run(source.path)
    manifest = run.manifest
    imported = isinstance(run, ImportedRun)
    certain = manifest.noise_model.name == "splitting"
    certificates = run.certify() if imported or certain else run.certify(alpha=alpha)
    held = settings.with_values(
        "run",
        data=Path(str(manifest.made.get("data") or settings.data)).name or None,
        noise=manifest.noise_model.name,
        alpha=None if certain else manifest.alpha,
    )
    entry = _entry_of_certificates(source, held, certificates)
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


def _entry_of_certificates(source: Source, settings: LogSettings, made: Certificates) -> Entry:
    """Make an entry of certificates, with both expectations where both were measured."""
    known = made.known
    pair = known.has_pair and known.scheme != "imported"
    labelled = known.labels is not None
    return Entry(
        source=source,
        sha256=checksum_of(source),
        settings=settings.with_values("log", sigma=known.sigma, norm=known.norm),
        index=known.index,
        radius=made.radius,
        abstained=made.abstained,
        correct=made.correct if labelled else np.zeros(len(made), bool),
        rows=len(made),
        label=known.labels,
        e0=known.e0 if known.has_pair else None,
        e1=known.e1 if pair else None,
        closed=made.closed,
    )


def _require_sigma(settings: LogSettings) -> float:
    """Return sigma, or say how it can be told."""
    if settings.sigma is None:
        raise InvalidInput(
            "sigma is unknown: no sigma_X or noise_X in the path, and no claim in board.toml"
        )
    return settings.sigma


READERS: dict[str, Callable[[Source, LogSettings, float], Entry]] = {
    "cohen": _read_log,
    "iss": _read_log,
    "second-order": _read_second_order,
    "dsrs-bounds": _read_bounds,
    "dsrs-radii": _read_radii,
    "counts": _read_count_table,
    "splitting": _read_splitting,
    "rs4a": _read_rs4a,
    "run": _read_run,
}
