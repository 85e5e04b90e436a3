"""Run folders: tallies kept for ever. The only room that opens files."""

from simplicert.runs.certificates import write_certificates
from simplicert.runs.folder import Run, create_run, open_run
from simplicert.runs.manifest import Manifest

__all__ = ["Manifest", "Run", "create_run", "open_run", "write_certificates"]
