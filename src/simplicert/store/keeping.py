"""Keep a part that was drawn in its run, and in no other that has taken the folder's place."""

from functools import lru_cache
from pathlib import Path

from simplicert.errors import DamagedRun
from simplicert.files import write_atomically
from simplicert.store.manifest import NAME, Manifest, read_manifest
from simplicert.store.run import PARTS


def keep_part(folder: Path, manifest: Manifest, name: str, content: bytes) -> None:
    """Write a part into its run, unless another run has taken the folder's place meanwhile."""
    held = (folder / NAME).stat()
    stamp = (held.st_dev, held.st_ino, held.st_size, held.st_mtime_ns)
    if _read_id(folder, stamp) != manifest.id:
        raise DamagedRun(
            f"{folder} is another run than when the drawing began: it was replaced meanwhile, and "
            "nothing was written into it"
        )
    write_atomically(folder / PARTS / name, content, sweep=False)


@lru_cache(maxsize=64)
def _read_id(folder: Path, stamp: tuple[int, ...]) -> str:
    """Read a run's id; again only if run.toml is another file than before."""
    return read_manifest(folder).id
