"""Report how far a run is, from its folder alone."""

from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from simplicert.logs.audit import find_disproofs
from simplicert.store.imported import ImportedRun
from simplicert.store.listing import read_settled
from simplicert.store.parts import read_origins
from simplicert.store.run import Run

RECENT_SECONDS = 600.0  # parts written in this time before the last one are recent


def read_status(run: Run | ImportedRun) -> dict[str, Any]:
    """Count inputs, draws and seconds of a run, and estimate how much is left."""
    if isinstance(run, ImportedRun):
        return _read_log_status(run)
    manifest = run.manifest
    target = None if manifest.plan is None else manifest.plan.looks[-1]
    held = int(run.tally().draws.sum()) if run.paths() else 0
    ended = int(run.tally().draws[run.stopped != ""].sum()) if run.paths() else 0
    seconds = run.seconds
    # With a stopping rule this is the most that can be left.
    left = 0 if target is None else max(run.missing * target - (held - ended), 0)
    rate = held / seconds if seconds else None
    return {
        "inputs": manifest.inputs,
        "done": manifest.inputs - run.missing,
        "missing": run.missing,
        "draws": held,
        "draws_left": left,
        "parts": len(run.paths()),
        "seconds": round(seconds, 3),
        "draws_per_second": rate,
        "seconds_left": left / rate if rate else None,
        "until": "fixed" if manifest.plan is None else manifest.plan.rule,
        "failed": run.failed,
        "at_once": recent_workers(run),
        "written": _last_written(run),
    }


def _read_log_status(run: ImportedRun) -> dict[str, Any]:
    """Report what was imported and what its audit found; there is nothing to draw."""
    source = run.manifest.source
    return {
        "inputs": run.manifest.inputs,
        "done": run.manifest.inputs - run.missing,
        "missing": run.missing,
        "imported": source.get("file", ""),
        "format": source.get("format", ""),
        "holds": run.holds,
        "audit": list(run.audit),
        "disproofs": list(find_disproofs(run)),
    }


def recent_workers(run: Run) -> float | None:
    """Estimate how many workers drew at once of late: seconds of drawing per second of time."""
    ends = _read_times(run)
    recent = [path for path, end in ends.items() if end > max(ends.values()) - RECENT_SECONDS]
    held = read_settled(lambda: [path for path in recent if path.exists()], read_origins)
    # Of a merged part nobody knows when its seconds were.
    seconds = {path: sum(origins.values()) for path, origins in held.items() if len(origins) == 1}
    recent = list(seconds)
    if not sum(seconds.values()):
        return None
    start = min(ends[path] - seconds[path] for path in recent)
    return sum(seconds.values()) / (max(ends.values()) - start)


def _last_written(run: Run) -> str | None:
    """Return when the last part was written, in this machine's time zone."""
    ends = _read_times(run)
    if not ends:
        return None
    try:
        return datetime.fromtimestamp(max(ends.values())).astimezone().isoformat(" ", "seconds")
    except (ValueError, OverflowError, OSError):  # a clock that is thousands of years off
        return None


def _read_times(run: Run) -> dict[Path, float]:
    """Return when each part was written; one that was merged away meanwhile is left out."""
    times = {}
    for path in run.paths():
        with suppress(FileNotFoundError):
            times[path] = path.stat().st_mtime
    return times
