"""Foreign logs, one file per format: read, checked, and kept as a run."""

from pathlib import Path

from simplicert.bounds import SCHEMES
from simplicert.errors import choose, require
from simplicert.runs.atomic import checksum
from simplicert.runs.folder import Run, create_run
from simplicert.runs.logs.counts import read_counts
from simplicert.runs.manifest import Manifest
from simplicert.types import KINDS


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
    choose("scheme", scheme, SCHEMES[kind])
    require(file.is_file(), f"file must be a table of counts that exists, got {str(file)!r}")
    tally = read_counts(file, sigma, labelled=labelled, pilot=pilot)
    from simplicert import __version__

    manifest = Manifest(
        sigma=tally.sigma,
        inputs=len(tally),
        classes=tally.classes,
        alpha=alpha,
        kind=kind,
        scheme=scheme,
        source={"format": "counts", "file": file.name, "sha256": checksum(file.read_bytes())},
        package=__version__,
    )
    return create_run(out, manifest, tally)
