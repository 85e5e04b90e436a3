"""Create, open and read run folders: the tallies of a drawing, kept on disk for good.

`open_run` opens a run folder for analysis: a `Run`, which holds tallies, or an `ImportedRun`, which
holds the log of another tool. `create_run` writes a new run from a tally, and
`write_certificates` writes certificates as CSV or Parquet.
"""

from pathlib import Path

from simplicert.errors import require
from simplicert.store.certificates import write_certificates
from simplicert.store.imported import ImportedRun, KnownRun, read_imported_run
from simplicert.store.manifest import NAME, Manifest, read_manifest
from simplicert.store.run import Run, create_run

__all__ = [
    "ImportedRun",
    "KnownRun",
    "Manifest",
    "Run",
    "create_run",
    "open_run",
    "write_certificates",
]


def open_run(folder: Path | str) -> Run | ImportedRun:
    """Open a run folder for analysis: a run of tallies, or the log of another tool.

    >>> import tempfile
    >>> from simplicert import Tally
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     settings = Manifest(sigma=0.5, inputs=1, classes=3)
    ...     _ = create_run(f"{folder}/run", settings, Tally([[990, 8, 2]], sigma=0.5))
    ...     open_run(f"{folder}/run").tally()
    Tally(1 inputs, 3 classes, sigma 0.5, 1000 draws each)
    """
    folder = Path(folder)
    require(folder.exists(), f"run must be a folder that exists, got {str(folder)!r}")
    require(folder.is_dir(), f"run must be a folder that holds {NAME}, got the file {folder}")
    manifest = read_manifest(folder)
    return read_imported_run(folder) if "holds" in manifest.source else Run(folder, manifest)
