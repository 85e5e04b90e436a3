"""Check: one thing that was looked at, and whether it holds."""

from collections.abc import Sequence
from typing import NamedTuple


class Check(NamedTuple):
    """One line of a verification."""

    about: str  # files, draws, certificates, audit or replay
    holds: bool | None  # None: it could not be checked, and the sentence says why
    says: str
    tolerant: bool = False  # it holds within a tolerance that the sentence names, not bit for bit


def listed(items: Sequence[object], most: int = 5) -> str:
    """The first few of a list, and how many more there are."""
    shown = ", ".join(str(item) for item in items[:most])
    return f"{shown} and {len(items) - most} more" if len(items) > most else shown
