"""What torchrun tells a process through its environment; without torchrun there is one process."""

import os


def place(name: str) -> int:
    """RANK among all processes, or LOCAL_RANK among those of this machine."""
    return int(os.environ.get(name, "0"))


def processes() -> int:
    """How many train together."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def neighbours() -> int:
    """How many of them are on this machine."""
    return int(os.environ.get("LOCAL_WORLD_SIZE", "1"))


def is_first() -> bool:
    """Whether this is the one that writes and speaks."""
    return place("RANK") == 0
