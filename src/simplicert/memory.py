"""The memory that this process may still take, asked before a file's claims are believed."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from simplicert.errors import InvalidInput

LARGE, RATIO = 2**31, 100  # bytes that may always be unpacked; beyond, so many times the file's
GROUPS = Path("/sys/fs/cgroup")  # where Linux keeps the limits of containers and batch jobs


def require_memory(what: str, needed: int) -> None:
    """Refuse what would need more memory than there is; where that is not known nothing is."""
    free = free_memory()
    if free is not None and needed > free:
        raise InvalidInput(f"{what} needs {size(needed)} of memory, and {size(free)} are free")


def require_growth(what: str, packed: int, unpacked: int) -> None:
    """Refuse what is small on the disk and huge in memory, or larger than the memory."""
    if unpacked > max(LARGE, RATIO * packed):
        raise InvalidInput(
            f"{what} is refused: it would grow from {packed:,} to {unpacked:,} bytes"
        )
    require_memory(what, unpacked)


def free_memory() -> int | None:
    """Bytes that the machine, the container and the user's limits leave; None if none says so."""
    return min((max(left, 0) for left in _all_limits()), default=None)


def size(count: int) -> str:
    """Bytes in a unit that people read."""
    for unit, name in ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB")):
        if count >= unit:
            return (
                f"{count // unit:,} {name}" if count >= 100 * unit else f"{count / unit:.1f} {name}"
            )
    return f"{count:,} bytes"


def _all_limits() -> Iterator[int]:
    yield from _machine()
    yield from _address_space()
    with contextlib.suppress(OSError, ValueError):
        for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines():
            _, controllers, inner = line.split(":", 2)
            if controllers == "":
                yield from _groups(GROUPS, inner, "memory.max", "memory.current")
            elif "memory" in controllers.split(","):
                names = ("memory.limit_in_bytes", "memory.usage_in_bytes")
                yield from _groups(GROUPS / "memory", inner, *names)


def _machine() -> Iterator[int]:
    """What Linux says is available; elsewhere all the memory that is built in."""
    try:
        for line in Path("/proc/meminfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("MemAvailable:"):
                yield int(line.split()[1]) * 1024
                return
    except (OSError, ValueError, IndexError):
        pass
    with contextlib.suppress(OSError, ValueError, AttributeError):
        yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _address_space() -> Iterator[int]:
    """What `ulimit -v` leaves."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit != resource.RLIM_INFINITY:
            pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[0])
            yield limit - pages * resource.getpagesize()


def _groups(root: Path, inner: str, most: str, used: str) -> Iterator[int]:
    """What each group around this process leaves; inside a container the root is its own."""
    place = root / inner.lstrip("/")
    for folder in (place, *place.parents):
        with contextlib.suppress(OSError, ValueError):
            limit = (folder / most).read_text(encoding="utf-8").strip()
            if limit != "max":
                held = int((folder / used).read_text(encoding="utf-8")) - _cached(folder)
                yield int(limit) - held
        if folder == root:
            return


def _cached(folder: Path) -> int:
    """Pages of files that the system gives back when they are needed."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in (folder / "memory.stat").read_text(encoding="utf-8").splitlines():
            if line.startswith(("inactive_file ", "total_inactive_file ")):
                return int(line.split()[1])
    return 0
