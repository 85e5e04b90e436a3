"""The processor cores that this process may use."""

import os


def cores() -> int:
    """How many: on a shared node, where a job has its share, fewer than there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
