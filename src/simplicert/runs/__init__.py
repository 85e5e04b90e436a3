"""Run folders: tallies kept for ever. The only room that opens files."""

from simplicert.runs.certificates import write_certificates
from simplicert.runs.folder import Run, create_run
from simplicert.runs.known import KnownRun
from simplicert.runs.manifest import Manifest
from simplicert.runs.opening import open_run

__all__ = ["KnownRun", "Manifest", "Run", "create_run", "open_run", "write_certificates"]
