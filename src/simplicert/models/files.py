"""Model files on disk."""

from pathlib import Path

from simplicert.errors import require


def existing(where: str) -> Path:
    """The path of a model file that is there."""
    path = Path(where)
    require(path.is_file(), f"model must name a file that exists, got {where!r}")
    return path
