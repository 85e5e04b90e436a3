"""Ask this machine for its cores, its free memory and a description of itself for run.toml.

`available_cores` counts the cores this process may use, which on a shared node can be fewer than
the machine has. `free_memory` takes the smallest of what the machine, the container and the user's
limits leave; `require_memory` and `refuse_huge_unpacking` ask it before a file's claims are
believed. `describe_machine` records processor and libraries, because on another kind of machine
the last bits of a model's outputs may differ; `machine_differences` puts such changes into words.
`current_time` is what its clock says, for designs and runs that record when they began, and
`find_commit` what a build server says it is building.
"""

import datetime
import math
import os
import platform
import re
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

from simplicert.errors import InvalidInput

LARGE = 2**31  # bytes that a file may always unpack to

RATIO = 100  # a file may also unpack to this many times its own size

GROUPS = Path("/sys/fs/cgroup")  # where Linux keeps the limits of containers and batch jobs


COMMIT_VARIABLES = ("GITHUB_SHA", "CI_COMMIT_SHA")  # of GitHub Actions and of GitLab

COMMIT = re.compile("[0-9a-f]{7,64}")

MINUTE, HOUR, DAY = 60, 3600, 86400  # in seconds


def available_cores() -> int:
    """Count the cores this process may use: on a shared node, fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def require_memory(what: str, needed: int) -> None:
    """Refuse what needs more memory than is free; where that is unknown, refuse nothing."""
    free = free_memory()
    if free is not None and needed > free:
        raise InvalidInput(
            f"{what} needs {format_bytes(needed)} of memory, and {format_bytes(free)} are free"
        )


def refuse_huge_unpacking(what: str, packed: int, unpacked: int) -> None:
    """Refuse what is small on the disk and huge in memory, or larger than the memory."""
    if unpacked > max(LARGE, RATIO * packed):
        raise InvalidInput(
            f"{what} is refused: it would grow from {packed:,} to {unpacked:,} bytes"
        )
    require_memory(what, unpacked)


def free_memory() -> int | None:
    """Return the bytes that the machine, the container and the user's limits leave, if known."""
    return min((max(left, 0) for left in memory_limits()), default=None)


def format_bytes(count: int) -> str:
    """Write a number of bytes in a unit that people read."""
    for unit, name in ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB")):
        if count >= unit:
            return (
                f"{count // unit:,} {name}" if count >= 100 * unit else f"{count / unit:.1f} {name}"
            )
    return f"{count:,} bytes"


def format_duration(seconds: float) -> str:
    """Format seconds in at most two units, such as 3 h 22 min; less than a minute is rounded up."""
    if seconds < MINUTE:
        return f"{math.ceil(10 * seconds) / 10:.1f} s"
    whole = round(seconds)
    if whole < HOUR:
        return f"{whole // MINUTE} min {whole % MINUTE} s"
    seconds = max(seconds, whole)
    if seconds < DAY:
        return f"{seconds // HOUR:.0f} h {seconds % HOUR // MINUTE:.0f} min"
    return f"{seconds // DAY:,.0f} d {seconds % DAY // HOUR:.0f} h"


def memory_limits() -> Iterator[int]:
    """Yield what each limit of this machine, process and group leaves, in bytes."""
    yield from _machine_memory()
    yield from _address_space_left()
    with suppress(OSError, ValueError):
        for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines():
            _, controllers, inner = line.split(":", 2)
            if controllers == "":
                yield from cgroup_memory_left(GROUPS, inner, "memory.max", "memory.current")
            elif "memory" in controllers.split(","):
                names = ("memory.limit_in_bytes", "memory.usage_in_bytes")
                yield from cgroup_memory_left(GROUPS / "memory", inner, *names)


def _machine_memory() -> Iterator[int]:
    """Yield what Linux says is available; elsewhere all the memory that is built in."""
    try:
        for line in Path("/proc/meminfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("MemAvailable:"):
                yield int(line.split()[1]) * 1024
                return
    except (OSError, ValueError, IndexError):
        pass
    with suppress(OSError, ValueError, AttributeError):
        yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _address_space_left() -> Iterator[int]:
    """Yield what `ulimit -v` leaves."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit != resource.RLIM_INFINITY:
            pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[0])
            yield limit - pages * resource.getpagesize()


def cgroup_memory_left(root: Path, inner: str, most: str, used: str) -> Iterator[int]:
    """Yield what each group around this process leaves; a container sees its own root."""
    place = root / inner.lstrip("/")
    for folder in (place, *place.parents):
        with suppress(OSError, ValueError):
            limit = (folder / most).read_text(encoding="utf-8").strip()
            if limit != "max":
                held = int((folder / used).read_text(encoding="utf-8")) - _cached_file_bytes(folder)
                yield int(limit) - held
        if folder == root:
            return


def _cached_file_bytes(folder: Path) -> int:
    """Count the bytes of cached files, which the system gives back when they are needed."""
    with suppress(OSError, ValueError, IndexError):
        for line in (folder / "memory.stat").read_text(encoding="utf-8").splitlines():
            if line.startswith(("inactive_file ", "total_inactive_file ")):
                return int(line.split()[1])
    return 0


def describe_machine() -> dict[str, str]:
    """Name the processor and the libraries, for run.toml."""
    kind = {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "machine": platform.machine(),
        "processor": _processor_name(),
    }
    with suppress(PackageNotFoundError):  # read from its metadata, so that torch is not imported
        kind["torch"] = version("torch")
    return kind


def current_time() -> str:
    """Return the time in UTC to the second, as in 2026-11-17T22:30:00+00:00."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def find_commit() -> str:
    """Return the commit that a build server says it is building, or ""; nothing else is asked."""
    named = (os.environ.get(name, "") for name in COMMIT_VARIABLES)
    return next((text for text in named if COMMIT.fullmatch(text)), "")


def _processor_name() -> str:
    """Return the processor's own name where the system tells it; libraries choose kernels by it."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()


def machine_differences(made: dict[str, object]) -> list[str]:
    """Say in words how this machine differs from the one that a run was drawn on (`made`)."""
    here = describe_machine()
    return [
        f"{name} {made[name]} there, {here.get(name, 'none')} here"
        for name in ("machine", "processor", "numpy", "torch")
        if name in made and made[name] != here.get(name)
    ]
