"""Foreign logs, one file per format: read, audited, and kept as a run.

To add a format: write its file, a function from a path to a Log, and add its row to LOGS.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from simplicert.bounds import SCHEMES
from simplicert.errors import choose, require
from simplicert.files import MOST_LOG, read_file
from simplicert.runs.atomic import checksum
from simplicert.runs.folder import Run, create_run
from simplicert.runs.known import KnownRun, write_known_run
from simplicert.runs.logs import cohen, iss, radii, second_order
from simplicert.runs.logs.counts import read_counts
from simplicert.runs.logs.expectations import expectations
from simplicert.runs.logs.log import Log, Stated
from simplicert.runs.manifest import Manifest
from simplicert.types import KINDS, Tally
from simplicert.types.arrays import positive

# Logs with fixed columns; import_radii is for those whose columns the importer names.
LOGS: dict[str, Callable[[Path], Log]] = {
    "cohen": cohen.read,
    "second-order": second_order.read,
    "iss": iss.read,
}


def import_counts(
    file: Path,
    sigma: float,
    out: Path,
    *,
    labelled: bool = True,
    pilot: Path | None = None,
    alpha: float = 0.001,
    kind: str = "multinomial",
    scheme: str = "gated",
) -> Run:
    """A run from a table of counts; alpha, kind and scheme are declared with it."""
    require(0 < alpha < 1, f"alpha must lie strictly between 0 and 1, got {alpha}")
    kind = choose("kind", kind, KINDS)
    choose("scheme", scheme, SCHEMES[kind], f" for kind {kind}")
    require(file.is_file(), f"file must be a table of counts that exists, got {str(file)!r}")
    tally = read_counts(file, sigma, labelled=labelled, pilot=pilot)
    require_evidence(tally, kind, scheme, file)
    manifest = Manifest(
        sigma=tally.sigma,
        inputs=len(tally),
        classes=tally.classes,
        alpha=alpha,
        kind=kind,
        scheme=scheme,
        source=origin("counts", file),
    )
    return create_run(out, manifest, tally)


def require_evidence(tally: Tally, kind: str, scheme: str, file: Path) -> None:
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
) -> KnownRun:
    """A run of expectations from a log of a known format; none of sigma, alpha, n is in the log."""
    stated = checked(sigma, alpha, draws)
    log = choose("format", name, LOGS)(file)
    require(
        log.count is None or draws is not None,
        f"draws must be given with a {name} log: its counts bound nothing without, got {draws}",
    )
    return keep(log, stated, origin(name, file), out)


def import_radii(
    file: Path,
    columns: str,
    sigma: float,
    out: Path,
    *,
    alpha: float = 0.001,
    draws: int | None = None,
    bare: bool = False,
) -> KnownRun:
    """A run from any table, its columns named; `bare` where a radius is not sigma * Phi^-1(E0)."""
    stated = checked(sigma, alpha, draws)
    log = radii.read(file, columns)
    return keep(log, stated, origin("radii", file) | {"columns": columns}, out, bare=bare)


def keep(
    log: Log, stated: Stated, source: dict[str, Any], out: Path, bare: bool = False
) -> KnownRun:
    """Audit the log and write it as a run, of expectations or of bare radii."""
    from simplicert.runs.audit import audit  # it stands above this room

    columns, method = log.columns(), "radius"
    if bare:
        columns |= {"radius": log.radius.value}
    else:
        known = expectations(log, stated)
        method = known.method
        columns |= {"e0": known.e0, "e1": known.e1, "reason": known.reason}
        columns |= {} if known.draws is None else {"draws": known.draws}
    findings = audit(log, None if bare else stated)
    classes = [log.predicted.max(), 1 if log.label is None else log.label.max(), 1]
    manifest = Manifest(
        sigma=stated.sigma,
        inputs=len(log),
        classes=int(max(classes)) + 1,  # as far as the log shows
        alpha=stated.alpha,
        scheme="imported",
        source=source
        | {"holds": "radii" if bare else "expectations", "method": method}
        | {
            "audit": [finding.sentence for finding in findings],
            "audit_codes": [finding.code for finding in findings],
        },
    )
    return write_known_run(out, manifest, columns)


def checked(sigma: float, alpha: float, draws: int | None) -> Stated:
    """What the importer states, each in its domain."""
    require(0 < alpha < 1, f"alpha must lie strictly between 0 and 1, got {alpha}")
    require(draws is None or draws >= 1, f"draws must be at least 1, got {draws}")
    return Stated(positive("sigma", sigma), float(alpha), draws)


def origin(name: str, file: Path) -> dict[str, Any]:
    """Where a run comes from, so that it can be traced."""
    require(file.is_file(), f"file must be a log that exists, got {str(file)!r}")
    return {
        "format": name,
        "file": printable(file.name),
        "sha256": checksum(read_file(file, MOST_LOG)),
    }


def printable(name: str) -> str:
    """A file's name as text that run.toml can hold, whatever bytes it is made of."""
    return name.encode("utf-8", "backslashreplace").decode()
