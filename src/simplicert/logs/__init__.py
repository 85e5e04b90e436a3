"""Import certificates and counts from other tools' logs as runs that can be analysed here.

`import_counts` makes a run from a table of class counts, `import_log` from a log of a known format,
`import_radii` from any table whose columns are named by the importer, `import_rs4a` and
`import_splitting` from folders of arrays under other noise than Gaussian, and `import_dsrs` from
the two files of double sampling, which state their settings themselves.
There is one file per format. To add a format, write its file, a function from a path to a `Log`,
and add its row to LOGS.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from simplicert.bounds import SCHEMES
from simplicert.errors import InvalidInput, check_positive, choose, require
from simplicert.files import MOST_LOG, content_checksum, read_file
from simplicert.logs import cohen, dsrs, iss, radii, rs4a, second_order, splitting
from simplicert.logs.arrays import checksum_folder
from simplicert.logs.audit import audit_log
from simplicert.logs.counts import holds_index, read_counts
from simplicert.logs.log import Log, StatedSettings, log_expectations
from simplicert.logs.paths import check_named_sigma
from simplicert.logs.row_checks import AuditFinding
from simplicert.noises import NOISES, NoiseModel
from simplicert.store.imported import ImportedRun, write_imported_run
from simplicert.store.manifest import Manifest
from simplicert.store.run import Run, create_run
from simplicert.types import KINDS, Tally

# Logs with fixed columns; import_radii is for those whose columns the importer names.
LOGS: dict[str, Callable[[Path], Log]] = {
    "cohen": cohen.read_cohen,
    "second-order": second_order.read_second_order,
    "iss": iss.read_iss,
}


def import_counts(  # noqa: PLR0913
    file: Path,
    sigma: float,
    out: Path,
    *,
    labelled: bool = True,
    pilot: Path | None = None,
    alpha: float = 0.001,
    kind: str = "multinomial",
    scheme: str = "gated",
    start: int | None = None,
    step: int | None = None,
    label: str = "",
) -> Run:
    """Make a run from a table of counts; alpha, kind and scheme are declared with it.

    `start` and `step` say which inputs the rows are; without them, and without an index of its
    own, the run knows rows and no inputs. `label` is the name that tables give the run.
    """
    require(0 < alpha < 1, f"alpha must lie strictly between 0 and 1, got {alpha}")
    kind = choose("kind", kind, KINDS)
    choose("scheme", scheme, SCHEMES[kind], f" for kind {kind}")
    require(file.is_file(), f"file must be a table of counts that exists, got {str(file)!r}")
    tally = read_counts(file, sigma, labelled=labelled, pilot=pilot, start=start, step=step)
    _require_evidence(tally, kind, scheme, file)
    doubts = check_named_sigma(file, sigma)
    manifest = Manifest(
        sigma=tally.sigma,
        inputs=len(tally),
        classes=tally.classes,
        alpha=alpha,
        kind=kind,
        scheme=scheme,
        source=_describe_source("counts", file)
        | _describe_rows(start is not None or step is not None or holds_index(file))
        | _describe_label(label)
        | (_describe_findings(doubts) if doubts else {}),
    )
    return create_run(out, manifest, tally)


def _require_evidence(tally: Tally, kind: str, scheme: str, file: Path) -> None:
    """Refuse a declaration under which nothing could ever be certified."""
    lacks = f"of an npz file, and {file.name} holds none"
    require(
        kind != "softmax" or tally.softmax_sums is not None,
        f"kind softmax needs softmax_sums {lacks}: leave --kind out, or give them",
    )
    require(
        (kind, scheme) != ("softmax", "gated") or tally.votes is not None,
        f"scheme gated of kind softmax needs votes {lacks}: give them, or --scheme paper or split",
    )
    require(
        scheme != "split" or tally.pilot is not None,
        f"scheme split needs --pilot, or an array pilot {lacks}",
    )


def import_log(
    name: str,
    file: Path,
    sigma: float,
    out: Path,
    *,
    alpha: float = 0.001,
    draws: int | None = None,
    label: str = "",
) -> ImportedRun:
    """Make a run of expectations from a log of a known format.

    The caller states sigma, alpha and the number of draws, because the log does not. `label` is the
    name that tables give the run.
    """
    stated = _check_stated_settings(sigma, alpha, draws)
    log = choose("format", name, LOGS)(file)
    require(
        log.count is None or draws is not None,
        f"draws must be given with a {name} log: its counts bound nothing without, got {draws}",
    )
    source = _describe_source(name, file) | _describe_label(label)
    return _write_log_run(log, stated, source, out, findings=check_named_sigma(file, sigma))


def import_radii(
    file: Path,
    columns: str,
    sigma: float,
    out: Path,
    *,
    alpha: float = 0.001,
    draws: int | None = None,
    bare: bool = False,
    label: str = "",
) -> ImportedRun:
    """Make a run from any table with named columns.

    `bare` keeps the radii alone, for tables whose radius is not sigma * Phi^-1(E0).
    """
    stated = _check_stated_settings(sigma, alpha, draws)
    log = radii.read_radii(file, columns)
    source = _describe_source("radii", file) | {"columns": columns} | _describe_label(label)
    findings = check_named_sigma(file, sigma)
    return _write_log_run(log, stated, source, out, bare=bare, findings=findings)


def import_dsrs(file: Path, out: Path, *, label: str = "") -> ImportedRun:
    """Make a run from a file of double sampling: of expectations from bounds, else of radii.

    Bounds must be under Gaussian noise; radii are kept as they are, whatever their noise was.
    """
    source = _describe_source("dsrs", file) | _describe_label(label)
    if dsrs.holds_bounds(file):
        log, told = dsrs.read_dsrs_bounds(file)
        require(
            told.noise == "gaussian",
            f"{file} must hold bounds under gaussian noise, for which a radius is proved here, got "
            f"{told.noise}: import its file of radii",
        )
        stated = _check_stated_settings(told.sigma, told.alpha, told.draws)
        findings = dsrs.audit_dsrs(log, told)
        return _write_log_run(log, stated, source, out, findings=findings)
    named = dsrs.settings_of_name(file)
    if named is None:
        raise InvalidInput(
            f"file must tell its noise, sigma, draws and alpha by its name, as in "
            f"orig-rad-gaussian-None-0.5-100000-0.001.txt, got {file.name!r}"
        )
    stated = _check_stated_settings(named.sigma, named.alpha, named.draws)
    says = f"radii of {named.noise} noise are taken as they are"
    findings = [AuditFinding("note", says)]
    log = dsrs.read_dsrs_radii(file)
    return _write_log_run(log, stated, source, out, bare=True, findings=findings)


def import_rs4a(
    folder: Path,
    noise: NoiseModel,
    scale: float,
    out: Path,
    *,
    alpha: float = 0.001,
    draws: int | None = None,
    step: int = 1,
    label: str = "",
) -> ImportedRun:
    """Make a run of expectations from the arrays that rs4a saves.

    The caller states the noise, its scale, alpha and the number of draws: the arrays do not.
    """
    require(step >= 1, f"step must be at least 1, got {step}")
    require(
        NOISES[noise.name].fill is not None,
        f"noise must be one that is added to every feature, got {noise.name}",
    )
    stated = _check_stated_settings(scale, alpha, draws)._replace(noise=noise)
    read = rs4a.read_rs4a(folder, noise.name, step)
    names = (*rs4a.NEEDED, *(f"radius_{norm}" for norm in read.radii))
    source = _describe_folder("rs4a", folder, names) | _describe_label(label)
    more = {f"radius_{norm}": values for norm, values in read.radii.items()}
    findings = [
        *rs4a.check_named_noise(folder, noise.name),
        *rs4a.audit_rs4a(read, stated, noise.size),
    ]
    return _write_log_run(read.log, stated, source, out, findings=findings, more=more)


def import_splitting(
    folder: Path,
    out: Path,
    *,
    scale: float | None = None,
    offsets: int = 0,
    step: int = 1,
    label: str = "",
) -> Run:
    """Make a run of counts from the arrays of derandomised splitting noise, certified exactly."""
    tally, findings = splitting.read_splitting(folder, scale, offsets, step)
    source = _describe_folder("splitting", folder, splitting.NEEDED) | _describe_label(label)
    manifest = Manifest(
        sigma=tally.sigma,
        inputs=len(tally),
        classes=tally.classes,
        source=source | _describe_findings(findings),
    )
    return create_run(out, manifest, tally)


def _describe_folder(name: str, folder: Path, names: Sequence[str]) -> dict[str, Any]:
    """Say where a run of saved arrays comes from."""
    return {
        "format": name,
        "file": _printable_name(folder.resolve().name),
        "sha256": checksum_folder(folder, names),
    }


def _describe_rows(numbered: bool) -> dict[str, Any]:
    """Mark a run whose inputs are known by the rows of its file alone."""
    return {} if numbered else {"numbered": "rows"}


def _describe_label(label: str) -> dict[str, Any]:
    """Keep the name that tables give the run, if it has one."""
    return {"label": _printable_name(label)} if label else {}


def _describe_findings(findings: Sequence[AuditFinding]) -> dict[str, Any]:
    """Return the findings of the audit as run.toml keeps them."""
    return {
        "audit": [finding.sentence for finding in findings],
        "audit_codes": [finding.code for finding in findings],
    }


def _write_log_run(
    log: Log,
    stated: StatedSettings,
    source: dict[str, Any],
    out: Path,
    *,
    bare: bool = False,
    findings: Sequence[AuditFinding] = (),
    more: Mapping[str, Any] = MappingProxyType({}),
) -> ImportedRun:
    """Audit the log and write it as a run of expectations or of bare radii.

    `findings` are those that the format knows itself, `more` its own columns.
    """
    columns, method = log.columns() | dict(more), "radius"
    if bare:
        columns |= {"radius": log.radius.value}
    else:
        known = log_expectations(log, stated)
        method = known.method
        columns |= {"e0": known.e0, "e1": known.e1, "reason": known.reason}
        columns |= {} if known.draws is None else {"draws": known.draws}
    findings = [*audit_log(log, None if bare else stated), *findings]
    classes = [log.predicted.max(), 1 if log.label is None else log.label.max(), 1]
    manifest = Manifest(
        sigma=stated.sigma,
        inputs=len(log),
        classes=int(max(classes)) + 1,  # only as many as the log shows
        alpha=stated.alpha,
        scheme="imported",
        source=source
        | {"holds": "radii" if bare else "expectations", "method": method}
        | _describe_rows(log.own_index)
        | _describe_findings(findings),
    )
    return write_imported_run(out, manifest.with_noise(stated.noise), columns)


def _check_stated_settings(sigma: float, alpha: float, draws: int | None) -> StatedSettings:
    """Check what the importer states, each number in its domain."""
    require(0 < alpha < 1, f"alpha must lie strictly between 0 and 1, got {alpha}")
    require(draws is None or draws >= 1, f"draws must be at least 1, got {draws}")
    return StatedSettings(check_positive("sigma", sigma), float(alpha), draws)


def _describe_source(name: str, file: Path) -> dict[str, Any]:
    """Say where a run comes from, so that it can be traced."""
    require(file.is_file(), f"file must be a log that exists, got {str(file)!r}")
    return {
        "format": name,
        "file": _printable_name(file.name),
        "sha256": content_checksum(read_file(file, MOST_LOG)),
    }


def _printable_name(name: str) -> str:
    """Return a file name as text that run.toml can hold, whatever its bytes are."""
    return name.encode("utf-8", "backslashreplace").decode()
