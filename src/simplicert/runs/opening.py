"""Opening a run, whatever it holds."""

from pathlib import Path

from simplicert.errors import require
from simplicert.runs.folder import Run
from simplicert.runs.known import KnownRun, read_known_run
from simplicert.runs.manifest import NAME, read_manifest


def open_run(folder: Path | str) -> Run | KnownRun:
    """Open a run folder for analysis: tallies, or what the log of another tool said."""
    folder = Path(folder)
    require(folder.exists(), f"run must be a folder that exists, got {str(folder)!r}")
    require(folder.is_dir(), f"run must be a folder that holds {NAME}, got the file {folder}")
    manifest = read_manifest(folder)
    return read_known_run(folder) if "holds" in manifest.source else Run(folder, manifest)
